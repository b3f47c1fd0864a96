import Dissection
import Support
import Testing

@Suite struct UTF8ValidatorTests {
    /// The first bad byte, with the bytes given in pieces of the sizes that `piece` says.
    private func badByte(_ bytes: [UInt8], piece: () -> Int) -> UInt64? {
        var validator = UTF8Validator()
        var start = 0
        while start < bytes.count {
            let count = min(piece(), bytes.count - start)
            if let bad = validator.check(bytes.rawBytes.extracting(start..<start + count)) { return bad }
            start += count
        }
        return validator.finish()
    }

    /// The same from the standard library: the longest valid beginning.
    private func validPrefix(_ bytes: [UInt8]) -> UInt64? {
        if String(validating: bytes, as: UTF8.self) != nil { return nil }
        var count = bytes.count - 1
        while count > 0, String(validating: bytes.prefix(count), as: UTF8.self) == nil { count -= 1 }
        return UInt64(count)
    }

    @Test func whatRFC3629Forbids() {
        let rows: [([UInt8], UInt64?)] = [
            ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xE0, 0x9F, 0xBF], 0), ([0xED, 0xA0, 0x80], 0), ([0xF0, 0x8F, 0xBF, 0xBF], 0),
            ([0xF4, 0x90, 0x80, 0x80], 0), ([0xF5, 0x80, 0x80, 0x80], 0), ([0x80], 0), ([0x61, 0xFF], 1), ([0x61, 0xE2, 0x82], 1),
            ([0xED, 0x9F, 0xBF], nil), ([0xEE, 0x80, 0x80], nil), ([0xF4, 0x8F, 0xBF, 0xBF], nil), ([0xF0, 0x90, 0x80, 0x80], nil),
            ([], nil),
        ]
        for (bytes, position) in rows {
            #expect(badByte(bytes) { 100 } == position)
            #expect(badByte(bytes) { 1 } == position)
        }
    }

    @Test func randomBytesAreJudgedAsTheStandardLibraryDoes() {
        var random = SplitMix(seed: 2)
        let characters = ["a", "ß", "€", "🦊", "\u{7FF}", "\u{800}", "\u{FFFF}", "\u{10FFFF}", "plain text of some length, 40 bytes long."]
        for _ in 0..<3_000 {
            var bytes = (0..<random.next() % 12).flatMap { _ in Array(characters[Int(random.next() % 9)].utf8) }
            if random.next() % 3 > 0, !bytes.isEmpty {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            let expected = validPrefix(bytes)
            #expect(badByte(bytes) { 1_000 } == expected)
            #expect(badByte(bytes) { 1 + Int(random.next() % 5) } == expected)
        }
    }
}
