import CaptureFiles
import Dissection
import Reports
import Sessions

/// Looks through the records of a store for those that a view shows, some at a time. It belongs to the thread that scans.
final class ViewScan {
    let view: ConsoleView
    private var sink: HitSink
    private var teller = LogTeller(mostBytes: ViewScan.mostBytes)
    /// The last record that was looked at.
    private var position: Int64 = 0
    /// Of one conversation: its records that wait to be looked at.
    private var waiting: [Int64] = []
    private var lastTraced: Int64 = 0
    private var hasBegun = false
    /// Records that are looked at in one go.
    private var some = ViewScan.fewest

    /// Records that are looked at in one go, so that each view gets its turn.
    private static let step: Int64 = 4_096
    /// Those between two looks at whether it has been long enough, where each takes long.
    private static let fewest: Int64 = 64
    /// How long a turn takes at most, but for the records that are looked at in one go.
    private static let turn = Duration.milliseconds(50)
    /// Bytes that the conversations may take that are open.
    private static let mostBytes = 64 << 20

    init(_ view: ConsoleView) {
        self.view = view
        sink = HitSink(view.request)
        teller.begin(CaptureSource(kind: .file, name: "", tool: ""), after: Totals())
    }

    /// Goes on.
    ///
    /// - Returns: Whether there is more to look at.
    func advance(_ store: ConsoleStore, _ counts: SessionCounts) throws -> Bool {
        guard !view.request.isEverything, !view.isClosed else { return false }
        if !hasBegun {
            position = counts.first - 1
            lastTraced = position
            hasBegun = true
        }
        if let conversation = view.request.conversation { return try advance(store.scans, counts, conversation) }
        // A filter may take long for each record: the others get their turn after a while, and one that was closed ends.
        let (begun, goal) = (ContinuousClock.now, min(counts.last, position + Self.step))
        while position < goal, !view.isClosed, ContinuousClock.now - begun < Self.turn { try look(store, counts) }
        return position < counts.last
    }

    /// Looks at the next records: few where each takes long.
    private func look(_ store: ConsoleStore, _ counts: SessionCounts) throws {
        let (begun, rows) = (ContinuousClock.now, store.scans)
        // To the next record that there is.
        guard let next = try store.next(from: position + 1, through: rows), next <= counts.last else {
            position = counts.last
            return report([], counts)
        }
        let end = min(counts.last, next + some - 1)
        position = next - 1
        var found: [Int64] = []
        if view.request.needsEvents {
            try rows.lend(from: position + 1, through: end) { id, message in
                sink.begin(kind: "message")
                sink.receive(message)
                if sink.isHit { found.append(id) }
            } line: { id, kind, line in
                if look(at: line, kind) { found.append(id) }
            }
        } else if !take(from: position + 1, through: end, of: store.tail, to: &found) {
            try rows.places(from: position + 1, through: end) { id, time, kind in
                if isWanted(time, kind) { found.append(id) }
            }
        }
        position = end
        some = ContinuousClock.now - begun < .milliseconds(5) ? min(2 * some, Self.step) : Self.fewest
        report(found, counts)
    }

    /// Looks at records that were stored a moment ago.
    ///
    /// - Returns: Whether all of them are there.
    private func take(from first: Int64, through last: Int64, of tail: SessionTail?, to found: inout [Int64]) -> Bool {
        guard let tail else { return false }
        found.reserveCapacity(Int(last - first + 1))
        return tail.lend(from: first, through: last) { id, moment in
            if moment.isMessage ? isInTime(moment.time) : isWanted(moment.time, moment.kind.description) { found.append(id) }
            return true
        }
    }

    /// Of one conversation, whose records the file lists.
    private func advance(_ rows: SessionRows, _ counts: SessionCounts, _ conversation: Int64) throws -> Bool {
        guard position < counts.last else { return false }
        if waiting.isEmpty {
            try rows.records(of: conversation, after: lastTraced) { ids in
                waiting += ids
                return waiting.count < 65_536
            }
            if let last = waiting.last { lastTraced = last }
        }
        var found: [Int64] = []
        var rest = waiting[...]
        if !view.request.hasConditions {
            found = waiting
            rest = []
        } else {
            let begun = ContinuousClock.now
            for id in waiting.prefix(Int(Self.step)) {
                guard !view.isClosed, ContinuousClock.now - begun < Self.turn else { break }
                try rows.line(of: id) { kind, line in if look(at: line, kind) { found.append(id) } }
                rest.removeFirst()
            }
        }
        let hadSome = !waiting.isEmpty
        waiting = Array(rest)
        // Where nothing is left in its list, nothing of it is in the rest of the file.
        if !hadSome { position = counts.last } else { position = min(counts.last, max(position, (waiting.first ?? lastTraced + 1) - 1)) }
        report(found, counts)
        return position < counts.last
    }

    private func report(_ found: [Int64], _ counts: SessionCounts) {
        view.add(found, scanned: position - counts.first + 1, hidden: sink.hidden, givenUp: sink.givenUp)
    }

    private func look(at line: RawSpan, _ kind: String) -> Bool {
        sink.begin(kind: kind)
        if kind == "capture" || kind == "end" {
            _ = teller.tell(line, into: &sink) { _, _ in }
            return !view.request.needsFound && isWanted(nil, kind)
        }
        _ = teller.tell(line, into: &sink) { _, _ in }
        return sink.isHit && (!view.request.messagesAlone || ViewRequest.messageKinds.contains(kind))
    }

    private func isWanted(_ time: Int64?, _ kind: String) -> Bool {
        if view.request.messagesAlone, !ViewRequest.messageKinds.contains(kind) { return false }
        return isInTime(time)
    }

    private func isInTime(_ time: Int64?) -> Bool {
        guard view.request.since != nil || view.request.until != nil else { return true }
        guard let time else { return false }
        return time >= view.request.since ?? .min && time <= view.request.until ?? .max
    }
}

extension ViewRequest {
    /// Whether something has to be found in a record.
    fileprivate var needsFound: Bool { filter != nil || search != nil }
}
