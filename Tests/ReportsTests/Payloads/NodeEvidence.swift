import Dissection

@testable import Reports

extension DecodedNode {
    /// Whether its range lies inside of a payload of so many bytes, and of what it belongs to.
    func isInside(_ count: Int) -> Bool {
        guard let range else { return true }
        guard range.start >= 0, range.count >= 0, range.end <= count else { return false }
        return outer.map { $0.start <= range.start && range.end <= $0.end } ?? true
    }

    /// The key that it has, without those before it and without places in lists.
    var key: String {
        let last = path.split(separator: ".", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        return String(last.prefix { $0 != "[" })
    }
}

/// Whether bytes of a payload say a value: as they are, without the escapes of a format, or as a number in one of the ways to write it.
struct NodeEvidence {
    let bytes: [UInt8]

    /// Bytes beside those of a value: marks, lengths, quotes and blanks around it.
    private static let mostBeside = 12

    /// Whether they say this, and hardly more.
    ///
    /// - Parameter key: that may stand before it, in a field line.
    func says(_ value: DecodedPayload.Value, key: String) -> Bool {
        switch value {
        case .text(let text): isHardlyMore(text, key) || isInPieces(text)
        case .json(let text): isJSON(text)
        case .word(let word): isHardlyMore(Array(word.utf8), "")
        case .number(let number): isNumber(number)
        case .binary(let count): bytes.count >= count && bytes.count - Int(count) <= Self.mostBeside
        case .signed(let number): number >= 0 ? isNumber(UInt64(number)) : isNegative(number)
        case .real(let number): isReal(number)
        case .flag(let flag): isFlag(flag)
        case .nothing: !bytes.isEmpty
        case .duration(let nanoseconds): big(bytes.suffix(4)) == UInt64(nanoseconds / 1_000_000_000) && [4, 8, 12].contains(bytes.count)
        // What is inside has ranges of its own, which lie in this one.
        case .items, .object, .fields: true
        }
    }

    /// Whether they say this among other things: a string that it is a part of, what was unwrapped. Of a number that is not told.
    func saysAmongOthers(_ value: DecodedPayload.Value) -> Bool {
        switch value {
        case .text(let text): has(text)
        case .json(let text): has(text.count > 1 ? Array(text.dropFirst().dropLast()) : text)
        case .word(let word): has(Array(word.utf8))
        case .items, .object, .fields: true
        case _: !bytes.isEmpty
        }
    }

