/// Looks for the beginning of a message of NATS, Redis or STOMP behind a loss: where a line begins, or a frame of STOMP has ended, and where
/// the first bytes behind the loss or a turn of the side are. Each byte is looked at a bounded number of times.
///
/// ```
/// … of a lost pay\r\nload\r\n │ MSG greet 1 5\r\nhello\r\n
///                             └─ found
/// ```
struct HeadSearch {
    private let name: FramedProtocol
    private let side: Side
    private(set) var held = HeldRuns()
    /// The bytes that are held from here on may be a head, or are not clear yet; nil in the middle of something.
    private var candidate: Int?
    private var isTurn = false
    /// The next byte to look at.
    private var next = 0
    /// How many bytes were looked at, for tests of what it costs.
    private(set) var steps = 0
    /// Bytes that were told as data.
    private(set) var skipped: UInt64 = 0

    /// Nil for what is found in another way.
    ///
    /// - Parameter isAtBorder: a message may begin with the next byte.
    init?(_ name: FramedProtocol, _ side: Side, isAtBorder: Bool, skipped: UInt64 = 0) {
        guard name == .nats || name == .redis || name == .stomp else { return nil }
        self.name = name
        self.side = side
        self.skipped = skipped
        candidate = isAtBorder ? 0 : nil
    }

    var heldBytes: Int { held.heldBytes }

    /// Bytes to give it next at most.
    static var room: Int { 64 }

    /// The other side has spoken: with the next byte a message may begin.
    mutating func beginTurn() {
        candidate = held.bytes.count
        next = held.bytes.count
        isTurn = true
    }

    /// Takes the next bytes. Returns where in those that are held a message begins, once that is clear.
    mutating func receive(_ bytes: RawSpan, at arrival: Arrival) -> Int? {
        held.append(bytes, at: arrival)
        while next < held.bytes.count {
            let byte = held.bytes[next]
            next += 1
            steps += 1
            guard let start = candidate else {
                if byte == border { candidate = next }
                continue
            }
            // Line breaks between frames.
            if name == .stomp, next == start + 1, byte == 0x0A || byte == 0x0D || byte == 0 {
                candidate = next
                continue
            }
            guard byte == 0x0A || next == start + 1 || next - start > MessageHeads.mostBytes else { continue }
            steps += next - start
            switch judgeHead(from: start) {
            case .yes: return start
            case .undecided: continue
            case .no:
                isTurn = false
                // The line after its first may be one: a head has three lines at most, so each byte is looked at three times.
                candidate = held.bytes[start..<next].firstIndex(of: border).map { $0 + 1 }
                next = candidate ?? next
            }
        }
        return nil
    }

    private func judgeHead(from start: Int) -> Recognized {
        guard next - start <= MessageHeads.mostBytes else { return .no }
        return MessageHeads.judge(held.bytes.rawBytes.extracting(start..<next), of: name, from: side, isTurn: isTurn)
    }

    /// What a message may begin behind.
    private var border: UInt8 { name == .stomp ? 0 : 0x0A }

    /// Bytes at the beginning that are no head.
    var settled: Int { candidate ?? next }

    /// Takes out bytes that were told.
    mutating func drop(first count: Int) {
        held.drop(first: count)
        next -= count
        candidate = candidate.map { $0 - count }
        skipped += UInt64(count)
    }
}
