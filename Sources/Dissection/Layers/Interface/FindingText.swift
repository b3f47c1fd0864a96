/// What a finding names, while it is put together: our own words, and what a peer sent, as far as it is worth reading.
package struct FindingText {
    package private(set) var bytes: [UInt8] = []

    /// Bytes of one thing that a peer sent.
    package static let mostQuoted = 120

    package init() {}

    package var isEmpty: Bool { bytes.isEmpty }

    package mutating func append(_ words: StaticString) { bytes.append(contentsOf: words.description.utf8) }

    package mutating func append(decimal number: UInt64) { bytes.append(contentsOf: String(number).utf8) }

    /// A number with a comma before each three digits.
    package mutating func append(grouped number: UInt64) {
        guard number >= 1_000 else { return append(decimal: number) }
        append(grouped: number / 1_000)
        let rest = number % 1_000
        append(rest < 10 ? ",00" : rest < 100 ? ",0" : ",")
        append(decimal: rest)
    }

    /// What a peer sent, in one line.
    package mutating func append(_ sent: RawSpan, most: Int = mostQuoted) {
        let count = min(sent.byteCount, most)
        for index in 0..<count {
            let byte = sent[index]
            bytes.append(byte < 0x20 || byte == 0x7F ? 0x20 : byte)
        }
        guard count < sent.byteCount else { return }
        // Not inside of a character.
        while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
        if let last = bytes.last, last >= 0xC0 { bytes.removeLast() }
        append("…")
    }

    /// The same of a copy.
    package mutating func append(_ sent: [UInt8], most: Int = mostQuoted) { append(sent.rawBytes, most: most) }

    /// A time span, rounded: `0.82 ms`, `640 ms`, `2.0 s`, `75 s`.
    package mutating func append(span nanoseconds: Int64) {
        let span = max(0, nanoseconds)
        if span < 9_950_000 {
            appendHundredths((span + 5_000) / 10_000)
            append(" ms")
        } else if span < 999_500_000 {
            append(decimal: UInt64((span + 500_000) / 1_000_000))
            append(" ms")
        } else if span < 9_950_000_000 {
            let tenths = (span + 50_000_000) / 100_000_000
            append(decimal: UInt64(tenths / 10))
            append(".")
            append(decimal: UInt64(tenths % 10))
            append(" s")
        } else {
            append(decimal: UInt64(span / 1_000_000_000 + (span % 1_000_000_000 >= 500_000_000 ? 1 : 0)))
            append(" s")
        }
    }

    private mutating func appendHundredths(_ hundredths: Int64) {
        append(decimal: UInt64(hundredths / 100))
        append(hundredths % 100 < 10 ? ".0" : ".")
        append(decimal: UInt64(hundredths % 100))
    }
}

extension RawSpan {
    /// Whether `text`, which is in small letters, stands anywhere in it, in any case.
    func mentions(_ text: StaticString) -> Bool {
        guard byteCount >= text.utf8CodeUnitCount else { return false }
        for index in 0...byteCount - text.utf8CodeUnitCount where hasPrefix(text, at: index) { return true }
        return false
    }
}
