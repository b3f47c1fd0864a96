import Dissection

/// The date and time of day of a moment, in UTC and the proleptic Gregorian calendar.
struct Calendar: Hashable {
    var year: Int
    var month: Int
    var day: Int
    var hour: Int
    var minute: Int
    var second: Int

    /// - Parameter seconds: Whole seconds since 1970-01-01 00:00:00 UTC.
    init(seconds: Int64) {
        let (days, timeOfDay) = seconds.flooredQuotientAndRemainder(dividingBy: 86_400)
        // Days are counted from 1 March of the year 0, in eras of 400 years: leap days then come at the end of a year.
        let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
        hour = Int(timeOfDay / 3_600)
        minute = Int(timeOfDay / 60 % 60)
        second = Int(timeOfDay % 60)
    }
}

extension Timestamp {
    /// Whole seconds since 1970, rounded down, and the nanoseconds after them.
    var parts: (seconds: Int64, nanoseconds: Int64) {
        nanoseconds.flooredQuotientAndRemainder(dividingBy: 1_000_000_000)
    }
}

extension Int64 {
    func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension ByteWriter where Self: ~Copyable & ~Escapable {
    /// Appends a date and time, such as `2026-11-20T21:48:00`.
    mutating func append(_ calendar: Calendar, between separator: UInt8) {
        append(date: calendar)
        append(separator)
        append(timeOfDay: calendar)
    }

    /// Appends a date, such as `2026-11-20`.
    mutating func append(date calendar: Calendar) {
        appendDigits(UInt64(clamping: calendar.year), width: 4)
        append(0x2d)
        appendDigits(UInt64(clamping: calendar.month), width: 2)
        append(0x2d)
        appendDigits(UInt64(clamping: calendar.day), width: 2)
    }

    /// Appends a time of day, such as `21:48:00`.
    mutating func append(timeOfDay calendar: Calendar) {
        appendDigits(UInt64(clamping: calendar.hour), width: 2)
        append(0x3a)
        appendDigits(UInt64(clamping: calendar.minute), width: 2)
        append(0x3a)
        appendDigits(UInt64(clamping: calendar.second), width: 2)
    }
}
