/// The bytes of a direction that were delivered and may be sent again, to tell a repeated segment from a differing one.
///
/// What the other side has acknowledged is sent again to no effect: the receiver has handed it on, and drops a later copy
/// unread (RFC 9293, section 3.10.7.4). So it leaves at once.
///
/// ```
/// stream   … acknowledged │ a b c d e f g h │  next
/// ring                    │ g h │ · │ a b c d e f │       position of a byte = its offset from `base`, modulo the capacity
/// ```
///
/// The ring grows with what is under way, so that a direction that says little costs little, and a direction whose bytes
/// are acknowledged one by one uses the same few bytes of it again and again. Without acknowledgements (a capture of one
/// direction) it holds the last `mostBytes`, which is more than the window of most receivers.
package struct DeliveredHistory {
    /// A power of two.
    package static let mostBytes = 64 << 10
    /// Room that is kept where nothing is under way. A power of two.
    package static let keptBytes = 256
    /// A power of two.
    private static let leastBytes = 256
    /// What an allocation takes besides its bytes.
    private static let overhead = 32

    private var ring = RingMemory()
    /// Offset in the stream of a byte that lies at the beginning of the ring.
    private var base: UInt64 = 0
    /// Offset in the stream of the byte after the last one.
    private var end: UInt64 = 0
    /// How many bytes before `end` are known, at most those in the ring.
    private var known = 0
    /// Bytes of memory, against `Limits.totalBytes`.
    package var heldBytes: Int { ring.capacity == 0 ? 0 : ring.capacity + Self.overhead }

    package init() {}

    /// Notes a run that was delivered from `offset` on.
    @inline(__always)
    package mutating func append(_ run: RawSpan, at offset: UInt64) {
        let count = run.byteCount
        // The usual case: nothing is under way before it, or there is room after it without going round.
        let position = Int(truncatingIfNeeded: end &- base)
        if offset == end, count > 0, position >= 0, position <= ring.capacity, count <= ring.capacity - position {
            ring.write(run, at: position)
            known += count
            end = offset &+ UInt64(count)
        } else if count > 0 {
            appendRoundabout(run, at: offset)
        }
    }

    @inline(never)
    private mutating func appendRoundabout(_ run: RawSpan, at offset: UInt64) {
        // What came before a gap is no neighbour.
        if offset != end || known == 0 { (base, end, known) = (offset, offset, 0) }
        let kept = run.suffix(from: max(0, run.byteCount - Self.mostBytes))
        end = offset &+ UInt64(run.byteCount &- kept.byteCount)
        if kept.byteCount < run.byteCount { (base, known) = (end, 0) }
        makeRoom(for: kept.byteCount)
        let start = Int((end &- base) & UInt64(ring.capacity - 1))
        let head = min(kept.byteCount, ring.capacity - start)
        ring.write(kept.extracting(0..<head), at: start)
        if kept.byteCount > head { ring.write(kept.suffix(from: head), at: 0) }
        known = min(known + kept.byteCount, ring.capacity)
        end &+= UInt64(kept.byteCount)
    }

    /// Bytes that were not seen follow: what came before them is no neighbour any more.
    mutating func forget() { forget(before: end) }

    /// The other side has acknowledged what lies before `offset`.
    @inline(__always)
    package mutating func forget(before offset: UInt64) {
        if offset >= end {
            (base, known) = (end, 0)
            if ring.capacity > Self.keptBytes { ring = RingMemory() }
        } else {
            let under = end &- offset
            if under < UInt64(known) { known = Int(under) }
        }
    }

    /// Gives the memory back. What is repeated from before cannot be compared any more.
    mutating func drop() {
        ring = RingMemory()
        known = 0
        base = end
    }

    /// The offset of the first byte of `run`, which begins at `offset`, that differs from what was delivered there.
    /// Bytes that are not known any more do not differ.
    package func firstDifference(from run: RawSpan, at offset: UInt64) -> UInt64? {
        let first = max(offset, end &- UInt64(known))
        let last = min(offset &+ UInt64(run.byteCount), end)
        guard known > 0, first < last else { return nil }
        let mask = UInt64(ring.capacity - 1)
        var position = first
        while position < last {
            if run[Int(position - offset)] != ring[Int((position &- base) & mask)] { return position }
            position += 1
        }
        return nil
    }

    /// Gives the ring room for so many bytes more, up to `mostBytes`: four times as much each time.
    private mutating func makeRoom(for bytes: Int) {
        var capacity = max(Self.leastBytes, ring.capacity)
        while capacity < known + bytes, capacity < Self.mostBytes { capacity *= 4 }
        guard capacity > ring.capacity else { return }
        let first = end &- UInt64(known)
        ring = ring.unrolled(from: ring.capacity == 0 ? 0 : Int((first &- base) & UInt64(ring.capacity - 1)), count: known, into: capacity)
        base = first
    }
}
