// Hexadecimal digits (RFC 4648, section 8): read in either case, written in lower case. One digit is read by `UInt8.hexValue`.

/// The digit of the lowest four bits.
@inlinable @inline(__always)
package func hexDigit(_ value: UInt64) -> UInt8 {
    let digit = UInt8(truncatingIfNeeded: value & 15)
    return digit < 10 ? 0x30 + digit : 0x57 + digit
}

extension FixedWidthInteger {
    /// A number from hexadecimal digits alone; nil for none, for other bytes and for one that is too large.
    package init?(hexadecimal digits: RawSpan) {
        guard !digits.isEmpty, digits.byteCount * 4 <= Self.bitWidth else { return nil }
        var value: Self = 0
        for index in 0..<digits.byteCount {
            guard let digit = digits[index].hexValue else { return nil }
            value = value << 4 | Self(digit)
        }
        self = value
    }
}

extension Array where Element == UInt8 {
    /// The bytes that pairs of hexadecimal digits stand for; nil for anything else.
    package init?(hexadecimal digits: RawSpan) {
        guard digits.byteCount % 2 == 0 else { return nil }
        self = []
        for index in stride(from: 0, to: digits.byteCount, by: 2) {
            guard let byte = UInt8(hexadecimal: digits.extracting(index..<index + 2)) else { return nil }
            append(byte)
        }
    }
}

extension RawSpan {
    /// Two digits for each byte.
    package var hexadecimal: [UInt8] {
        var digits: [UInt8] = []
        for index in 0..<byteCount { digits += [hexDigit(UInt64(self[index] >> 4)), hexDigit(UInt64(self[index]))] }
        return digits
    }

    /// The bytes without percent escapes (RFC 3986, section 2.1); a percent sign that no two digits follow stays.
    ///
    /// - Parameter plusIsSpace: `+` is a space, as in forms.
    package func percentDecoded(plusIsSpace: Bool = false) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(byteCount)
        var index = 0
        while index < byteCount {
            if self[index] == UInt8(ascii: "%"), byteCount - index >= 3,
                let value = UInt8(hexadecimal: extracting(index + 1..<index + 3))
            {
                text.append(value)
                index += 3
            } else {
                text.append(plusIsSpace && self[index] == UInt8(ascii: "+") ? 0x20 : self[index])
                index += 1
            }
        }
        return text
    }
}
