/// How often each rule was found broken by each side of a conversation.
///
/// A frame of two bytes may break three rules, and somebody who floods a log sends nothing else: from `mostTold` on a violation is counted,
/// and the count is told at the end. So are rows that say of themselves that they come in thousands.
struct RepeatedFindings: Sendable {
    /// So many are told of a side, each in its place.
    static let mostTold: UInt64 = 100

    private struct Entry: Sendable {
        let row: FindingRow
        let side: Side
        var count: UInt64
        /// Of the last one.
        var arrival: Arrival
    }

    /// One for each row and side, of which there are as many as rows in the catalogues at most.
    private var entries: [Entry] = []

    /// Counts one more. False where it is not to be told by itself.
    mutating func take(_ row: FindingRow, at arrival: Arrival) -> Bool {
        guard row.isCounted else { return true }
        for index in entries.indices where entries[index].side == arrival.side && entries[index].row == row {
            entries[index].count &+= 1
            entries[index].arrival = arrival
            return entries[index].count <= RepeatedFindings.mostTold
        }
        entries.append(Entry(row: row, side: arrival.side, count: 1, arrival: arrival))
        return true
    }

    /// Takes out what was not told by itself.
    mutating func takeUntold() -> [(row: FindingRow, count: UInt64, arrival: Arrival)] {
        defer { entries = [] }
        return entries.filter { $0.count > RepeatedFindings.mostTold }.map { ($0.row, $0.count - RepeatedFindings.mostTold, $0.arrival) }
    }
}

extension ConversationContext {
    /// Tells how many findings were counted only.
    mutating func tellRepeated<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        for untold in repeated.takeUntold() {
            let name = Array(untold.row.id.utf8)
            emit(.connectionFindingsOmitted, a: untold.count, at: untold.arrival, content: name.rawBytes, sink: &sink)
        }
    }
}
