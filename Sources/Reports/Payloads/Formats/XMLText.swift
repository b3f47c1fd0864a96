import Dissection

/// What text of XML stands for.
enum XMLText {
    /// Whether a reference may stand for this character (XML 1.0, section 2.2).
    private static func isAllowed(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x09, 0x0a, 0x0d, 0x20...0xd7ff, 0xe000...0xfffd, 0x1_0000...0x10_ffff: true
        case _: false
        }
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
    private static func number(_ name: RawSpan) -> UInt32? {
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
                if let end = position(after: "]]>", in: bytes, from: index + 9) {
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

    /// Where what follows these words begins, the next of them from `start` on; nil where there are none.
    static func position(after words: StaticString, in bytes: RawSpan, from start: Int) -> Int? {
        var position = start
        while let next = bytes.position(of: words.bytes[0], from: position) {
            if bytes.suffix(from: next).begins(words) { return next + words.utf8CodeUnitCount }
            position = next + 1
        }
        return nil
    }
}
