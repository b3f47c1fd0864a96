// Sizes, counts and times as people read them.

extension ByteWriter where Self: ~Copyable & ~Escapable {
    /// Appends a number with a comma before each group of three digits.
    mutating func append(grouped value: UInt64) {
        guard value >= 1_000 else { return append(decimal: value) }
        append(grouped: value / 1_000)
        append(0x2c)
        appendDigits(value % 1_000, width: 3)
    }

    /// Appends a size in decimal units: `54 B`, `1.2 kB`, `34 MB`.
    mutating func append(size value: UInt64) {
        guard value >= 1_000 else {
            append(decimal: value)
            return append(" B")
        }
        let units: [StaticString] = [" kB", " MB", " GB", " TB", " PB", " EB"]
        var (unit, divisor) = (0, 1_000 as UInt64)
        // What would be rounded to 1,000 of a unit is one of the next.
        while unit < units.count - 1, value >= divisor * 1_000 - divisor / 2 {
            divisor *= 1_000
            unit += 1
        }
        append(scaled: value, by: divisor)
        append(units[unit])
    }

    /// Appends a time span: `0.34 ms`, `4.1 ms`, `12 s`, `4 min 12 s`, `2 h 5 min`. It is rounded, so that 1.9998 s is `2.0 s`.
    mutating func append(span nanoseconds: Int64) {
        if nanoseconds < 0 { append(0x2d) }
        let value = nanoseconds.magnitude
        let second: UInt64 = 1_000_000_000
        // Each unit up to where its last digit would be rounded to the next unit.
        switch value {
        case ..<995_000:
            append("0.")
            appendDigits((value + 5_000) / 10_000, width: 2)
            append(" ms")
        case ..<(second - 500_000):
            append(scaled: value, by: 1_000_000)
            append(" ms")
        case ..<(10 * second - 50_000_000):
            append(scaled: value, by: second)
            append(" s")
        default:
            append(seconds: value / second + (value % second >= second / 2 ? 1 : 0))
        }
    }

    private mutating func append(seconds value: UInt64) {
        switch value {
        case ..<60:
            append(decimal: value)
            append(" s")
        case ..<3_600:
            append(decimal: value / 60)
            append(" min ")
            append(decimal: value % 60)
            append(" s")
        default:
            let minutes = value / 60 + (value % 60 >= 30 ? 1 : 0)
            append(grouped: minutes / 60)
            append(" h ")
            append(decimal: minutes % 60)
            append(" min")
        }
    }

    /// Appends a quotient, rounded, with one decimal place below 10.
    private mutating func append(scaled value: UInt64, by divisor: UInt64) {
        let tenth = divisor / 10
        let tenths = value / tenth + (value % tenth >= tenth - tenth / 2 ? 1 : 0)
        guard tenths < 100 else { return append(decimal: value / divisor + (value % divisor >= divisor / 2 ? 1 : 0)) }
        append(decimal: tenths / 10)
        append(0x2e)
        append(decimal: tenths % 10)
    }

    /// Appends seconds with three places, rounded down.
    mutating func append(clock nanoseconds: Int64) {
        if nanoseconds < 0 { append(0x2d) }
        append(decimal: nanoseconds.magnitude / 1_000_000_000)
        append(0x2e)
        appendDigits(nanoseconds.magnitude / 1_000_000 % 1_000, width: 3)
    }
}

extension TextLine {
    mutating func append(grouped value: UInt64) { append { $0.append(grouped: value) } }
    mutating func append(size value: UInt64) { append { $0.append(size: value) } }
    mutating func append(span nanoseconds: Int64) { append { $0.append(span: nanoseconds) } }

    /// Appends words and what follows them.
    mutating func append(_ words: StaticString, grouped value: UInt64) {
        append(words)
        append(grouped: value)
    }

    mutating func append(_ words: StaticString, size value: UInt64) {
        append(words)
        append(size: value)
    }

    mutating func append(_ words: StaticString, span nanoseconds: Int64) {
        append(words)
        append(span: nanoseconds)
    }

    mutating func append(_ words: StaticString, safe bytes: RawSpan) {
        append(words)
        append(safe: bytes)
    }

    /// Appends a count with its noun, which takes an s unless there is one of it.
    mutating func append(_ count: UInt64, _ noun: StaticString) {
        append(grouped: count)
        append(0x20)
        append(noun)
        if count != 1 { append(0x73) }
    }

    /// Appends what a buffer puts together, at the right of so many columns.
    mutating func append(rightIn width: Int = 0, _ compose: (inout OutputBuffer) -> Void) {
        var words = scratch.take() ?? OutputBuffer(capacity: 64)
        compose(&words)
        let blanks: StaticString = "                "
        append(printable: blanks.bytes.prefix(width - words.count))
        append(words)
        words.truncate(to: 0)
        scratch = consume words
    }
}
