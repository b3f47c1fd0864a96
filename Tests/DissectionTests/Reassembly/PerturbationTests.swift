import Dissection
import Support
import Testing

/// Whatever one packet of a clean capture is delayed by, or comes twice, and however far one side was captured behind the other: what
/// is told is what the clean capture tells.
@Suite struct PerturbationTests {
    /// One way in which a capture differs from what went over the wire.
    enum Change: CustomStringConvertible {
        case moved(Int, Int)
        case repeated(Int, at: Int)
        case late(Side, Int)

        /// The first packets are no longer the handshake.
        var reachesHandshake: Bool {
            switch self {
            case .moved(_, let to): to < 3
            case .repeated: false
            case .late: true
            }
        }

        var description: String {
            switch self {
            case .moved(let from, let to): "packet \(from) captured as \(to)"
            case .repeated(let packet, let place): "packet \(packet) again as \(place)"
            case .late(let side, let places): "what the \(side) sends captured \(places) later"
            }
        }
    }

    /// All single changes of a talk of `count` packets.
    static func changes(_ talk: CleanTalk) -> [Change] {
        let count = talk.segments.packetCount
        var changes: [Change] = []
        for from in 0..<count {
            for to in max(0, from - 5)...min(count - 1, from + 5) where to != from { changes.append(.moved(from, to)) }
            for place in from + 1...min(count, from + 5) { changes.append(.repeated(from, at: place)) }
            if count > from + 6 { changes.append(.repeated(from, at: count)) }
        }
        for side in [Side.client, .server] { for places in 1...5 { changes.append(.late(side, places)) } }
        return changes
    }

    static func apply(_ change: Change, to talk: CleanTalk) -> Segments {
        talk.segments.reordered { order in
            switch change {
            case .moved(let from, let to): order.insert(order.remove(at: from), at: to)
            case .repeated(let packet, let place): order.insert(packet, at: place)
            case .late(let side, let places):
                let keys = order.map { $0 * 2 + (talk.senders[$0] == side ? places * 2 + 1 : 0) }
                order.sort { keys[$0] < keys[$1] }
            }
        }
    }

    @Test(arguments: CleanTalk.all) func oneChangeChangesNothing(talk: CleanTalk) {
        let truth = talk.segments.transcript()
        for change in Self.changes(talk) {
            let told = Self.apply(change, to: talk).transcript()
            if told == truth { continue }
            if change.reachesHandshake, Self.contents(told) == Self.contents(truth) { continue }
            if talk.endsWithBareReset, told.contains(where: { $0.contains("data afterClose") }) { continue }
            Issue.record("\(talk), \(change):\n\(told.joined(separator: "\n"))\ninstead of\n\(truth.joined(separator: "\n"))")
        }
    }

    /// What is told, but for who was there first: a capture that begins with what was sent later begins in the middle, and what crosses the
    /// handshake has no order that numbers tell.
    private static func contents(_ lines: [String]) -> [String] {
        lines.filter { !$0.hasPrefix("opened") && !$0.contains(" data \"") }.sorted()
    }
}
