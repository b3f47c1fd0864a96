// Numbers as text, two digits at a time.

/// The numbers 00 to 99, two digits each.
private let digitPairs: StaticString = """
    00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
    """

private let hexDigits: StaticString = "0123456789abcdef"

extension OutputBuffer {
    /// Appends a number in decimal digits.
    @inline(__always)
    mutating func append(decimal value: UInt64) {
        if value < 10 {
            append(0x30 + UInt8(truncatingIfNeeded: value))
        } else {
            appendSeveral(decimal: value)
        }
    }

    mutating func append(decimal value: Int64) {
        if value < 0 { append(0x2d) }
        append(decimal: value.magnitude)
    }

    @inline(never)
    private mutating func appendSeveral(decimal value: UInt64) {
        // Written backwards some way ahead, then brought forward: the number of digits need not be counted first.
        let longest = 20
        reserve(longest + 24)
        let end = next + longest
        var first = end
        var rest = value
        while rest >= 100 {
            let quotient = rest / 100
            first -= 2
            first.copyMemory(from: digitPairs.utf8Start + Int(truncatingIfNeeded: rest &- quotient &* 100) * 2, byteCount: 2)
            rest = quotient
        }
        if rest >= 10 {
            first -= 2
            first.copyMemory(from: digitPairs.utf8Start + Int(truncatingIfNeeded: rest) * 2, byteCount: 2)
        } else {
            first -= 1
            first.storeBytes(of: 0x30 + UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        }
        let (head, tail) = (first.loadUnaligned(as: SIMD16<UInt8>.self), first.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
        next.storeBytes(of: head, as: SIMD16<UInt8>.self)
        next.storeBytes(of: tail, toByteOffset: 16, as: UInt32.self)
        advance(by: end - first)
    }

    /// Appends the lowest `width` (1 to 20) decimal digits of a number, with zeros in front.
    @inline(__always)
    mutating func appendDigits(_ value: UInt64, width: Int) {
        reserve(width)
        var rest = value
        var position = width
        while position >= 2 {
            position -= 2
            let pair = Int(rest % 100) * 2
            rest /= 100
            (next + position).copyMemory(from: digitPairs.utf8Start + pair, byteCount: 2)
        }
        if position == 1 { next.storeBytes(of: 0x30 + UInt8(truncatingIfNeeded: rest % 10), as: UInt8.self) }
        advance(by: width)
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
            append(hexDigits.utf8Start[Int(truncatingIfNeeded: position < 16 ? value >> UInt64(position * 4) : 0) & 15])
        }
    }

    /// Appends a number in hexadecimal, at least two digits.
    mutating func append(hex value: UInt64) {
        let digits = (64 - value.leadingZeroBitCount + 3) / 4
        append(hex: value, width: max(2, (digits + 1) / 2 * 2))
    }
}
