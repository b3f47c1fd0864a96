import Dissection
import Reports

/// Text of which characters are written as JSON writes them (`\u00fc`, `\"`, RFC 8259, section 7), as the characters themselves.
enum JSONEscapes {
    private static let backslash = UInt8(ascii: "\\")

    /// The bytes with each escape as its character; nil where there is none. Halves of characters, and a backslash before anything else, stay as
    /// they are.
    static func undone(_ bytes: RawSpan) -> [UInt8]? {
        guard let first = FilterRun.escape.first(in: bytes) else { return nil }
        var text = bytes.extracting(0..<first).copy
        text.reserveCapacity(bytes.byteCount)
        var position = first
        var isChanged = false
        while position < bytes.byteCount {
            if let (scalar, length) = character(in: bytes, at: position) {
                text.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
                position += length
                isChanged = true
            } else {
                text.append(bytes[position])
                position += 1
            }
        }
        return isChanged ? text : nil
    }

    /// The character that an escape, or a pair of them, stands for, and how long it is.
    private static func character(in bytes: RawSpan, at position: Int) -> (Unicode.Scalar, length: Int)? {
        guard bytes[position] == backslash, position + 1 < bytes.byteCount else { return nil }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""): return ("\"", 2)
        case backslash: return ("\\", 2)
        case UInt8(ascii: "/"): return ("/", 2)
        case UInt8(ascii: "b"): return ("\u{8}", 2)
        case UInt8(ascii: "f"): return ("\u{c}", 2)
        case UInt8(ascii: "n"): return ("\n", 2)
        case UInt8(ascii: "r"): return ("\r", 2)
        case UInt8(ascii: "t"): return ("\t", 2)
        case _: break  // It may be a number.
        }
        guard let unit = unit(in: bytes, at: position) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
        guard 0xd800..<0xdc00 ~= unit, let low = self.unit(in: bytes, at: position + 6), 0xdc00..<0xe000 ~= low,
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
        else { return nil }
        return (scalar, 12)
    }

    private static func unit(in bytes: RawSpan, at position: Int) -> UInt32? {
        guard position + 6 <= bytes.byteCount, bytes[position] == backslash, bytes[position + 1] == UInt8(ascii: "u") else { return nil }
        return UInt16(hexadecimal: bytes.extracting(position + 2..<position + 6)).map(UInt32.init)
    }
}
