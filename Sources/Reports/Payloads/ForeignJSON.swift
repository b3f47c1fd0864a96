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
        var tokens = JSONTokens(bytes.rawBytes)
        while let token = tokens.next() {
            let isHeld = token.kind != .scalar || JSONNumber.isDouble(bytes[token.range])
            if !isHeld { append(0x22) }
            append(bytes.rawBytes.extracting(token.range))
            if !isHeld { append(0x22) }
        }
    }
}

private enum JSONNumber {
    /// Whether a number is neither too large for a double nor so small that it would be 0; nor are `true`, `false` and `null`.
    static func isDouble(_ number: ArraySlice<UInt8>) -> Bool {
        guard number.first?.isLetter == false else { return true }
        let mantissa = number.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        // Without an exponent it takes more than 300 digits.
        guard mantissa.count < number.count || number.count > 300 else { return true }
        guard let value = Double(String(decoding: number, as: UTF8.self)), value.isFinite else { return false }
        return value != 0 || !mantissa.contains { (0x31...0x39).contains($0) }
    }
}
