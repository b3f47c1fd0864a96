/// Base64 with padding, the alphabet with `+` and `/` (RFC 4648, section 4).
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for index in stride(from: 0, to: bytes.count, by: 3) {
            let group = digits(bytes.rawBytes, at: index)
            for shift: UInt32 in [24, 16, 8, 0] { text.append(UInt8(truncatingIfNeeded: group >> shift)) }
        }
        return text
    }

    /// Whether `text` is what `bytes` are encoded as.
    package static func isEncoding(_ text: RawSpan, of bytes: RawSpan) -> Bool {
        guard text.byteCount == (bytes.byteCount + 2) / 3 * 4 else { return false }
        var position = 0
        for index in stride(from: 0, to: bytes.byteCount, by: 3) {
            guard text.bigEndianUInt32(at: position) == digits(bytes, at: index) else { return false }
            position += 4
        }
        return true
    }

    /// The four digits of the up to three bytes at `index`, the first in the highest byte.
    private static func digits(_ bytes: RawSpan, at index: Int) -> UInt32 {
        let left = bytes.byteCount - index
        var group = UInt32(bytes[index]) << 16
        if left > 1 { group |= UInt32(bytes[index + 1]) << 8 }
        if left > 2 { group |= UInt32(bytes[index + 2]) }
        let third = left > 1 ? digit(group >> 6) : UInt8(ascii: "=")
        let fourth = left > 2 ? digit(group) : UInt8(ascii: "=")
        return UInt32(digit(group >> 18)) << 24 | UInt32(digit(group >> 12)) << 16 | UInt32(third) << 8 | UInt32(fourth)
    }

    /// How many bytes `text` stands for; nil where it is no base64: wrong length, wrong byte, wrong padding, or bits
    /// set that belong to no byte (section 3.5).
    package static func decodedCount(_ text: RawSpan) -> Int? {
        let count = text.byteCount
        guard count % 4 == 0 else { return nil }
        guard count > 0 else { return 0 }
        var padding = 0
        if text[count - 1] == UInt8(ascii: "=") { padding = text[count - 2] == UInt8(ascii: "=") ? 2 : 1 }
        var last: UInt8 = 0
        for index in 0..<count - padding {
            guard let value = value(text[index]) else { return nil }
            last = value
        }
        if padding == 1, last & 0x03 != 0 { return nil }
        if padding == 2, last & 0x0F != 0 { return nil }
        return count / 4 * 3 - padding
    }

    /// The digit that the lowest six bits stand for. Each range of digits is a distance from its values.
    @inline(__always)
    private static func digit(_ bits: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: bits & 0x3F)
        if value < 26 { return value &+ UInt8(ascii: "A") }
        if value < 52 { return value &+ (UInt8(ascii: "a") - 26) }
        if value < 62 { return value &- (52 - UInt8(ascii: "0")) }
        return value == 62 ? UInt8(ascii: "+") : UInt8(ascii: "/")
    }

    private static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
