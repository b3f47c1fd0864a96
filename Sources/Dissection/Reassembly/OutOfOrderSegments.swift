/// Segments of one direction that wait for missing bytes before them.
///
/// They never overlap: the bytes that came first stay, a later segment only fills what is free.
/// ```
/// next ─ ─ ─ ─ ┌────────┐─ ─ ─┌────┐        sequence ▶
///    missing   │  kept  │     │kept│
///            ┌─┴────────┴─────┴─┐           a later segment: three pieces of it are new
/// ```
/// They stand in blocks of bounded size, so that one more among tens of thousands moves only the few of its block,
/// whatever the order of arrival: an array of them all would move half of itself each time.
package struct OutOfOrderSegments: Sendable {
    struct Segment: Sendable {
        var start: SequenceNumber
        /// On the wire; more than `bytes.count` where the capture cut the packet.
        var length: Int
        var bytes: [UInt8]
        var place: Place
        /// The last packet by which it was sent, as far as is known: its own, or the one before an earlier one with bytes behind it.
        var sentBy: UInt64

        /// The last packet by which the bytes before it were sent.
        var packetBefore: UInt64 { sentBy == place.packets?.highest ? sentBy &- 1 : sentBy }
    }

    /// What a segment costs besides its bytes: the array's header and this structure.
    private static let overhead = 128
    /// Segments of one block.
    private static let blockSize = 128
    /// Kept segments beside one for each captured byte that one more may lie over.
    private static let mostCutPieces = 64

    /// Descending, and each block descending, so that the next one to be delivered is the last. No block is empty.
    private var blocks: [[Segment]] = []
    /// None or one: a byte that may be a keep-alive probe, which repeats the last byte and puts there what it likes (RFC 9293, section
    /// 3.8.4). It says nothing of bytes that have come or will, and counts where the stream goes on with it.
    private var unsure: [Segment] = []
    /// Bytes held, against `Limits`.
    private(set) var heldBytes = 0
    /// Segments looked at and moved so far, for tests of what a search costs.
    package private(set) var steps = 0

    package init() {}

    /// Every segment takes more than its bytes.
    package var isEmpty: Bool { heldBytes == 0 }

    /// Where the first segment begins.
    package var firstStart: SequenceNumber? { blocks.last?.last?.start }

    /// The packet before which the first segment was sent.
    var firstPacket: UInt64? { blocks.last?.last?.sentBy }

    /// Where the first segment came from.
    var firstPlace: Place? { blocks.last?.last?.place }

    /// Where the last segment ends.
    var lastEnd: SequenceNumber? {
        guard let last = blocks.first?.first else { return nil }
        return last.start.advanced(by: last.length)
    }

    /// Takes out the first segment.
    mutating func popFirst() -> Segment? {
        guard let block = blocks.indices.last, let segment = blocks[block].popLast() else { return nil }
        if blocks[block].isEmpty { blocks.removeLast() }
        heldBytes -= segment.bytes.count + Self.overhead
        return segment
    }

    // MARK: - A byte that may be a probe

    /// Behind the byte that may be a probe, if there is one.
    var unsureEnd: SequenceNumber? { unsure.first.map { $0.start.advanced(by: 1) } }

    /// Keeps a byte that may be a probe, the last one that came. A probe comes again at the same place: bytes side by side are data in pieces.
    mutating func insert(unsure bytes: RawSpan, at start: SequenceNumber, place: Place, sentBy: UInt64?) {
        if let known = unsure.first {
            if known.start == start { return }
            if start.distance(from: known.start).magnitude == 1 {
                takeUnsure()
                _ = insert(bytes, length: 1, at: start, place: place, sentBy: sentBy)
                return
            }
            heldBytes -= known.bytes.count + Self.overhead
            unsure = []
        }
        var copy: [UInt8] = []
        copy.append(copying: bytes)
        heldBytes += copy.count + Self.overhead
        unsure.append(
            Segment(start: start, length: 1, bytes: copy, place: place, sentBy: min(sentBy ?? .max, place.packets?.highest ?? 0)))
    }

    /// Takes the byte for data where the stream has come up to it and has no other, and forgets it where the stream has gone on.
    ///
    /// - Returns: whether it is what comes next.
    mutating func settleUnsure(at next: SequenceNumber) -> Bool {
        guard let byte = unsure.first, case let ahead = byte.start.distance(from: next), ahead <= 0 else { return false }
        if ahead == 0, firstStart != next {
            takeUnsure()
            return true
        }
        heldBytes -= byte.bytes.count + Self.overhead
        unsure = []
        return false
    }

    private mutating func takeUnsure() {
        guard let byte = unsure.popLast() else { return }
        heldBytes -= byte.bytes.count + Self.overhead
        _ = insert(byte.bytes.rawBytes, length: 1, at: byte.start, place: byte.place, sentBy: byte.sentBy)
    }

    // MARK: - Segments

    /// Keeps what is new of a segment. Returns how far into it the first byte lies that differs from one that was
    /// kept before.
    ///
    /// - Parameters:
    ///   - length: its length on the wire; `bytes` may be shorter.
    ///   - sentBy: the last packet by which it was sent, where that is another than its own.
    package mutating func insert(
        _ bytes: RawSpan, length: Int, at start: SequenceNumber, place: Place, sentBy: UInt64? = nil
    ) -> Int? {
        var difference: Int?
        var consumed = 0
        // Bytes that the capture cut off cost nothing to send: they fill few holes, and what they would fill besides stays missing.
        var pieces = bytes.byteCount + Self.mostCutPieces
        // From the lowest kept segment that ends behind the start to the highest; the new pieces go in between.
        while consumed < length {
            guard let (block, index) = lowest(endingBehind: start.advanced(by: consumed)) else { break }
            let kept = blocks[block][index]
            let keptFrom = kept.start.distance(from: start)
            if keptFrom >= length { break }
            let overlapFrom = max(consumed, keptFrom)
            let overlapTo = min(length, keptFrom + kept.length)
            if difference == nil {
                difference = firstDifference(bytes, kept, keptFrom: keptFrom, from: overlapFrom, to: overlapTo)
            }
            if keptFrom > consumed { keep(bytes, from: consumed, to: keptFrom, start: start, place: place, sentBy: sentBy) }
            consumed = overlapTo
            steps += 1
            pieces -= 1
            if pieces <= 0 { return difference }
        }
        if consumed < length { keep(bytes, from: consumed, to: length, start: start, place: place, sentBy: sentBy) }
        return difference
    }

    /// What lay at a number and behind it.
    struct Dropped {
        /// What came since a given packet, the lowest number first.
        var later: [Segment] = []
        /// Bytes on the wire of what came before that packet; they lie behind `earlierStart`.
        var earlierBytes = 0
        var earlierPlace: Place?
        var earlierStart = SequenceNumber(0)
    }

    /// Drops what lies at `end` and behind it. What came before `packet` is counted apart.
    mutating func drop(from end: SequenceNumber, packet: UInt64) -> Dropped {
        var dropped = Dropped()
        while let last = blocks.first?.first {
            let room = end.distance(from: last.start)
            guard room < last.length else { break }
            let bytes = last.length - max(0, room)
            if let packets = last.place.packets, packets.highest < packet {
                var place = last.place
                dropped.earlierBytes += bytes
                if let known = dropped.earlierPlace { place.extend(by: known) }
                dropped.earlierPlace = place
                dropped.earlierStart = last.start.advanced(by: max(0, room))
            } else {
                var later = last
                if room > 0 {
                    later.start = end
                    later.length = bytes
                    later.bytes.removeFirst(min(room, later.bytes.count))
                }
                dropped.later.append(later)
            }
            if room > 0 {
                let cut = max(0, last.bytes.count - room)
                blocks[0][0].bytes.removeLast(cut)
                blocks[0][0].length = room
                heldBytes -= cut
                break
            }
            heldBytes -= last.bytes.count + Self.overhead
            blocks[0].removeFirst()
            steps += blocks[0].count
            if blocks[0].isEmpty {
                blocks.removeFirst()
                steps += blocks.count / Self.blockSize
            }
        }
        dropped.later.reverse()
        return dropped
    }

    // MARK: - Blocks

    /// The place of the lowest segment that ends behind `position`.
    private mutating func lowest(endingBehind position: SequenceNumber) -> (block: Int, index: Int)? {
        // Two binary searches: for the last block, then for the last of its segments, whose end lies behind.
        var (low, high) = (0, blocks.count)
        while low < high {
            steps += 1
            let middle = (low + high) / 2
            if let highest = blocks[middle].first, endsBehind(highest, position) { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let block = low - 1
        (low, high) = (0, blocks[block].count)
        while low < high {
            steps += 1
            let middle = (low + high) / 2
            if endsBehind(blocks[block][middle], position) { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? (block, low - 1) : nil
    }

    private func endsBehind(_ segment: borrowing Segment, _ position: SequenceNumber) -> Bool {
        segment.start.distance(from: position) + segment.length > 0
    }

    private mutating func keep(_ bytes: RawSpan, from: Int, to: Int, start: SequenceNumber, place: Place, sentBy: UInt64?) {
        var copy: [UInt8] = []
        let end = min(to, bytes.byteCount)
        if from < end {
            copy.reserveCapacity(end - from)
            copy.append(copying: bytes.extracting(from..<end))
        }
        heldBytes += copy.count + Self.overhead
        put(
            Segment(
                start: start.advanced(by: from), length: to - from, bytes: copy, place: place,
                sentBy: min(sentBy ?? .max, place.packets?.highest ?? 0)))
    }

    /// Puts a segment that overlaps none in its place: before the next lower one.
    private mutating func put(_ new: Segment) {
        var segment = new
        guard !blocks.isEmpty else {
            blocks.append([segment])
            return
        }
        let above = lowest(endingBehind: segment.start)
        if let above { segment.sentBy = min(segment.sentBy, blocks[above.block][above.index].packetBefore) }
        var (block, index) = above.map { ($0.block, $0.index + 1) } ?? (0, 0)
        if blocks[block].count >= Self.blockSize {
            let half = Self.blockSize / 2
            blocks.insert(Array(blocks[block][half...]), at: block + 1)
            blocks[block].removeLast(blocks[block].count - half)
            steps += half + (blocks.count - block) / Self.blockSize
            if index > half { (block, index) = (block + 1, index - half) }
        }
        blocks[block].insert(segment, at: index)
        steps += blocks[block].count - index
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
