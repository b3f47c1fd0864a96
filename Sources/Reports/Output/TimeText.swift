import Dissection

extension Timestamp {
    /// Whole seconds since 1970, rounded down, and the nanoseconds after them.
    var parts: (seconds: Int64, nanoseconds: Int64) {
        nanoseconds.flooredQuotientAndRemainder(dividingBy: 1_000_000_000)
    }
}

extension ByteWriter where Self: ~Copyable & ~Escapable {
    /// Appends a date and time, such as `2026-11-20T21:48:00`.
    mutating func append(_ time: CivilTime, between separator: UInt8) {
        append(date: time)
        append(separator)
        append(timeOfDay: time)
    }

    /// Appends a date, such as `2026-11-20`.
    mutating func append(date time: CivilTime) {
        appendDigits(UInt64(clamping: time.year), width: 4)
        append(0x2d)
        appendDigits(UInt64(clamping: time.month), width: 2)
        append(0x2d)
        appendDigits(UInt64(clamping: time.day), width: 2)
    }

    /// Appends a time of day, such as `21:48:00`.
    mutating func append(timeOfDay time: CivilTime) {
        appendDigits(UInt64(clamping: time.hour), width: 2)
        append(0x3a)
        appendDigits(UInt64(clamping: time.minute), width: 2)
        append(0x3a)
        appendDigits(UInt64(clamping: time.second), width: 2)
    }
}
