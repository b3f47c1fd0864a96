import Dissection

/// One piece of a finding's sentence.
enum SentencePiece: ~Escapable {
    /// Words of the row.
    case literal(RawSpan)
    case number(UInt64)
    case hex(UInt64)
    /// RSV bits of a WebSocket frame.
    case reservedBits(UInt64)
    case text
}

/// Walks a row's `detail` with the numbers of one finding put in; an unknown `{…}` stays as it is written. What stands in
/// brackets is left out where `a` is 0, because a sentence about no bytes says nothing.
///
/// Words that go with a number stand there for one and for several: `{a} {a|byte is|bytes are} missing`.
struct FindingSentence: ~Escapable {
    private let detail: RawSpan
    private let finding: Finding
    private var position = 0

    @_lifetime(immortal)
    init(_ finding: Finding) {
        self.finding = finding
        detail = (finding.isWorded ? "{text}" : finding.row.detailText).bytes
    }

    @_lifetime(copy self)
    mutating func next() -> SentencePiece? {
        while position < detail.byteCount, isBracket(at: position) {
            if finding.a == 0, detail[position] == UInt8(ascii: "[") {
                while position < detail.byteCount, detail[position] != UInt8(ascii: "]") { position += 1 }
            } else {
                position += 1
            }
        }
        guard position < detail.byteCount else { return nil }
        if let (number, length) = place(at: position) {
            position += length
            return switch number {
            case .number(let value): .number(value)
            case .hex(let value): .hex(value)
            case .reservedBits(let value): .reservedBits(value)
            case .text: .text
            case .words(let range): .literal(detail.extracting(range))
            }
        }
        let start = position
        position += 1
        while position < detail.byteCount, place(at: position) == nil, !isBracket(at: position) { position += 1 }
        return .literal(detail.extracting(start..<position))
    }

    private func isBracket(at index: Int) -> Bool { detail[index] == UInt8(ascii: "[") || detail[index] == UInt8(ascii: "]") }

    /// What was seen, to be put in at a place.
    private enum Seen {
        case number(UInt64)
        case hex(UInt64)
        case reservedBits(UInt64)
        case text
        /// Those of the row that go with the number.
        case words(Range<Int>)
    }

    /// The place that begins here, and its length.
    private func place(at start: Int) -> (Seen, Int)? {
        guard detail[start] == 0x7b else { return nil }
        let rest = detail.suffix(from: start)
        func begins(_ word: StaticString) -> Bool { rest.prefix(word.utf8CodeUnitCount).isEqual(word.bytes) }
        if begins("{a}") { return (.number(finding.a), 3) }
        if begins("{b}") { return (.number(finding.b), 3) }
        if begins("{a:hex}") { return (.hex(finding.a), 7) }
        if begins("{b:hex}") { return (.hex(finding.b), 7) }
        if begins("{a:rsv}") { return (.reservedBits(finding.a), 7) }
        if begins("{text}") { return (.text, 6) }
        if begins("{a|") { return words(at: start, for: finding.a) }
        if begins("{b|") { return words(at: start, for: finding.b) }
        return nil
    }

    /// The words for a number in `{a|one|several}`, and the length of it all.
    private func words(at start: Int, for number: UInt64) -> (Seen, Int)? {
        func next(_ character: Unicode.Scalar, from index: Int) -> Int? {
            (index..<detail.byteCount).first { detail[$0] == UInt8(ascii: character) }
        }
        guard let middle = next("|", from: start + 3), let end = next("}", from: middle) else { return nil }
        return (.words(number == 1 ? start + 3..<middle : middle + 1..<end), end + 1 - start)
    }
}

extension FindingRow {
    /// The sentence with its places, as it is for several of what it counts.
    package var pattern: String {
        var pattern = ""
        var rest = detail[...]
        while let start = ["{a|", "{b|"].compactMap({ rest.firstRange(of: $0)?.lowerBound }).min(),
            let middle = rest[start...].dropFirst(3).firstIndex(of: "|"), let end = rest[middle...].firstIndex(of: "}")
        {
            pattern += rest[..<start] + rest[middle..<end].dropFirst()
            rest = rest[end...].dropFirst()
        }
        return pattern + rest
    }
}

extension ByteWriter where Self: ~Copyable & ~Escapable {
    /// Appends the names of the reserved bits that are set, such as `RSV1, RSV3` (RFC 6455, section 5.2).
    mutating func append(reservedBits bits: UInt64) {
        var isFirst = true
        for (bit, name) in [(4, "RSV1"), (2, "RSV2"), (1, "RSV3")] as [(UInt64, StaticString)] where bits & bit != 0 {
            if !isFirst { append(", ") }
            isFirst = false
            append(name)
        }
    }
}
