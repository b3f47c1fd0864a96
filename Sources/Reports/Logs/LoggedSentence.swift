import Dissection

/// Reads a sentence by the pattern of its row: the numbers and the text that were put into it.
///
/// A log has the sentence of a finding alone. Read back it is the finding again, so that what is cut, hidden or left out by the text that it
/// names is the same as in the capture that the log was made of.
struct LoggedSentence {
    private let pattern: [UInt8]
    private let sentence: [UInt8]
    private var a: UInt64?
    private var b: UInt64?
    private var text: Range<Int>?

    /// Bytes of a sentence that are read; the longest that is written names a comment of 4,096 bytes.
    private static let longest = 64 << 10

    private init(_ row: FindingRow, _ sentence: [UInt8]) {
        pattern = row.detailText.bytes.copy
        self.sentence = sentence
    }

    /// The finding, and the text that it names.
    ///
    /// - Parameter onWire: the bytes that a text of the record stands for.
    /// - Returns: nil where the sentence is not one of the row, such as that of another version.
    static func finding(_ row: FindingRow, _ sentence: [UInt8], onWire: ([UInt8]) -> [UInt8]) -> (finding: Finding, text: [UInt8])? {
        var reading = LoggedSentence(row, sentence)
        guard sentence.count <= longest, reading.matches(0, 0) else { return nil }
        let finding = Finding(row, a: reading.a ?? 0, b: reading.b ?? 0)
        let text = onWire(reading.text.map { Array(sentence[$0]) } ?? [])
        return finding.sentence(about: text.rawBytes) == sentence ? (finding, text) : nil
    }

    /// Whether the rest of the sentence follows the rest of the pattern.
    private mutating func matches(_ place: Int, _ position: Int) -> Bool {
        guard place < pattern.count else { return position == sentence.count }
        switch pattern[place] {
        case UInt8(ascii: "["):
            // What is in brackets is there, or its number is 0.
            let before = self
            if matches(place + 1, position) { return true }
            self = before
            guard (a ?? 0) == 0, let end = pattern[place...].firstIndex(of: UInt8(ascii: "]")) else { return false }
            a = 0
            return matches(end + 1, position)
        case UInt8(ascii: "]"): return matches(place + 1, position)
        case UInt8(ascii: "{"): return matchesPlace(place, position)
        case let byte:
            guard position < sentence.count, sentence[position] == byte else { return false }
            return matches(place + 1, position + 1)
        }
    }

    /// Whether what was seen is there in the place that begins here, and the rest follows.
    private mutating func matchesPlace(_ place: Int, _ position: Int) -> Bool {
        guard let end = pattern[place...].firstIndex(of: UInt8(ascii: "}")) else { return false }
        switch String(decoding: pattern[place + 1..<end], as: UTF8.self) {
        case "text": return matchesText(end + 1, position)
        case "a": return matches(number(at: position, of: \.a), end + 1)
        case "b": return matches(number(at: position, of: \.b), end + 1)
        case "a:hex": return matches(number(at: position, of: \.a, isHex: true), end + 1)
        case "b:hex": return matches(number(at: position, of: \.b, isHex: true), end + 1)
        case "a:rsv": return matches(reservedBits(at: position), end + 1)
        case let words where words.hasPrefix("a|"): return matches(words, \.a, end + 1, position)
        case let words where words.hasPrefix("b|"): return matches(words, \.b, end + 1, position)
        case _: return false
        }
    }

    private mutating func matches(_ position: Int?, _ place: Int) -> Bool { position.map { matches(place, $0) } ?? false }

    /// The text may be anything: the longest one counts after which the rest follows.
    private mutating func matchesText(_ place: Int, _ position: Int) -> Bool {
        guard text == nil else { return false }
        let before = self
        for end in stride(from: sentence.count, through: position, by: -1) {
            // Most ends are none at a look.
            if place < pattern.count, pattern[place] != UInt8(ascii: "{"), pattern[place] != UInt8(ascii: "["),
                end == sentence.count || sentence[end] != pattern[place]
            {
                continue
            }
            text = position..<end
            if matches(place, end) { return true }
            self = before
        }
        return false
    }

    /// A number of the finding.
    private typealias Number = WritableKeyPath<LoggedSentence, UInt64?>

    /// One of the words that go with a number. Where nothing else says the number, those for several leave it 0.
    private mutating func matches(_ words: String, _ number: Number, _ place: Int, _ position: Int) -> Bool {
        let choices = words.dropFirst(2).split(separator: "|", omittingEmptySubsequences: false)
        guard choices.count == 2 else { return false }
        let before = self
        for (word, isOne) in [(choices[0], true), (choices[1], false)] where self[keyPath: number].map({ ($0 == 1) == isOne }) ?? true {
            guard sentence[position...].starts(with: word.utf8) else { continue }
            if isOne { self[keyPath: number] = 1 }
            if matches(place, position + word.utf8.count) { return true }
            self = before
        }
        return false
    }

    /// Takes a number; returns where it ends.
    private mutating func number(at position: Int, of number: Number, isHex: Bool = false) -> Int? {
        var position = position
        if isHex {
            guard sentence[position...].starts(with: "0x".utf8) else { return nil }
            position += 2
        }
        let digits = sentence[position...].prefix { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || isHex && (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        guard let value = UInt64(String(decoding: digits, as: UTF8.self), radix: isHex ? 16 : 10) else { return nil }
        return take(value, number) ? digits.endIndex : nil
    }

    /// Takes the names of reserved bits, such as `RSV1, RSV3`.
    private mutating func reservedBits(at position: Int) -> Int? {
        for bits in (1...7 as ClosedRange<UInt64>).reversed() {
            var names = OutputBuffer(capacity: 32)
            names.append(reservedBits: bits)
            let written = names.bytes.copy
            if sentence[position...].starts(with: written) { return take(bits, \.a) ? position + written.count : nil }
        }
        return nil
    }

    /// Whether a number is what it has been before.
    private mutating func take(_ value: UInt64, _ number: Number) -> Bool {
        guard let known = self[keyPath: number] else {
            self[keyPath: number] = value
            return true
        }
        return known == value
    }
}
