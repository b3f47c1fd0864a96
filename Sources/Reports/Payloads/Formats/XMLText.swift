import Dissection

/// What text of XML stands for.
enum XMLText {
    /// Whether a document may have this character, as it is or by a reference (XML 1.0, section 2.2).
    static func isAllowed(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x09, 0x0a, 0x0d, 0x20...0xd7ff, 0xe000...0xfffd, 0x1_0000...0x10_ffff: true
        case _: false
        }
    }

    /// Where the first byte stands that is not of an allowed character in UTF-8; nil where there is none. What is not UTF-8 may be in another
    /// encoding, and only control characters are looked for then.
    static func firstForbidden(in bytes: RawSpan) -> Int? {
        let isUTF8 = bytes.isUTF8
        for index in 0..<bytes.byteCount {
            let byte = bytes[index]
            if byte < 0x20, byte != 0x09, byte != 0x0a, byte != 0x0d { return index }
            // U+FFFE and U+FFFF.
            guard isUTF8, byte == 0xef, index + 2 < bytes.byteCount, bytes[index + 1] == 0xbf, bytes[index + 2] >= 0xbe else { continue }
            return index
        }
        return nil
    }

    /// The longest reference that is undone: `&#x0010FFFF;`.
    private static let mostReference = 12

    /// The character that a reference stands for, and how long it is; nil where it begins none of the five entities and no number.
    private static func reference(_ bytes: RawSpan, at start: Int) -> (scalar: Unicode.Scalar, count: Int)? {
        let most = min(bytes.byteCount, start + mostReference)
        guard let end = (start..<most).first(where: { bytes[$0] == UInt8(ascii: ";") }) else { return nil }
        let name = bytes.extracting(start + 1..<end)
        let count = end + 1 - start
        let entities: [(StaticString, Unicode.Scalar)] = [("lt", "<"), ("gt", ">"), ("amp", "&"), ("quot", "\""), ("apos", "'")]
        for (word, scalar) in entities where name.isEqual(word.bytes) { return (scalar, count) }
        guard let value = number(name), isAllowed(value), let scalar = Unicode.Scalar(value) else { return nil }
        return (scalar, count)
    }

    /// The number of `#65` or `#x41`, no more than a character may have; nil for anything else.
    static func number(_ name: RawSpan) -> UInt32? {
        guard name.byteCount > 1, name[0] == UInt8(ascii: "#") else { return nil }
        let isHexadecimal = name[1] == UInt8(ascii: "x")
        let first = isHexadecimal ? 2 : 1
        guard first < name.byteCount else { return nil }
        var value: UInt32 = 0
        for index in first..<name.byteCount {
            guard let digit = name[index].hexValue, isHexadecimal || digit < 10 else { return nil }
            value = value * (isHexadecimal ? 16 : 10) + UInt32(digit)
            if value > 0x10_ffff { return .max }
        }
        return value
    }

    /// Text with its entities and references undone, and what stands in CDATA sections as it is. Other entities stay, and so do tags.
    static func undone(_ bytes: RawSpan) -> [UInt8] {
        var text: [UInt8] = []
        var index = 0
        // One section without an end is enough: none after it has one.
        var mayEnd = true
        while index < bytes.byteCount {
            if bytes[index] == UInt8(ascii: "&"), let found = reference(bytes, at: index) {
                text.append(contentsOf: Array(String(found.scalar).utf8))
                index += found.count
                continue
            }
            if mayEnd, bytes[index] == UInt8(ascii: "<"), bytes.suffix(from: index).begins("<![CDATA[") {
                if let end = endOfCDATA(bytes, from: index) {
                    text.append(copying: bytes.extracting(index + 9..<end - 3))
                    index = end
                    continue
                }
                mayEnd = false
            }
            text.append(bytes[index])
            index += 1
        }
        return text
    }

    /// Where what follows a CDATA section begins, whose `<` stands at `start`; nil where it does not end.
    static func endOfCDATA(_ bytes: RawSpan, from start: Int) -> Int? {
        var position = start + 9
        while let close = bytes.position(of: UInt8(ascii: ">"), from: position) {
            if close >= start + 11, bytes[close - 1] == UInt8(ascii: "]"), bytes[close - 2] == UInt8(ascii: "]") { return close + 1 }
            position = close + 1
        }
        return nil
    }
}
