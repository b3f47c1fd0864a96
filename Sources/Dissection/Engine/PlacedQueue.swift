/// Stream events that wait: the runs of both directions in order of arrival, each with where it came from.
///
/// ```
/// bytes[0]   G E T   / H T T P / 1 . 1 …        entries   0: 8 bytes   0: 32 bytes   1: 120 bytes   1: finished
/// bytes[1]   H T T P / 1 . 1   2 0 0 …
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
        var direction: Direction
        var place: Place
    }

    private(set) var first: [UInt8] = []
    private(set) var second: [UInt8] = []
    private(set) var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// All bytes of a direction that wait, gaps left out.
    @_lifetime(borrow self)
    func bytes(of direction: Direction) -> RawSpan { direction == .first ? first.rawBytes : second.rawBytes }

    /// What it costs against `Limits`.
    var heldBytes: Int {
        let bytes = first.capacity + second.capacity + entries.capacity * MemoryLayout<Entry>.stride
        // Each array takes some more for itself.
        return bytes > 0 ? bytes + 128 : 0
    }

    /// What waits, and what is known of it.
    private var usedBytes: Int { first.count + second.count + entries.count * MemoryLayout<Entry>.stride }

    mutating func append(_ run: RawSpan, direction: Direction, place: Place) {
        let start: Int
        let end: Int
        switch direction {
        case .first:
            start = first.count
            first.append(copying: run)
            end = first.count
        case .second:
            start = second.count
            second.append(copying: run)
            end = second.count
        }
        entries.append(Entry(kind: .bytes(start..<end), direction: direction, place: place))
    }

    /// Keeps a run, or only its length where the queue would come to hold more than `limit` bytes.
    mutating func append(_ run: RawSpan, direction: Direction, place: Place, within limit: Int) {
        guard run.byteCount > 0 else { return }
        if usedBytes + run.byteCount > limit {
            append(.gap(length: UInt64(run.byteCount), cause: .limit), direction: direction, place: place)
        } else {
            append(run, direction: direction, place: place)
        }
    }

    mutating func append(_ kind: Kind, direction: Direction, place: Place) {
        // Losses that follow each other are one loss, so that a flood of them costs nothing.
        if case .gap(let length, let cause) = kind, let last = entries.last, last.direction == direction,
            case .gap(let before, let sameCause) = last.kind, sameCause == cause
        {
            var merged = last.place
            merged.extend(by: place)
            entries[entries.count - 1] = Entry(kind: .gap(length: before &+ length, cause: cause), direction: direction, place: merged)
            return
        }
        entries.append(Entry(kind: kind, direction: direction, place: place))
    }

    /// Whether the end of a direction waits in here.
    func hasFinished(_ direction: Direction) -> Bool {
        entries.contains { entry in
            guard entry.direction == direction, case .finished = entry.kind else { return false }
            return true
        }
    }
}
