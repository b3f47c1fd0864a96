import Dissection

/// Where lengths stand in a message whose protocol says how long its parts are, so that what is left of it when secrets are hidden is still a message
/// that everybody can read, in a log as well.
///
/// ```
/// $41\r\n{"user":"ana","password":"hunter2"}\r\n
///  └┬┘     └──────────── a part ───────────┘
///  length
/// ```
///
/// Where lengths are digits they become those of what is left. Where they are binary, and perhaps one inside of the other or in another message, secrets
/// are overwritten in place.
struct MessageLayout {
    /// Digits, and what they say the length of: whole parts.
    struct Length {
        let digits: Range<Int>
        let covered: Range<Int>
    }

    /// What may be replaced, in order; what stands between is the protocol's.
    private(set) var parts: [Range<Int>] = []
    private(set) var lengths: [Length] = []
    /// Parts that are numbers, in order: only what the user asks for replaces them.
    private(set) var numbers: [Range<Int>] = []
    /// Secrets by the name before them, which are overwritten.
    private(set) var secrets: [Range<Int>] = []
    private let isInPlace: Bool
    /// A part may be the key of something: `session:42`.
    private let hasKeys: Bool

    /// By the protocol that framed the message on raw TCP, or that a WebSocket has agreed on; nil for one without lengths.
    init?(_ bytes: [UInt8], of name: StaticString) {
        switch name.description {
        case "redis":
            (isInPlace, hasKeys) = (false, true)
            readRedis(bytes)
        case "nats":
            (isInPlace, hasKeys) = (false, false)
            readNATS(bytes)
        case "stomp":
            (isInPlace, hasKeys) = (false, false)
            readSTOMP(bytes)
        case "mqtt", "amqp":
            (isInPlace, hasKeys) = (true, false)
            parts = [0..<bytes.count]
        case _: return nil
        }
    }

    /// Of a WebSocket message that may be frames of STOMP, which few agree on; nil where it has no lengths.
    init?(unagreed bytes: [UInt8]) {
        guard Self.beginsSTOMP(bytes) else { return nil }
        (isInPlace, hasKeys) = (false, false)
        readSTOMP(bytes)
        if lengths.isEmpty { return nil }
    }

    mutating func add(part: Range<Int>) { if !part.isEmpty { parts.append(part) } }

    mutating func add(number: Range<Int>) {
        add(part: number)
        if !number.isEmpty { numbers.append(number) }
    }

    mutating func add(secret: Range<Int>) { if !secret.isEmpty { secrets.append(secret) } }

    mutating func add(length digits: Range<Int>, of covered: Range<Int>) { lengths.append(Length(digits: digits, covered: covered)) }

    // MARK: - What is replaced

    /// The same replacements, each inside of one part: one that goes over the end of a part hides what is in each of them.
    func fit(_ found: Replacements, in text: [UInt8], _ marks: RedactionMark) -> Replacements {
        var fitted = Replacements()
        var first = 0
        for item in found.items {
            while first < parts.count, parts[first].upperBound <= item.range.lowerBound { first += 1 }
            var index = first
            while index < parts.count, parts[index].lowerBound < item.range.upperBound {
                let (part, range) = (parts[index], item.range.clamped(to: parts[index]))
                index += 1
                guard !range.isEmpty, !isKey(range, of: part, text) else { continue }
                var new = item.text
                if isInPlace {
                    new = Self.overwritten(range.count, like: item.text)
                    if text[range].elementsEqual(new) { continue }
                } else if range != item.range, !new.isEmpty {
                    if RedactionMark.isMark(text[range]) { continue }
                    new = marks.mark(of: text[range])
                }
                fitted.add(range, new)
            }
        }
        return fitted
    }

    /// The same replacements without what they replace in numbers.
    func sparingNumbers(_ found: Replacements) -> Replacements {
        guard !numbers.isEmpty, !found.isEmpty else { return found }
        var spared = Replacements()
        var first = 0
        for item in found.items {
            while first < numbers.count, numbers[first].upperBound <= item.range.lowerBound { first += 1 }
            var (start, index) = (item.range.lowerBound, first)
            while index < numbers.count, numbers[index].lowerBound < item.range.upperBound {
                if numbers[index].lowerBound > start { spared.add(start..<numbers[index].lowerBound, item.text) }
                start = max(start, numbers[index].upperBound)
                index += 1
            }
            if start < item.range.upperBound || item.range.isEmpty { spared.add(start..<item.range.upperBound, item.text) }
        }
        return spared
    }

    /// Fillers, between the quotes that a mark has of its own where there were none.
    static func overwritten(_ count: Int, like text: [UInt8]) -> [UInt8] {
        let filler = BinarySecrets.filler
        let quotes = text.firstIndex(of: RedactionMark.opening[0]).map { Array(text[..<$0]) } ?? []
        // What is no quote is the length of a bulk string.
        guard let first = quotes.first, first != 0x24, 2 * quotes.count < count else { return [UInt8](repeating: filler, count: count) }
        return quotes + [UInt8](repeating: filler, count: count - 2 * quotes.count) + quotes
    }

    /// Whether digits are the number of a record whose key this is, as Redis has keys: `session:42`. What is longer may be a session itself.
    private func isKey(_ range: Range<Int>, of part: Range<Int>, _ text: [UInt8]) -> Bool {
        guard hasKeys, range.upperBound == part.upperBound, range.count <= 10, range.lowerBound - part.lowerBound >= 8 else { return false }
        return text[range].allSatisfy { 0x30...0x39 ~= $0 }
            && text[range.lowerBound - 8..<range.lowerBound].elementsEqual("session:".utf8)
    }

    /// With the lengths of what is left.
    func withLengths(_ found: Replacements) -> Replacements {
        guard !found.isEmpty, !isInPlace, !lengths.isEmpty else { return found }
        // How much longer all is before each item.
        var growths = [0]
        for item in found.items { growths.append(growths[growths.count - 1] + item.text.count - item.range.count) }
        func growth(before place: Int) -> Int {
            var (low, high) = (0, found.items.count)
            while low < high {
                let middle = (low + high) / 2
                if found.items[middle].range.lowerBound < place { low = middle + 1 } else { high = middle }
            }
            return growths[low]
        }
        var all = found.items
        for length in lengths {
            let growth = growth(before: length.covered.upperBound) - growth(before: length.covered.lowerBound)
            if growth != 0 { all.append(.init(range: length.digits, text: Array("\(length.covered.count + growth)".utf8))) }
        }
        var whole = Replacements()
        for item in all.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) { whole.add(item.range, item.text) }
        return whole
    }
}
