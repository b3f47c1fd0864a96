/// Object identifiers in words of numbers (X.690, section 8.19).
package enum ObjectIdentifierText {
    /// Longer ones are none that certificates have, and say no more to a reader.
    private static var mostBytes: Int { 64 }

    /// `1.2.840.113549` for the content of an identifier.
    package static func text(_ content: [UInt8]) -> String {
        String(decoding: text(0..<content.count, content.rawBytes), as: UTF8.self)
    }

    /// The same; as far as it can be read, at most `mostBytes` of it, and `?` for a number that is too large.
    static func text(_ content: Range<Int>, _ bytes: RawSpan) -> [UInt8] {
        var numbers: [String] = []
        var number: UInt64 = 0
        for index in content.prefix(mostBytes) {
            guard number < 1 << 56 else {
                numbers.append("?")
                break
            }
            number = number << 7 | UInt64(bytes[index] & 0x7F)
            guard bytes[index] & 0x80 == 0 else { continue }
            // The first two are one.
            let first = min(2, number / 40)
            numbers.append(numbers.isEmpty ? "\(first).\(number - 40 * first)" : "\(number)")
            number = 0
        }
        return Array(numbers.joined(separator: ".").utf8)
    }
}
