/// Stream events that wait: the runs of both sides in order of arrival, each with where it came from.
///
/// ```
/// client     G E T   / H T T P / 1 . 1 …        entries   0: 8 bytes   0: 32 bytes   1: 120 bytes   1: finished
/// server     H T T P / 1 . 1   2 0 0 …
/// ```
struct PlacedQueue {
    enum Kind {
        case bytes(Range<Int>)
        case gap(length: UInt64, cause: Gap.Cause)
        case finished
        case reset
    }

    struct Entry {
        var kind: Kind
        var side: Side
        var place: Place
    }

    private(set) var client: [UInt8] = []
    private(set) var server: [UInt8] = []
    private(set) var entries: [Entry] = []
    /// Bytes that are missing among those of a side.
    private var clientGaps: UInt64 = 0
    private var serverGaps: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }

    /// All bytes of a side that wait, gaps left out.
    @_lifetime(borrow self)
    func bytes(of side: Side) -> RawSpan { side == .client ? client.rawBytes : server.rawBytes }

    /// Bytes of a side that wait, gaps included.
    func length(of side: Side) -> UInt64 {
        side == .client ? UInt64(client.count) &+ clientGaps : UInt64(server.count) &+ serverGaps
    }

    /// What it costs against `Limits`.
    var heldBytes: Int {
        let bytes = client.capacity + server.capacity + entries.capacity * MemoryLayout<Entry>.stride
        // Each array takes some more for itself.
        return bytes > 0 ? bytes + 128 : 0
    }

    /// What waits, and what is known of it.
    private var usedBytes: Int { client.count + server.count + entries.count * MemoryLayout<Entry>.stride }

    mutating func append(_ run: RawSpan, from side: Side, place: Place) {
        let start: Int
        let end: Int
        switch side {
        case .client:
            start = client.count
            client.append(copying: run)
            end = client.count
        case .server:
            start = server.count
            server.append(copying: run)
            end = server.count
        }
        entries.append(Entry(kind: .bytes(start..<end), side: side, place: place))
    }

    /// Keeps a run, or only its length where the queue would come to hold more than `limit` bytes.
    mutating func append(_ run: RawSpan, from side: Side, place: Place, within limit: Int) {
        guard run.byteCount > 0 else { return }
        if usedBytes + run.byteCount > limit {
            append(.gap(length: UInt64(run.byteCount), cause: .limit), from: side, place: place)
        } else {
            append(run, from: side, place: place)
        }
    }

    mutating func append(_ kind: Kind, from side: Side, place: Place) {
        if case .gap(let length, _) = kind {
            if side == .client { clientGaps &+= length } else { serverGaps &+= length }
        }
        // Losses that follow each other are one loss, so that a flood of them costs nothing.
        if case .gap(let length, let cause) = kind, let last = entries.last, last.side == side,
            case .gap(let before, let sameCause) = last.kind, sameCause == cause
        {
            var merged = last.place
            merged.extend(by: place)
            entries[entries.count - 1] = Entry(kind: .gap(length: before &+ length, cause: cause), side: side, place: merged)
            return
        }
        entries.append(Entry(kind: kind, side: side, place: place))
    }

    /// Whether a side takes the word with one of its bytes that wait: what came before is the other side's, or missing.
    ///
    /// Looks back from the end, because what is asked for lies among the last that came.
    func takesTurn(at position: Int, of side: Side) -> Bool {
        for index in entries.indices.reversed() {
            guard entries[index].side == side, case .bytes(let range) = entries[index].kind, range.lowerBound <= position else { continue }
            guard range.lowerBound == position, index > 0, entries[index - 1].side == side else { return range.lowerBound == position }
            if case .bytes = entries[index - 1].kind { return false }
            return true
        }
        return true
    }

    /// Whether the end of a side waits in here.
    func hasFinished(_ side: Side) -> Bool {
        entries.contains { entry in
            guard entry.side == side, case .finished = entry.kind else { return false }
            return true
        }
    }

    /// The side that was taken for the client turned out to be the server.
    mutating func swapSides() {
        swap(&client, &server)
        swap(&clientGaps, &serverGaps)
        for index in entries.indices { entries[index].side = entries[index].side.peer }
    }
}
