import Dissection
import Support

/// The packets of a `QuotingTalk`, and what a capture may make of them.
struct DamagedTalk {
    /// What a packet carries of its side's stream.
    private struct Carried {
        var side: Side
        var range: Range<Int>
        /// It is a keep-alive probe or filled up: nothing of it is the stream's.
        var isNoise = false
    }

    private var segments = Segments()
    private var packets: [Carried] = []
    private var random: SplitMix
    private var sent: (client: Int, server: Int) = (0, 0)

    init(seed: UInt64) {
        random = SplitMix(seed: seed &+ 77)
        var talk = QuotingTalk(seed: seed)
        if number(3) == 0 { swap(&segments.clientPort, &segments.serverPort) }
        send(.client, flags: .syn)
        send(.server, flags: [.syn, .ack])
        send(.client)
        let segmentBytes = [12, 40, 400, 1_460][number(4)]
        let acknowledges = number(3)
        for run in talk.runs {
            var rest = run.bytes[...]
            while !rest.isEmpty {
                // One byte that does not ask for its delivery is taken for a probe.
                let count = number(6) == 0 ? 2 + number(segmentBytes) : segmentBytes
                send(run.side, Array(rest.prefix(count)), flags: count < rest.count ? .ack : [.psh, .ack])
                rest = rest.dropFirst(count)
                if acknowledges == 0 || (acknowledges == 1 && number(3) == 0) { send(run.side.peer) }
            }
            if talk.number(12) == 0 { probe(run.side) }
        }
        switch number(6) {
        case 0: end(.client)
        case 1: end(.server)
        case 2: send(.server, flags: [.rst, .ack])
        case 3:
            send(.server, flags: [.fin, .ack])
            send(.client, flags: [.rst, .ack])
        case 4:
            send(.client, flags: [.fin, .ack])
            send(.client, flags: [.rst, .ack])
        default: return
        }
    }

    private mutating func number(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    private mutating func send(_ side: Side, _ bytes: [UInt8] = [], flags: TCPFlags = .ack) {
        let start = side == .client ? sent.client : sent.server
        segments = segments.packet(side, bytes, at: start, flags: flags, ack: side == .client ? sent.server : sent.client)
        packets.append(Carried(side: side, range: start..<start + bytes.count))
        let length = bytes.count + (flags.contains(.fin) ? 1 : 0)
        if side == .client { sent.client += length } else { sent.server += length }
    }

    /// Everything is acknowledged, and then the side asks whether the other one still lives.
    private mutating func probe(_ side: Side) {
        send(side.peer)
        let end = side == .client ? sent.client : sent.server
        segments = segments.packet(
            side, [UInt8(truncatingIfNeeded: random.next())], at: end - 1, flags: .ack, ack: side == .client ? sent.server : sent.client)
        packets.append(Carried(side: side, range: end - 1..<end, isNoise: true))
        send(side.peer)
    }

    private mutating func end(_ side: Side) {
        send(side, flags: [.fin, .ack])
        send(side.peer, flags: [.fin, .ack])
        send(side)
    }

    // MARK: - What a capture makes of it

    /// What was done to the packets.
    struct Damage: CustomStringConvertible {
        var front = 0
        var lost: Set<Int> = []
        var without: Side?
        var isJittered = false
        var copies = 0

        var description: String {
            "front \(front), lost \(lost.sorted()), without \(without.map { "\($0)" } ?? "none")\(isJittered ? ", jittered" : ""), \(copies) copies"
        }
    }

    /// All of them as they were sent.
    var whole: Segments { segments }

    /// Some damage, not always the same.
    mutating func damage() -> Damage {
        var damage = Damage()
        let count = packets.count
        if number(2) == 0 { damage.front = number(count) }
        if number(2) == 0 { damage.lost = Set((0..<1 + number(4)).map { _ in number(count) }) }
        if number(5) == 0 { damage.without = number(2) == 0 ? .client : .server }
        damage.isJittered = number(4) == 0
        if number(4) == 0 { damage.copies = 1 + number(4) }
        return damage
    }

    /// The packets after some damage, and how many bytes of each side are in sight.
    mutating func damaged(_ damage: Damage) -> (segments: Segments, bytes: (client: Int, server: Int)) {
        var order = packets.indices.filter {
            $0 >= damage.front && !damage.lost.contains($0) && packets[$0].side != damage.without
        }
        if damage.isJittered {
            let keys = order.map { $0 * 100 + number(300) }
            order = order.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }.map { order[$0] }
        }
        for _ in 0..<damage.copies where !order.isEmpty {
            let place = number(order.count)
            order.insert(order[place], at: min(order.count, place + 1 + number(6)))
        }
        return (segments.reordered { $0 = order }, (captured(.client, of: order), captured(.server, of: order)))
    }

    private func captured(_ side: Side, of order: [Int]) -> Int {
        Set(order.filter { packets[$0].side == side && !packets[$0].isNoise }.flatMap { packets[$0].range }).count
    }
}
