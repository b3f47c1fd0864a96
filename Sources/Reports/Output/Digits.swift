import Dissection

// Numbers as text, up to eight digits at a time.

/// The eight decimal digits of a number below 100,000,000 as the bytes 0 to 9, the first digit lowest.
///
/// All digits are found at once, in halves of halves inside one word; dividing by a constant is multiplying by its
/// reciprocal, exact in the ranges that occur here (4 digits by 100, 2 digits by 10).
@inline(__always)
private func eightDigits(of value: UInt64) -> UInt64 {
    let high = value / 10_000
    let fours = high | (value &- high &* 10_000) << 32
    let upper = (fours &* 10_486) >> 20 & 0x0000_007f_0000_007f
    let pairs = upper | (fours &- upper &* 100) << 16
    let tens = (pairs &* 103) >> 10 & 0x000f_000f_000f_000f
    return tens | (pairs &- tens &* 10) << 8
}

/// What makes eight digits eight characters.
private let eightZeros: UInt64 = 0x3030_3030_3030_3030

extension ByteWriter where Self: ~Copyable & ~Escapable {
    /// Appends a number in decimal digits; of the room for 24 of them some may be written over by what comes next.
    @inline(__always)
    mutating func append(decimal value: UInt64) {
        if value < 10 {
            append(0x30 + UInt8(truncatingIfNeeded: value))
        } else if value < 100_000_000 {
            let digits = eightDigits(of: value)
            // Zeros in front are shifted out.
            let leading = digits.trailingZeroBitCount & ~7
            append(first: 8 - leading / 8, of: ((digits | eightZeros) >> UInt64(leading)).littleEndian)
        } else {
            appendLong(decimal: value)
        }
    }

    mutating func append(decimal value: Int64) {
        if value < 0 { append(0x2d) }
        append(decimal: value.magnitude)
    }

    @inline(never)
    private mutating func appendLong(decimal value: UInt64) {
        let upper = value / 100_000_000
        append(decimal: upper)
        appendEight(value &- upper &* 100_000_000)
    }

    /// Appends a number below 100,000,000 as eight digits.
    @inline(__always)
    mutating func appendEight(_ value: UInt64) {
        append(first: 8, of: (eightDigits(of: value) | eightZeros).littleEndian)
    }

    /// Appends the lowest `width` (1 to 9) decimal digits of a number, with zeros in front.
    @inline(__always)
    mutating func appendDigits(_ value: UInt64, width: Int) {
        if width > 8 { append(0x30 + UInt8(truncatingIfNeeded: value / 100_000_000 % 10)) }
        let digits = eightDigits(of: value % 100_000_000) | eightZeros
        let width = min(8, width)
        append(first: width, of: (digits >> UInt64(64 - width * 8)).littleEndian)
    }

    /// Appends nanoseconds as seconds: at most 9 decimal places, zeros at the end dropped.
    mutating func append(secondsOf nanoseconds: Int64) {
        if nanoseconds < 0 { append(0x2d) }
        let magnitude = nanoseconds.magnitude
        append(decimal: magnitude / 1_000_000_000)
        var fraction = magnitude % 1_000_000_000
        guard fraction > 0 else { return }
        var places = 9
        while fraction % 10 == 0 {
            fraction /= 10
            places -= 1
        }
        append(0x2e)
        appendDigits(fraction, width: places)
    }

    /// Appends the lowest `width` hexadecimal digits of a number, in lower case.
    mutating func append(hex value: UInt64, width: Int) {
        for position in stride(from: width - 1, through: 0, by: -1) {
            append(hexDigit(position < 16 ? value >> UInt64(position * 4) : 0))
        }
    }

    /// Appends a number in hexadecimal, at least two digits.
    mutating func append(hex value: UInt64) {
        let digits = (64 - value.leadingZeroBitCount + 3) / 4
        append(hex: value, width: max(2, (digits + 1) / 2 * 2))
    }
}
