import Dissection

/// A moment, in nanoseconds since 1970-01-01 00:00:00 UTC, leap seconds not counted.
public struct CaptureTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Nanoseconds since 1970-01-01 00:00:00 UTC; from the year 1677 to 2262.
    public let nanosecondsSince1970: Int64

    /// - Parameter nanosecondsSince1970: nanoseconds since 1970-01-01 00:00:00 UTC.
    public init(nanosecondsSince1970: Int64) { self.nanosecondsSince1970 = nanosecondsSince1970 }

    public static func < (left: CaptureTime, right: CaptureTime) -> Bool { left.nanosecondsSince1970 < right.nanosecondsSince1970 }

    /// The time from `earlier` to this one; negative where the clock was set back.
    public func duration(since earlier: CaptureTime) -> Duration {
        .nanoseconds(nanosecondsSince1970) - .nanoseconds(earlier.nanosecondsSince1970)
    }

    /// As RFC 3339 writes it, in UTC with nanoseconds: `2026-11-20T21:48:00.123456789Z`.
    public var description: String {
        let (seconds, nanoseconds) = nanosecondsSince1970.flooredQuotientAndRemainder(dividingBy: 1_000_000_000)
        let fraction = "\(nanoseconds)"
        return CivilTime(seconds: seconds).text(between: "T") + "." + String(repeating: "0", count: 9 - fraction.utf8.count) + fraction
            + "Z"
    }
}