    /// Text of CBOR in pieces; data of an event in several lines.
    private func isInPieces(_ text: [UInt8]) -> Bool {
        if bytes.first == 0x7f, bytes.last == 0xff {
            var rest = text[...]
            for byte in bytes where rest.first == byte { rest = rest.dropFirst() }
            return rest.isEmpty && bytes.count <= 2 * text.count + 2
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\ndata:").map { $0.drop { $0 == " " } }.joined(separator: "\n").utf8
            .elementsEqual(text)
    }

    // MARK: - Numbers

    private func big(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// What the last bytes, or the first, are in either order, with at most a head beside them.
    private func fixed() -> [(value: UInt64, size: Int)] {
        [1, 2, 3, 4, 8].filter { $0 <= bytes.count && bytes.count <= $0 + 9 }.flatMap { size in
            [(big(bytes.suffix(size)), size), (big(bytes.suffix(size).reversed()), size), (big(bytes.prefix(size)), size)]
        }
    }

    /// Varints that begin at one of the first bytes and end with the last.
    private func varints() -> [UInt64] { (0..<min(6, bytes.count)).compactMap { Self.varint(Array(bytes.dropFirst($0))) } }

    /// Its digits, bytes in either order, a varint, low bits of a byte; or the count of the bytes.
    private func isNumber(_ number: UInt64) -> Bool {
        let digits = String(decoding: bytes.filter { 0x2e...0x39 ~= $0 }, as: UTF8.self)
        if let written = Double(digits), written.rounded() == Double(number), bytes.count <= digits.utf8.count + 3 { return true }
        if UInt64(bytes.count) == number || fixed().contains(where: { $0.value == number }) { return true }
        // The number of a field stands above the wire type.
        if varints().contains(where: { $0 == number || $0 >> 3 == number }) { return true }
        // A picture of 256; bits of a byte; of WebP 14 of them, and one less.
        if bytes == [0], number == 256 { return true }
        if bytes.count == 1 {
            return (0..<8).contains { shift in [1, 3, 7, 15, 31, 127].contains { UInt64(bytes[0] >> shift & $0) == number } }
        }
        let little = big(bytes.reversed())
        // Rows from the top down have a negative height.
        if bytes.count == 4, UInt64(Int32(truncatingIfNeeded: little).magnitude) == number { return true }
        return bytes.count <= 3 && [little, little & 0x3fff, little >> 6 & 0x3fff].contains { $0 == number || $0 + 1 == number }
    }

    private func isNegative(_ number: Int64) -> Bool {
        if has(Array(String(number).utf8)), bytes.count <= 24 { return true }
        let bits = UInt64(bitPattern: number)
        let isFixed = fixed().contains {
            // CBOR writes -1 - n.
            $0.value == bits & ($0.size == 8 ? .max : (1 << UInt64(8 * $0.size)) - 1) || $0.value == UInt64(-1 - number)
        }
        let zigzag = UInt64(bitPattern: number << 1 ^ number >> 63)
        return isFixed || varints().contains { $0 == bits || $0 == zigzag } || bytes.count == 1 && Int64(bytes[0] & 0x1f) == -1 - number
    }

    private func isReal(_ number: Double) -> Bool {
        let written = String(decoding: bytes.filter { $0 > 0x20 && $0 != UInt8(ascii: ",") }, as: UTF8.self)
        if Double(written) == number { return true }
        return fixed().contains { value, size in
            switch size {
            case 8: value == number.bitPattern
            case 4: value == UInt64(Float(number).bitPattern)
            case 2: number.isNaN || Double(Float16(bitPattern: UInt16(value))) == number
            case _: false
            }
        }
    }

    /// Its word or letter, a byte or a bit of one, or a tag that ends something.
    private func isFlag(_ flag: Bool) -> Bool {
        if has(Array((flag ? "true" : "false").utf8)) || has(Array((flag ? "#t" : "#f").utf8)) { return bytes.count <= 8 }
        if varints().contains(flag ? 1 : 0) { return true }
        return bytes.count == 1 || bytes.starts(with: Array("</".utf8))
    }

    private static func varint(_ bytes: [UInt8]) -> UInt64? {
        guard let last = bytes.last, last < 0x80, bytes.count <= 10, bytes.dropLast().allSatisfy({ $0 >= 0x80 }) else { return nil }
        return bytes.reversed().reduce(0) { $0 << 7 | UInt64($1 & 0x7f) }
    }

    // MARK: - Text

    private func has(_ text: [UInt8]) -> Bool {
        let wanted = Self.lower(text)
        return readings().contains { Self.contains(Self.lower($0), wanted) }
    }

    /// Whether they have a text, and hardly anything beside it: in text a mark and quotes, or its key; elsewhere a tag and a length.
    private func isHardlyMore(_ text: [UInt8], _ key: String) -> Bool {
        let wanted = Self.lower(text)
        let isText = bytes.allSatisfy { $0 >= 0x20 || [0x09, 0x0a, 0x0d].contains($0) }
        // Redis writes a length in digits, on a line of its own.
        let hasLength = !isText || bytes.first.map { "$=!".utf8.contains($0) } == true
        return readings().contains {
            guard Self.contains(Self.lower($0), wanted) else { return false }
            let beside = $0.count - text.count
            return beside <= (hasLength ? Self.mostBeside : 4) || beside <= key.utf8.count + 4 && Self.contains($0, Array(key.utf8))
        }
    }

    /// As it stands, or in a string; the arguments of an event without the bracket before them.
    private func isJSON(_ text: [UInt8]) -> Bool {
        // A number of CBOR that no integer holds.
        if text.first == UInt8(ascii: "-"), bytes.count == 9, bytes[0] == 0x3b { return true }
        if text == bytes || text == Self.unescaped(bytes) || text.dropFirst() == bytes[...] { return true }
        guard bytes.count > 2 else { return false }
        return text == Self.unescaped(Array(bytes.dropFirst().dropLast()))
    }

    /// What the bytes may stand for.
    private func readings() -> [[UInt8]] {
        let (once, percents) = (Self.unescaped(bytes), Self.withoutPercents(bytes))
        let halves: [UInt8] = bytes.flatMap { [$0 >> 4, $0 & 15] }
        let digits: [UInt8] = halves.map { $0 < 10 ? 0x30 + $0 : 0x57 + $0 }
        var room = 1 << 16
        return [
            bytes, once, Self.unescaped(once), Self.unescaped(Self.unescaped(once)), percents, Self.unescaped(percents),
            XMLText.undone(bytes.rawBytes), withoutSTOMPEscapes(), digits, Base64.decodeJoined(bytes.rawBytes).bytes,
            GRPC.inflated(bytes.rawBytes, room: &room) ?? [],
        ]
    }

    private static func lower(_ text: [UInt8]) -> [UInt8] { text.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 } }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard !part.isEmpty else { return true }
        guard bytes.count >= part.count else { return false }
        return (0...bytes.count - part.count).contains { bytes[$0..<$0 + part.count] == part[...] }
    }

    private static func unescaped(_ bytes: [UInt8]) -> [UInt8] { bytes.rawBytes.unescapedJSON }

    private static func withoutPercents(_ bytes: [UInt8]) -> [UInt8] {
        let text: [UInt8] = bytes.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
        return text.rawBytes.percentDecoded()
    }

    private func withoutSTOMPEscapes() -> [UInt8] {
        var text = String(decoding: bytes, as: UTF8.self)
        for (escape, sign) in [("\\c", ":"), ("\\n", "\n"), ("\\r", "\r"), ("\\\\", "\\")] {
            text = text.split(separator: escape, omittingEmptySubsequences: false).joined(separator: sign)
        }
        return Array(text.utf8)
    }
}
