/// Watches talk that is shown as it comes for lines, or messages that end with NUL: nothing waits for it. Once both sides have taken several
/// turns, nearly each of one line, lines are messages from the next turn on.
///
/// Servers that greet with a code or a word of mail, files and shells speak of more than lines (a text of many, a shell): they stay as
/// they are.
struct LineWatch {
    private static let mostLine = 4_096
    private static let leastTurns = 8
    private static let leastLines = 3

    private var isOver: Bool
    private var turns = 0
    private var turnsOfOneLine = 0
    private var linesOfTurn = 0
    private var lines = (client: 0, server: 0)
    /// Bytes of the line under way.
    private var length = 0
    private var lastIsCR = false
    /// What lines end with.
    private var ending: StreamFraming?
    private var greeting = ShortBytes()
    private var speaker: Side?
    private var utf8 = UTF8Validator()

    init(isOver: Bool = false) { self.isOver = isOver }

    /// Takes the next bytes of a side. Returns how messages are cut from these bytes on.
    mutating func receive(_ bytes: RawSpan, from side: Side, isTurn: Bool) -> StreamFraming? {
        guard !isOver else { return nil }
        if isTurn, speaker != nil {
            endTurn()
            if let found { return found }
        }
        speaker = side
        if isOver || utf8.check(bytes) != nil {
            isOver = true
            return nil
        }
        for index in 0..<bytes.byteCount where !isOver { take(bytes[index], side) }
        return nil
    }

    private mutating func endTurn() {
        turns += 1
        if linesOfTurn == 1 { turnsOfOneLine += 1 }
        if length > 0 || lastIsCR || linesOfTurn > 16 { isOver = true }
        linesOfTurn = 0
    }

    private var found: StreamFraming? {
        guard !isOver, turns >= Self.leastTurns, lines.client >= Self.leastLines, lines.server >= Self.leastLines,
            turnsOfOneLine * 4 >= turns * 3
        else { return nil }
        return ending
    }

    private mutating func take(_ byte: UInt8, _ side: Side) {
        if byte == 0x0A || byte == 0 { return endLine(byte, side) }
        // CR stands before LF only, and other control characters nowhere.
        guard !lastIsCR, byte >= 0x20 || byte == 0x09 || byte == 0x0D, byte != 0x7F else {
            isOver = true
            return
        }
        lastIsCR = byte == 0x0D
        if lastIsCR { return }
        length += 1
        if length > Self.mostLine { isOver = true }
        if side == .server, lines.server == 0 { judgeGreeting(byte) }
    }

    private mutating func endLine(_ byte: UInt8, _ side: Side) {
        let kind: StreamFraming =
            byte == 0 ? .delimiter(ShortBytes([0]) ?? ShortBytes(), most: StreamFraming.mostBytes) : .lines
        // An empty line ends a block of several.
        guard length > 0, ending ?? kind == kind, byte != 0 || !lastIsCR else {
            isOver = true
            return
        }
        ending = kind
        length = 0
        lastIsCR = false
        linesOfTurn += 1
        if side == .client { lines.client += 1 } else { lines.server += 1 }
    }

    private static let greetings = ["+OK", "* ", "SSH-", "@RSYNCD", "RFB "].map { ShortBytes($0.utf8) ?? ShortBytes() }

    /// Takes a byte of the server's first line.
    private mutating func judgeGreeting(_ byte: UInt8) {
        guard greeting.append(byte) else { return }
        if Self.greetings.contains(greeting) { isOver = true }
        if greeting.count == 4, byte == 0x20 || byte == 0x2D, (0..<3).allSatisfy({ (0x30...0x39).contains(greeting[$0]) }) { isOver = true }
    }
}
