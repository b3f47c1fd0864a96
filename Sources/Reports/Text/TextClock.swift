import Dissection
import Libc

/// The clock that the text for people shows: local time, or UTC.
///
/// The distance from UTC changes with the seasons, and so goes by the moment that is shown, not by now. It is asked for once in a quarter
/// of an hour of what is shown: no zone changes in between.
public struct TextClock: Sendable {
    public enum Zone: Sendable {
        case utc
        /// What TZ or the system says.
        case local
    }

    private let zone: Zone
    /// The quarter of an hour, counted from 1970, that `offset` is about.
    private var quarter = Int64.min
    /// Seconds that local time is ahead of UTC.
    private var offset: Int64 = 0
    /// The zone has no name but UTC.
    private var isUTC = true

    public init(_ zone: Zone) { self.zone = zone }

    /// Date and time of day of a moment, given in whole seconds since 1970-01-01 00:00:00 UTC.
    mutating func calendar(at seconds: Int64) -> CivilTime {
        look(at: seconds)
        let (shown, overflow) = seconds.addingReportingOverflow(offset)
        return CivilTime(seconds: overflow ? seconds : shown)
    }

    /// Appends how far local time is ahead at a moment: `+02:00`, or `UTC`.
    mutating func appendZone(at seconds: Int64, to buffer: inout OutputBuffer) {
        look(at: seconds)
        if isUTC { return buffer.append("UTC") }
        TextClock.append(offset: offset, to: &buffer)
    }

    /// Seconds that the clock is ahead of UTC at a moment.
    package mutating func secondsAhead(at seconds: Int64) -> Int64 {
        look(at: seconds)
        return offset
    }

    /// Appends a distance from UTC in seconds.
    static func append(offset: Int64, to buffer: inout OutputBuffer) {
        buffer.append(offset < 0 ? 0x2d : 0x2b)
        let minutes = offset.magnitude / 60
        buffer.appendDigits(minutes / 60, width: 2)
        buffer.append(0x3a)
        buffer.appendDigits(minutes % 60, width: 2)
        // Before standard time was agreed on, each town had its own.
        guard offset.magnitude % 60 > 0 else { return }
        buffer.append(0x3a)
        buffer.appendDigits(offset.magnitude % 60, width: 2)
    }

    private mutating func look(at seconds: Int64) {
        guard zone == .local, seconds.flooredQuotientAndRemainder(dividingBy: 900).0 != quarter else { return }
        quarter = seconds.flooredQuotientAndRemainder(dividingBy: 900).0
        var moment = time_t(seconds)
        // It holds a pointer to the name of the zone, which the C library keeps.
        var local = unsafe tm()
        // A moment that no calendar has is shown in UTC.
        guard unsafe localtime_r(&moment, &local) != nil else {
            (offset, isUTC) = (0, true)
            return
        }
        offset = Int64(unsafe local.tm_gmtoff)
        // London in winter is as far from UTC, and is not it.
        isUTC = offset == 0 && (unsafe local.tm_zone.map { unsafe strcmp($0, "UTC") == 0 } ?? true)
    }
}
