import Dissection

/// How some words begin, whatever their case: by three bytes, of which all that are no letters count as one.
struct WordBeginnings {
    private var bits = [UInt64](repeating: 0, count: (27 * 27 * 27 + 63) / 64)

    /// - Parameter words: of three bytes at least.
    init(_ words: [StaticString]) {
        for word in words.map(\.bytes.copy) {
            let place = Self.place(word[0], word[1], word[2])
            bits[place / 64] |= 1 << UInt64(place % 64)
        }
    }

    /// Whether a word may begin so.
    func contains(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        let place = Self.place(first, second, third)
        return bits[place / 64] >> UInt64(place % 64) & 1 == 1
    }

    private static func place(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Int {
        (number(first) * 27 + number(second)) * 27 + number(third)
    }

    private static func number(_ byte: UInt8) -> Int { min(26, Int((byte | 0x20) &- 0x61)) }
}
