/// The last bytes of a direction that were delivered, to tell a repeated segment from a differing one.
///
/// ```
/// stream   … │ a b c d e f g h │  next
/// ring       │ g h │ a b c d e f │       position of a byte = its offset from the first one, modulo the capacity
/// ```
///
/// The ring grows with what flows, so that a direction that says little costs little: it holds all of the stream up to
/// `mostBytes`, which is more than the window of most receivers and so of what can be sent again. Only when it holds so much
/// does it go round; until then bytes are added at its end, and its memory is not touched before they come.
package struct DeliveredHistory {
    /// A power of two.
    package static let mostBytes = 64 << 10
    /// A power of two.
    private static let leastBytes = 256

    private var ring = RingMemory()
    /// Bytes of the ring that were filled, from its beginning. Here, as the capacity is: what the ring itself says of them would have to be
    /// waited for, because its memory has left the cache since the last segment of this direction.
    private var filled = 0
    /// Offset in the stream of the byte at the beginning of the ring, before it went round.
    private var base: UInt64 = 0
    /// Offset in the stream of the byte behind the last one.
    private var end: UInt64 = 0
    /// How many bytes before `end` are known, at most those in the ring.
    private var known = 0
    /// Bytes of memory, against `Limits.totalBytes`.
    package private(set) var heldBytes = 0

    package init() {}

    /// Notes a run that was delivered from `offset` on.
    @inline(__always)
    package mutating func append(_ run: RawSpan, at offset: UInt64) {
        let count = run.byteCount
        guard count > 0 else { return }
        // The usual case: there is room behind the last byte.
        if offset == end, known > 0, filled + count <= ring.capacity {
            ring.write(run, at: filled)
            filled += count
            known += count
            end = offset &+ UInt64(count)
        } else {
            appendRoundabout(run, at: offset)
        }
    }

    /// What an allocation takes besides its bytes.
    private static let overhead = 32

    @inline(never)
    private mutating func appendRoundabout(_ run: RawSpan, at offset: UInt64) {
        if offset != end || known == 0 {
            // What came before is no neighbour.
            filled = 0
            (base, end, known) = (offset, offset, 0)
        }
        let filling = min(run.byteCount, Self.mostBytes - filled)
        if filling > 0 {
            makeRoom(for: filled + filling)
            ring.write(run.extracting(0..<filling), at: filled)
            filled += filling
            end = offset &+ UInt64(filling)
        }
        let rest = run.suffix(from: filling)
        let kept = min(rest.byteCount, Self.mostBytes)
        end = offset &+ UInt64(run.byteCount)
        known = min(filled, known + run.byteCount)
        guard kept > 0 else { return }
        put(rest.suffix(from: rest.byteCount - kept), at: end &- UInt64(kept))
    }

    /// Bytes that were not seen follow: what came before them is no neighbour any more.
    mutating func forget() { known = 0 }

    /// Gives the memory back. What is repeated from before cannot be compared any more.
    mutating func drop() {
        ring = RingMemory()
        heldBytes = 0
        filled = 0
        known = 0
    }

    /// The offset of the first byte of `run`, which begins at `offset`, that differs from what was delivered there.
    /// Bytes that are not known any more do not differ.
    package func firstDifference(from run: RawSpan, at offset: UInt64) -> UInt64? {
        let first = max(offset, end &- UInt64(known))
        let last = min(offset &+ UInt64(run.byteCount), end)
        guard known > 0, first < last else { return nil }
        let mask = UInt64(Self.mostBytes - 1)
        var position = first
        while position < last {
            if run[Int(position - offset)] != ring[Int((position &- base) & mask)] { return position }
            position += 1
        }
        return nil
    }

    /// Gives the ring room for so many bytes, up to `mostBytes`: twice as much as long as that is little, then four times. Each time copies
    /// what is known, so a byte is copied once more at most, on average.
    private mutating func makeRoom(for bytes: Int) {
        var capacity = max(Self.leastBytes, heldBytes - Self.overhead)
        while capacity < bytes { capacity *= capacity < 4_096 ? 2 : 4 }
        guard capacity + Self.overhead > heldBytes else { return }
        ring.grow(to: capacity, keeping: filled)
        heldBytes = capacity + Self.overhead
    }

    /// Copies a run that is no longer than the full ring to where its offset says, around the end of the ring.
    private mutating func put(_ source: RawSpan, at offset: UInt64) {
        let count = source.byteCount
        guard count > 0, count <= filled, filled == Self.mostBytes else { return }
        let start = Int((offset &- base) & UInt64(Self.mostBytes - 1))
        let head = min(count, Self.mostBytes - start)
        ring.write(source.extracting(0..<head), at: start)
        if count > head { ring.write(source.suffix(from: head), at: 0) }
    }
}
