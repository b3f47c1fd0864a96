/// Segments of one direction that wait for missing bytes before them.
///
/// They never overlap: the bytes that came first stay, a later segment only fills what is free.
/// ```
/// next ─ ─ ─ ─ ┌────────┐─ ─ ─┌────┐        sequence ▶
///    missing   │  kept  │     │kept│
///            ┌─┴────────┴─────┴─┐           a later segment: three pieces of it are new
/// ```
struct OutOfOrderSegments: Sendable {
    struct Segment: Sendable {
        var start: SequenceNumber
        /// On the wire; more than `bytes.count` where the capture cut the packet.
        var length: Int
        var bytes: [UInt8]
        var place: Place
    }

    /// What a segment costs besides its bytes: the array's header and this structure.
    private static let overhead = 128

    /// Descending, so that the next one to be delivered is the last.
    private var segments: [Segment] = []
    /// Bytes held, against `Limits`.
    private(set) var heldBytes = 0

    var isEmpty: Bool { segments.isEmpty }
    var count: Int { segments.count }

    /// Where the first segment begins.
    var firstStart: SequenceNumber? { segments.last?.start }

    /// Takes out the first segment.
    mutating func popFirst() -> Segment? {
        guard let segment = segments.popLast() else { return nil }
        heldBytes -= segment.bytes.count + Self.overhead
        return segment
    }

    /// Keeps what is new of a segment. Returns how far into it the first byte lies that differs from one that was
    /// kept before.
    ///
    /// - Parameter length: its length on the wire; `bytes` may be shorter.
    mutating func insert(_ bytes: RawSpan, length: Int, at start: SequenceNumber, place: Place) -> Int? {
        var difference: Int?
        // From the highest kept segment that could touch it downwards to the lowest; the new pieces go in between.
        var consumed = 0
        var index = segments.count
        while consumed < length, index > 0 {
            let kept = segments[index - 1]
            let keptFrom = kept.start.distance(from: start)
            let keptTo = keptFrom + kept.length
            if keptTo <= consumed {
                index -= 1
                continue
            }
            if keptFrom >= length { break }
            if keptFrom > consumed {
                keep(bytes, from: consumed, to: keptFrom, start: start, place: place, at: index)
                // The piece stands above the kept segment in descending order, so the kept one is still next.
            }
            let overlapFrom = max(consumed, keptFrom)
            let overlapTo = min(length, keptTo)
            if difference == nil {
                difference = firstDifference(bytes, kept, keptFrom: keptFrom, from: overlapFrom, to: overlapTo)
            }
            consumed = overlapTo
            index -= 1
        }
        if consumed < length { keep(bytes, from: consumed, to: length, start: start, place: place, at: index) }
        return difference
    }

    /// Drops what lies at `end` and behind it. Returns how many bytes on the wire that were.
    mutating func drop(from end: SequenceNumber) -> Int {
        var dropped = 0
        while let last = segments.first {
            let room = end.distance(from: last.start)
            guard room < last.length else { break }
            segments.removeFirst()
            heldBytes -= last.bytes.count + Self.overhead
            dropped += last.length - max(0, room)
            guard room > 0 else { continue }
            segments.insert(
                Segment(start: last.start, length: room, bytes: Array(last.bytes.prefix(room)), place: last.place), at: 0)
            heldBytes += min(last.bytes.count, room) + Self.overhead
            break
        }
        return dropped
    }

    private mutating func keep(_ bytes: RawSpan, from: Int, to: Int, start: SequenceNumber, place: Place, at index: Int) {
        var copy: [UInt8] = []
        let end = min(to, bytes.byteCount)
        if from < end {
            copy.reserveCapacity(end - from)
            copy.append(copying: bytes.extracting(from..<end))
        }
        heldBytes += copy.count + Self.overhead
        segments.insert(
            Segment(start: start.advanced(by: from), length: to - from, bytes: copy, place: place), at: index)
    }

    private func firstDifference(_ bytes: RawSpan, _ kept: Segment, keptFrom: Int, from: Int, to: Int) -> Int? {
        var position = from
        let end = min(to, bytes.byteCount, keptFrom + kept.bytes.count)
        while position < end {
            if bytes[position] != kept.bytes[position - keptFrom] { return position }
            position += 1
        }
        return nil
    }
}
