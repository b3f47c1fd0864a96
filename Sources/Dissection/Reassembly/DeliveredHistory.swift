/// The last bytes of a direction that were delivered, to tell a repeated segment from a differing one.
///
/// ```
/// stream   … │ a b c d e f g h │  next
/// ring       │ g h │ a b c d e f │       position of a byte = its offset modulo the capacity
/// ```
struct DeliveredHistory: Sendable {
    /// A power of two. Whoever forges a segment differs in its last bytes as well as in its first.
    static let capacity = 512

    private var ring: [UInt8] = []
    /// Offset in the stream of the byte behind the last one.
    private var end: UInt64 = 0
    /// How many bytes before `end` are known, at most `capacity`.
    private var known = 0
    /// Bytes of memory that it takes.
    private(set) var heldBytes = 0

    /// Notes a run that was delivered from `offset` on.
    mutating func append(_ run: RawSpan, at offset: UInt64) {
        let count = run.byteCount
        guard count > 0 else { return }
        if ring.isEmpty {
            ring = [UInt8](repeating: 0, count: Self.capacity)
            heldBytes = Self.capacity + 32
        }
        if offset != end { known = 0 }
        let kept = min(count, Self.capacity)
        let start = Int((offset &+ UInt64(count - kept)) & UInt64(Self.capacity - 1))
        let head = min(kept, Self.capacity - start)
        let source = run.suffix(from: count - kept)
        // Two copies inside bounds that were just computed: up to the end of the ring, then from its beginning.
        unsafe ring.withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[start..<start + head]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[0..<head]))
                if kept > head {
                    unsafe UnsafeMutableRawBufferPointer(rebasing: target[0..<kept - head]).copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: bytes[head..<kept]))
                }
            }
        }
        end = offset &+ UInt64(count)
        known = min(Self.capacity, known + count)
    }

    /// Bytes that were not seen follow: what came before them is no neighbour any more.
    mutating func forget() { known = 0 }

    /// The offset of the first byte of `run`, which begins at `offset`, that differs from what was delivered there.
    /// Bytes that are not known any more do not differ.
    func firstDifference(from run: RawSpan, at offset: UInt64) -> UInt64? {
        let first = max(offset, end &- UInt64(known))
        let last = min(offset &+ UInt64(run.byteCount), end)
        guard known > 0, first < last else { return nil }
        var position = first
        while position < last {
            if run[Int(position - offset)] != ring[Int(position & UInt64(Self.capacity - 1))] { return position }
            position += 1
        }
        return nil
    }
}
