import Dissection

/// What is put in the place of some ranges of a content, in their order: the new content, and where the rest of the old one lies in it.
struct Replacements {
    struct Item {
        let range: Range<Int>
        let text: [UInt8]
    }

    /// In order; none reaches into the next.
    private(set) var items: [Item] = []

    var isEmpty: Bool { items.isEmpty }
    var count: Int { items.count }
    /// How many bytes the new content is longer.
    var growth: Int { items.reduce(0) { $0 + $1.text.count - $1.range.count } }

    mutating func add(_ range: Range<Int>, _ text: [UInt8]) { items.append(Item(range: range, text: text)) }

    /// Takes in those of another look at the same content. Where two meet, they become one, with the mark of both together.
    mutating func merge(_ other: Replacements, _ mark: (Range<Int>) -> [UInt8]) {
        guard !other.isEmpty else { return }
        guard !isEmpty else { return self = other }
        var merged: [Item] = []
        for item in (items + other.items).sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            guard let last = merged.last, item.range.lowerBound < last.range.upperBound else {
                merged.append(item)
                continue
            }
            // One inside the other: the outer one hides both.
            if item.range.upperBound <= last.range.upperBound {
                if item.range == last.range, item.text.count > last.text.count { merged[merged.count - 1] = item }
                continue
            }
            if item.range.lowerBound == last.range.lowerBound {
                merged[merged.count - 1] = item
                continue
            }
            let both = last.range.lowerBound..<item.range.upperBound
            merged[merged.count - 1] = Item(range: both, text: mark(both))
        }
        items = merged
    }

    /// The new content of a part of the old one; no item reaches over its ends.
    func apply(to text: [UInt8], _ part: Range<Int>) -> [UInt8] {
        if isEmpty, part == 0..<text.count { return text }
        var new: [UInt8] = []
        new.reserveCapacity(max(0, part.count + growth))
        var position = part.lowerBound
        for item in items where item.range.lowerBound >= part.lowerBound && item.range.upperBound <= part.upperBound {
            new += text[position..<item.range.lowerBound]
            new += item.text
            position = item.range.upperBound
        }
        return new + text[position..<part.upperBound]
    }

    func apply(to text: [UInt8]) -> [UInt8] { apply(to: text, 0..<text.count) }

    /// Where a range of the old content lies in the new one: with a mark whole, where it has a byte of what the mark stands for.
    func map(_ range: ByteRange) -> ByteRange {
        let start = map(range.start, toEnd: false)
        return ByteRange(start..<max(start, range.isEmpty ? start : map(range.end, toEnd: true)))
    }

    /// A fact with its texts where they lie in the new content.
    func map<Mapped: FieldedFact>(_ fact: Mapped) -> Mapped {
        var (fact, texts) = (fact, MappedTexts(found: self))
        fact.visit(&texts)
        return fact
    }

    private func map(_ offset: Int, toEnd: Bool) -> Int {
        var shift = 0
        for item in items {
            if item.range.upperBound <= offset {
                shift += item.text.count - item.range.count
            } else if item.range.lowerBound < offset {
                return item.range.lowerBound + shift + (toEnd ? item.text.count : 0)
            } else {
                break
            }
        }
        return offset + shift
    }
}

/// Maps each text of a fact that is visited.
private struct MappedTexts: FieldVisitor {
    static let fills = true
    let found: Replacements

    mutating func take(_ field: Field, _ value: KeyValue) -> KeyValue {
        switch value {
        case .text(let range, let texts): .text(found.map(range), texts)
        case .headers(let range?): .headers(found.map(range))
        case _: value
        }
    }

    mutating func begin(_ field: Field, isThere: Bool) -> Bool { isThere }
    mutating func end() {}
}
