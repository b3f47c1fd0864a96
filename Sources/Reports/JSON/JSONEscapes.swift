import Dissection

// The escapes in strings of JSON (RFC 8259, section 7).

extension RawSpan {
    /// The character that the escape at `position` stands for, or two that are a surrogate pair, and how long it is; nil where none begins.
    package func escapeOfJSON(at position: Int) -> (scalar: Unicode.Scalar, length: Int)? {
        guard position + 1 < byteCount, self[position] == UInt8(ascii: "\\") else { return nil }
        switch self[position + 1] {
        case UInt8(ascii: "\""): return ("\"", 2)
        case UInt8(ascii: "\\"): return ("\\", 2)
        case UInt8(ascii: "/"): return ("/", 2)
        case UInt8(ascii: "b"): return ("\u{8}", 2)
        case UInt8(ascii: "f"): return ("\u{c}", 2)
        case UInt8(ascii: "n"): return ("\n", 2)
        case UInt8(ascii: "r"): return ("\r", 2)
        case UInt8(ascii: "t"): return ("\t", 2)
        case _: break  // It may be a number.
        }
        guard let unit = unitOfJSON(at: position) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
        guard 0xd800..<0xdc00 ~= unit, let low = unitOfJSON(at: position + 6), 0xdc00..<0xe000 ~= low,
            let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xd800) << 10 + (UInt32(low) - 0xdc00))
        else { return nil }
        return (scalar, 12)
    }

    /// The number of `\u` and four digits.
    private func unitOfJSON(at position: Int) -> UInt16? {
        guard byteCount - position >= 6, self[position] == UInt8(ascii: "\\"), self[position + 1] == UInt8(ascii: "u") else { return nil }
        return UInt16(hexadecimal: extracting(position + 2..<position + 6))
    }

    /// What the JSON string of a range stands for; any other value as it is.
    package func contentOfJSON(_ range: Range<Int>) -> [UInt8] {
        guard self[range.lowerBound] == UInt8(ascii: "\"") else { return extracting(range).copy }
        return extracting(range.lowerBound + 1..<range.upperBound - 1).unescapedJSON
    }

    /// What the content of a JSON string stands for, whose escapes are valid. Half of a surrogate pair stands for no character.
    package var unescapedJSON: [UInt8] {
        var text: [UInt8] = []
        var position = 0
        while position < byteCount {
            let start = position
            while position < byteCount, self[position] != UInt8(ascii: "\\") { position += 1 }
            text.append(copying: extracting(start..<position))
            guard position + 1 < byteCount else { break }
            if let (scalar, length) = escapeOfJSON(at: position) {
                text.append(contentsOf: String(Character(scalar)).utf8)
                position += length
            } else if self[position + 1] == UInt8(ascii: "u") {
                text.append(contentsOf: "\u{fffd}".utf8)
                position += unitOfJSON(at: position) == nil ? 2 : 6
            } else {
                text.append(self[position + 1])
                position += 2
            }
        }
        return text
    }
}
