/// A protocol whose messages begin with lines that can be told from others.
protocol HeadGrammar: ProtocolGrammar {
    /// Whether a message of a side may begin with these bytes, asked at the first byte and at the end of each line. Stricter than the machine
    /// that cuts, so that a line that happens to begin alike is not taken for one.
    ///
    /// - Parameter isTurn: they are the first of the side after the other has spoken.
    static func judgeHead(_ bytes: RawSpan, from side: Side, isTurn: Bool) -> Recognized

    /// Whether the byte may stand before a message.
    static func mayPrecede(_ byte: UInt8) -> Bool
}

extension HeadGrammar {
    static func mayPrecede(_ byte: UInt8) -> Bool { false }

    /// A head that is longer is not looked for.
    static var mostHead: Int { 4_096 }
}

/// Looks for the beginning of a message whose first lines are known by their words after a loss: where a line begins, or a message has ended, and
/// where the first bytes after the loss or a turn of the side are. Each byte is looked at a bounded number of times.
///
/// ```
/// … of a lost pay\r\nload\r\n │ MSG greet 1 5\r\nhello\r\n
///                             └─ found
/// ```
struct HeadSearch<Grammar: HeadGrammar>: MessageSearch {
    private let side: Side
    private(set) var held = HeldRuns()
    /// The bytes that are held from here on may be a head, or are not clear yet; nil in the middle of something.
    private var candidate: Int?
    private var isTurn = false
    /// The next byte to look at.
    private var next = 0
    private(set) var steps = 0
    private(set) var skipped: UInt64

    init(_ side: Side, _ loss: FramingLoss) {
        self.side = side
        skipped = loss.skipped
        candidate = loss.isAtBoundary ? 0 : nil
    }

    var heldBytes: Int { held.heldBytes }

    var room: Int { 64 }

    /// With the next byte a message may begin.
    mutating func beginTurn() {
        candidate = held.bytes.count
        next = held.bytes.count
        isTurn = true
    }

    mutating func receive(_ bytes: RawSpan, at arrival: Arrival) -> Int? {
        held.append(bytes, at: arrival)
        while next < held.bytes.count {
            let byte = held.bytes[next]
            next += 1
            steps += 1
            guard let start = candidate else {
                if byte == Grammar.boundary { candidate = next }
                continue
            }
            if next == start + 1, Grammar.mayPrecede(byte) {
                candidate = next
                continue
            }
            guard byte == 0x0A || next == start + 1 || next - start > Grammar.mostHead else { continue }
            steps += next - start
            switch judgeHead(from: start) {
            case .yes: return start
            case .undecided: continue
            case .no:
                isTurn = false
                // The line after its first may be one: a head has three lines at most, so each byte is looked at three times.
                candidate = held.bytes[start..<next].firstIndex(of: Grammar.boundary).map { $0 + 1 }
                next = candidate ?? next
            }
        }
        return nil
    }

    private func judgeHead(from start: Int) -> Recognized {
        guard next - start <= Grammar.mostHead else { return .no }
        return Grammar.judgeHead(held.bytes.rawBytes.extracting(start..<next), from: side, isTurn: isTurn)
    }

    var settled: Int { candidate ?? next }

    mutating func drop(first count: Int) {
        held.drop(first: count)
        next -= count
        candidate = candidate.map { $0 - count }
        skipped += UInt64(count)
    }
}
