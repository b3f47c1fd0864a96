/// The date and time of day of a moment, in UTC and the proleptic Gregorian calendar, in whole seconds.
package struct CivilTime: Hashable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int

    /// The number of a month is 1 to 12; the caller has checked the others as well.
    package init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// - Parameter seconds: Whole seconds since 1970-01-01 00:00:00 UTC, for a year of at most a few million.
    package init(seconds: Int64) {
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

    /// Whole seconds since 1970-01-01 00:00:00 UTC, of a year of at most four digits.
    package var seconds: Int64 {
        let monthFromMarch = Int64(month + 9) % 12
        let (era, yearOfEra) = Int64(month <= 2 ? year - 1 : year).flooredQuotientAndRemainder(dividingBy: 400)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
        return (era * 146_097 + dayOfEra - 719_468) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    }
}

extension CivilTime {
    /// `2026-09-01T12:00:00`, with this separator in the place of the T.
    package func text(between separator: String) -> String {
        func digits(_ value: Int, _ count: Int) -> String {
            let text = "\(value)"
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let date = "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
        return "\(date)\(separator)\(digits(hour, 2)):\(digits(minute, 2)):\(digits(second, 2))"
    }
}

extension Int64 {
    @inline(__always)
    package func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
