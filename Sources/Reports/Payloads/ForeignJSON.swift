import Dissection

extension OutputBuffer {
    /// Appends JSON that a peer wrote: without what stands between its values, so that no line break of a peer's ends a record, and as a
    /// string where it is not valid. A number that no double holds is a string as well, because many readers of JSON refuse all of a record that
    /// has one (RFC 8259, section 6).
    mutating func append(foreignJSON bytes: [UInt8]) {
        var cursor = JSONCursor(bytes.rawBytes)
        guard cursor.value() != nil, cursor.isAtEnd(), String(validating: bytes, as: UTF8.self) != nil else {
            var latin1 = false
            return appendString(bytes.rawBytes, latin1: &latin1)
        }
        var index = 0
        while index < bytes.count {
            let start = index
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index = JSONToken.endOfString(bytes, from: index)
                append(bytes.rawBytes.extracting(start..<index))
            case UInt8(ascii: "-"), 0x30...0x39:
                index = JSONToken.endOfNumber(bytes, from: index)
                let isHeld = JSONToken.isDouble(bytes[start..<index])
                if !isHeld { append(0x22) }
                append(bytes.rawBytes.extracting(start..<index))
                if !isHeld { append(0x22) }
            case 0...0x20: index += 1
            case let byte:
                append(byte)
                index += 1
            }
        }
    }
}

/// Tokens of JSON that is known to be valid.
private enum JSONToken {
    /// After the string that begins at an index.
    static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        return min(index + 1, bytes.count)
    }

    /// After the number that begins at an index.
    static func endOfNumber(_ bytes: [UInt8], from start: Int) -> Int {
        var index = start + 1
        while index < bytes.count {
            switch bytes[index] {
            case 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "e"), UInt8(ascii: "E"): index += 1
            case _: return index
            }
        }
        return index
    }

    /// Whether a number is neither too large for a double nor so small that it would be 0.
    static func isDouble(_ number: ArraySlice<UInt8>) -> Bool {
        let mantissa = number.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        // Without an exponent it takes more than 300 digits.
        guard mantissa.count < number.count || number.count > 300 else { return true }
        guard let value = Double(String(decoding: number, as: UTF8.self)), value.isFinite else { return false }
        return value != 0 || !mantissa.contains { (0x31...0x39).contains($0) }
    }
}
