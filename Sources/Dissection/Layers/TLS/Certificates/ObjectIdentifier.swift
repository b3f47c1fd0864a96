/// Object identifiers in words of numbers (X.690, section 8.19).
enum ObjectIdentifier {
    /// More numbers, and larger ones, are none that certificates have.
    private static var mostBytes: Int { 64 }

    /// `1.2.840.113549` for the content of an identifier; as far as it can be read, at most `mostBytes` of it.
    static func text(_ content: Range<Int>, _ bytes: RawSpan) -> [UInt8] {
        var numbers: [UInt64] = []
        var number: UInt64 = 0
        for index in content.prefix(mostBytes) {
            number = number << 7 | UInt64(bytes[index] & 0x7F)
            guard bytes[index] & 0x80 == 0 else { continue }
            if numbers.isEmpty {
                // The first two are one.
                let first = min(2, number / 40)
                numbers = [first, number - 40 * first]
            } else {
                numbers.append(number)
            }
            number = 0
        }
        return Array(numbers.map { String($0) }.joined(separator: ".").utf8)
    }
}
