import Dissection

/// One piece of a finding's sentence.
enum SentencePiece: Hashable {
    case literal(Range<Int>)
    case number(UInt64)
    case hex(UInt64)
    /// RSV bits of a WebSocket frame.
    case reservedBits(UInt64)
    case text
}

/// Walks a row's `detail` with the numbers of one finding put in; an unknown `{…}` stays as it is written. What stands in
/// brackets is left out where `a` is 0, because a sentence about no bytes says nothing.
struct FindingSentence {
    private let detail: UnsafeBufferPointer<UInt8>
    private let finding: Finding
    private var position = 0

    /// The detail's bytes have to outlive the walk.
    init(_ finding: Finding, detail: UnsafeBufferPointer<UInt8>) {
        self.finding = finding
        self.detail = detail
    }

    mutating func next() -> SentencePiece? {
        while position < detail.count, isBracket(at: position) {
            if finding.a == 0, detail[position] == UInt8(ascii: "[") {
                while position < detail.count, detail[position] != UInt8(ascii: "]") { position += 1 }
            } else {
                position += 1
            }
        }
        guard position < detail.count else { return nil }
        if let (piece, length) = place(at: position) {
            position += length
            return piece
        }
        let start = position
        position += 1
        while position < detail.count, place(at: position) == nil, !isBracket(at: position) { position += 1 }
        return .literal(start..<position)
    }

    private func isBracket(at index: Int) -> Bool { detail[index] == UInt8(ascii: "[") || detail[index] == UInt8(ascii: "]") }

    /// The place that begins here, and its length.
    private func place(at start: Int) -> (SentencePiece, Int)? {
        guard detail[start] == 0x7b else { return nil }
        let rest = detail[start...]
        func begins(_ word: StaticString) -> Bool {
            rest.starts(with: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        }
        if begins("{a}") { return (.number(finding.a), 3) }
        if begins("{b}") { return (.number(finding.b), 3) }
        if begins("{a:hex}") { return (.hex(finding.a), 7) }
        if begins("{b:hex}") { return (.hex(finding.b), 7) }
        if begins("{a:rsv}") { return (.reservedBits(finding.a), 7) }
        if begins("{text}") { return (.text, 6) }
        return nil
    }
}

extension OutputBuffer {
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
