import Dissection
import Reports

/// A moment as a user gives it (`--since`, `--until`): a date and time, a time of day, or seconds from the beginning.
package enum TimeBound: Hashable, Sendable {
    /// RFC 3339 with its distance from UTC: nanoseconds since 1970.
    case moment(Int64)
    /// RFC 3339 without one: nanoseconds since 1970 of the clock that is shown.
    case clock(Int64)
    /// On the day on which the run begins, of the clock that is shown: nanoseconds since midnight.
    case timeOfDay(Int64)
    /// After the first event of the run: nanoseconds.
    case after(Int64)

    /// Nil where the text is no such moment, or one that 64 bits of nanoseconds since 1970 do not reach.
    package init?(_ text: some StringProtocol) {
        var reader = TimeReader(Array(text.utf8))
        guard let bound = reader.bound(), reader.isAtEnd else { return nil }
        self = bound
    }

    /// The moment itself.
    ///
    /// - Parameters:
    ///   - beginning: when the first event of the run came.
    ///   - zone: the clock that is shown.
    package func moment(from beginning: Timestamp, _ zone: TextClock.Zone) -> Timestamp {
        var clock = TextClock(zone)
        switch self {
        case .moment(let nanoseconds): return Timestamp(nanoseconds: nanoseconds)
        case .after(let nanoseconds): return Timestamp(nanoseconds: TimeBound.sum(beginning.nanoseconds, nanoseconds))
        case .clock(let nanoseconds): return Timestamp(nanoseconds: TimeBound.world(nanoseconds, &clock))
        case .timeOfDay(let nanoseconds):
            let second: Int64 = 1_000_000_000
            let (whole, rest) = beginning.nanoseconds.quotientAndRemainder(dividingBy: second)
            let seconds = rest < 0 ? whole - 1 : whole
            // At most 300 years, and so within 64 bits, as are the seconds of a day.
            let local = TimeBound.sum(seconds, clock.secondsAhead(at: seconds))
            let sinceMidnight = (local % 86_400 + 86_400) % 86_400
            let (midnight, overflow) = (local - sinceMidnight).multipliedReportingOverflow(by: second)
            guard !overflow else { return Timestamp(nanoseconds: .min) }
            return Timestamp(nanoseconds: TimeBound.world(TimeBound.sum(midnight, nanoseconds), &clock))
        }
    }

    /// Nanoseconds since 1970 in UTC, of those that a clock on the wall shows.
    private static func world(_ local: Int64, _ clock: inout TextClock) -> Int64 {
        // The distance at the moment itself, which is found from a distance that is right but for the hours around a change of it.
        var moment = local
        for _ in 0..<2 { moment = sum(local, -clock.secondsAhead(at: moment / 1_000_000_000) * 1_000_000_000) }
        return moment
    }

    private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

/// Reads a `TimeBound`.
private struct TimeReader {
    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { position == text.count }

    mutating func bound() -> TimeBound? {
        if take("+") { return span().map { .after($0) } }
        // A date begins with four digits.
        if text.count > 4, text[4] == UInt8(ascii: "-") { return date() }
        return timeOfDay().map { .timeOfDay($0) }
    }

    /// `90`, `90s`, `1.5s`, `500ms`, `2m`, `1h`, `1d`.
    private mutating func span() -> Int64? {
        guard let (whole, fraction) = decimal() else { return nil }
        let unit: Int64 =
            if take("ms") {
                1_000_000
            } else if take("m") {
                60_000_000_000
            } else if take("h") {
                3_600_000_000_000
            } else if take("d") {
                86_400_000_000_000
            } else {
                take("s") || isAtEnd ? 1_000_000_000 : 0
            }
        guard unit > 0 else { return nil }
        let (nanoseconds, overflow) = whole.multipliedReportingOverflow(by: unit)
        // Of the fraction as many digits count as a nanosecond of a second has.
        let (sum, isTooMuch) = nanoseconds.addingReportingOverflow(Int64(Double(fraction) / 1e9 * Double(unit)))
        return overflow || isTooMuch ? nil : sum
    }

    /// `2026-11-20`, with a time after `T` or a space, with `Z` or `+01:00` after that.
    private mutating func date() -> TimeBound? {
        guard let year = digits(4), take("-"), let month = digits(2), (1...12).contains(month), take("-"), let day = digits(2),
            (1...TimeReader.days(of: month, year)).contains(day)
        else { return nil }
        let days = TimeReader.daysSince1970(year, month, day)
        var time: Int64 = 0
        if take("T") || take("t") || take(" ") {
            guard let given = timeOfDay() else { return nil }
            time = given
        }
        let (nanoseconds, overflow) = (days * 86_400).multipliedReportingOverflow(by: 1_000_000_000)
        let (local, isTooMuch) = nanoseconds.addingReportingOverflow(time)
        guard !overflow, !isTooMuch else { return nil }
        if isAtEnd { return .clock(local) }
        if take("Z") || take("z") { return .moment(local) }
        let isAhead = take("+")
        guard isAhead || take("-"), let hours = digits(2), take(":"), let minutes = digits(2), hours < 24, minutes < 60 else { return nil }
        let ahead = (hours * 60 + minutes) * 60_000_000_000
        let (moment, isOutside) = local.addingReportingOverflow(isAhead ? -ahead : ahead)
        return isOutside ? nil : .moment(moment)
    }

    /// `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fraction`.
    private mutating func timeOfDay() -> Int64? {
        guard let hour = digits(2), take(":"), let minute = digits(2), hour < 24, minute < 60 else { return nil }
        var nanoseconds = (hour * 60 + minute) * 60_000_000_000
        if take(":") {
            // A leap second counts as the one after it.
            guard let (second, fraction) = decimal(), second <= 60 else { return nil }
            nanoseconds += second * 1_000_000_000 + fraction
        }
        return nanoseconds
    }

    /// A number, and the nanoseconds after its point.
    private mutating func decimal() -> (whole: Int64, fraction: Int64)? {
        var count = 0
        while position + count < text.count, TimeReader.isDigit(text[position + count]) { count += 1 }
        guard count > 0, count <= 12, let whole = digits(count) else { return nil }
        guard take(".") else { return (whole, 0) }
        var (fraction, places): (Int64, Int) = (0, 0)
        while position < text.count, TimeReader.isDigit(text[position]) {
            if places < 9 { fraction = fraction * 10 + Int64(text[position] - 0x30) }
            places += 1
            position += 1
        }
        guard places > 0 else { return nil }
        for _ in min(places, 9)..<9 { fraction *= 10 }
        return (whole, fraction)
    }

    private mutating func digits(_ count: Int) -> Int64? {
        guard position + count <= text.count, text[position..<position + count].allSatisfy(TimeReader.isDigit) else { return nil }
        defer { position += count }
        return text[position..<position + count].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private mutating func take(_ word: String) -> Bool {
        guard text[position...].starts(with: word.utf8) else { return false }
        position += word.utf8.count
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    private static func days(of month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        case _: 31
        }
    }

    /// Days since 1970-01-01 in the proleptic Gregorian calendar, for the years 0 to 9999.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // Years begin in March, so that leap days come at their end.
        let shifted = month <= 2 ? year + 399 : year + 400
        let (era, yearOfEra) = (shifted / 400, shifted % 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return (era - 1) * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
