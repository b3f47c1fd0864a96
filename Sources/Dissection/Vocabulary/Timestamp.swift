/// A moment, in whole nanoseconds since 1970-01-01 00:00:00 UTC, leap seconds not counted.
///
/// Reaches from the year 1677 to 2262; a reader that meets a time outside that reports none.
public struct Timestamp: Hashable, Comparable, Sendable {
    public var nanoseconds: Int64

    @inlinable
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    @inlinable
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The nanoseconds from `earlier` to here, negative when time stepped back, held at the bounds of 64 bits.
    @inlinable
    public func nanoseconds(since earlier: Timestamp) -> Int64 {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        guard overflow else { return difference }
        return nanoseconds < 0 ? .min : .max
    }
}
