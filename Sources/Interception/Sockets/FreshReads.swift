import NIOCore

/// Sizes the reads of a channel as NIO does, each into memory of its own, and looks for the urgent mark before each: NIO asks for a size
/// right before it reads.
///
/// NIO would keep the largest memory that a read ever had with the channel, 256 KiB for every conversation that was busy once, and read as much
/// as it holds whatever size is asked for. What was read is mostly held by the recorder when the next read comes, so that it could not be used
/// again anyway.
struct FreshReads: RecvByteBufferAllocator, @unchecked Sendable {
    private var sizes: AdaptiveRecvByteBufferAllocator
    /// On the channel's event loop alone, where NIO asks. Nil where there are no urgent bytes.
    private let mark: UrgentMark?

    /// - Parameter maximum: bytes of a read at most; it grows to this while there is more to read.
    init(upTo maximum: Int, mark: UrgentMark?) {
        sizes = AdaptiveRecvByteBufferAllocator(minimum: 1_024, initial: 2_048, maximum: maximum)
        self.mark = mark
    }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { sizes.buffer(allocator: allocator) }

    /// None, which says that the memory of the last read is not wanted again, as long as `record` says that the size changes.
    func nextBufferSize() -> Int? {
        mark?.look()
        return nil
    }

    mutating func record(actualReadBytes: Int) -> Bool {
        _ = sizes.record(actualReadBytes: actualReadBytes)
        return true
    }
}
