/// A run of bytes inside the content of an event.
public struct ByteRange: Hashable, Sendable {
    public var start: Int
    public var count: Int

    @inlinable
    public init(start: Int = 0, count: Int = 0) {
        self.start = start
        self.count = count
    }

    @inlinable
    public init(_ range: Range<Int>) {
        start = range.lowerBound
        count = range.count
    }

    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// The first offset after the run.
    @inlinable
    public var end: Int { start + count }
}
