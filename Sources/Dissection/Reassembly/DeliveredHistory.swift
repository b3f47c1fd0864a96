/// The last bytes of a direction that were delivered, to tell a repeated segment from a differing one.
///
/// ```
/// stream   … │ a b c d e f g h │  next
/// ring       │ g h │ a b c d e f │       position of a byte = its offset modulo the capacity
/// ```
///
/// The ring grows with what flows, so that a direction that says little costs little: it holds all of the stream up to
/// `mostBytes`, which is more than the window of most receivers and so of what can be sent again.
package struct DeliveredHistory: Sendable {
    /// A power of two.
    package static let mostBytes = 64 << 10
    /// A power of two.
    private static let leastBytes = 256

    private var ring: [UInt8] = []
    /// Offset in the stream of the byte behind the last one.
    private var end: UInt64 = 0
    /// How many bytes before `end` are known, at most the capacity.
    private var known = 0
    /// Bytes of memory, against `Limits.totalBytes`.
    package private(set) var heldBytes = 0

    package init() {}

    /// Notes a run that was delivered from `offset` on.
    package mutating func append(_ run: RawSpan, at offset: UInt64) {
        let count = run.byteCount
        guard count > 0 else { return }
        if offset != end { known = 0 }
        if known + count > ring.count, ring.count < Self.mostBytes { grow(toHold: known + count) }
        let kept = min(count, ring.count)
        let source = run.suffix(from: count - kept)
        Self.put(source, at: offset &+ UInt64(count - kept), into: &ring)
        end = offset &+ UInt64(count)
        known = min(ring.count, known + count)
    }

    /// Bytes that were not seen follow: what came before them is no neighbour any more.
    mutating func forget() { known = 0 }

    /// Gives the memory back. What is repeated from before cannot be compared any more.
    mutating func drop() {
        ring = []
        heldBytes = 0
        known = 0
    }

    /// The offset of the first byte of `run`, which begins at `offset`, that differs from what was delivered there.
    /// Bytes that are not known any more do not differ.
    package func firstDifference(from run: RawSpan, at offset: UInt64) -> UInt64? {
        let first = max(offset, end &- UInt64(known))
        let last = min(offset &+ UInt64(run.byteCount), end)
        guard known > 0, first < last else { return nil }
        let mask = UInt64(ring.count - 1)
        var position = first
        while position < last {
            if run[Int(position - offset)] != ring[Int(position & mask)] { return position }
            position += 1
        }
        return nil
    }

    /// Makes the ring the smallest that holds so many bytes, up to `mostBytes`. Each doubling copies what is known, so a
    /// byte is copied once more on average.
    private mutating func grow(toHold bytes: Int) {
        var capacity = max(Self.leastBytes, ring.count)
        while capacity < bytes, capacity < Self.mostBytes { capacity *= 2 }
        var larger = [UInt8](repeating: 0, count: capacity)
        if known > 0 {
            let start = end &- UInt64(known)
            let from = Int(start & UInt64(ring.count - 1))
            let head = min(known, ring.count - from)
            let bytes = ring.rawBytes
            Self.put(bytes.extracting(from..<from + head), at: start, into: &larger)
            Self.put(bytes.extracting(0..<known - head), at: start &+ UInt64(head), into: &larger)
        }
        ring = larger
        heldBytes = capacity + 32
    }

    /// Copies a run that is no longer than the ring to where its offset says, around the end of the ring.
    private static func put(_ source: RawSpan, at offset: UInt64, into ring: inout [UInt8]) {
        let count = source.byteCount
        guard count > 0, count <= ring.count else { return }
        let start = Int(offset & UInt64(ring.count - 1))
        let head = min(count, ring.count - start)
        // Two copies inside bounds that were just computed: up to the end of the ring, then from its beginning.
        unsafe ring.withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[start..<start + head]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[0..<head]))
                if count > head {
                    unsafe UnsafeMutableRawBufferPointer(rebasing: target[0..<count - head]).copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: bytes[head..<count]))
                }
            }
        }
    }
}
