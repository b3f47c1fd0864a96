/// The first lines of a message of NATS, Redis and STOMP, as a side sends them: what a search for messages holds against each line. Stricter
/// than the machines that cut, so that a line that happens to begin alike is not taken for one.
enum MessageHeads {
    /// A head that is longer is not looked for.
    static let mostBytes = 4_096

    private static let clientCommands = [
        "SEND", "SUBSCRIBE", "UNSUBSCRIBE", "BEGIN", "COMMIT", "ABORT", "ACK", "NACK", "DISCONNECT", "CONNECT", "STOMP",
    ]
    private static let serverCommands = ["MESSAGE", "RECEIPT", "ERROR", "CONNECTED"]

    /// Whether a message may begin with these bytes, asked at the first byte and at the end of each line.
    ///
    /// - Parameter isTurn: they are the first of the side after the other has spoken.
    static func judge(_ bytes: RawSpan, of name: FramedProtocol, from side: Side, isTurn: Bool) -> Recognized {
        switch name {
        case .nats: judgeNATS(bytes, side)
        case .redis: judgeRedis(bytes, side, isTurn: isTurn)
        case .stomp: judgeSTOMP(bytes, side)
        case .mqtt, .amqp, .irc, .xmpp: .no
        }
    }

    /// The words of a line, without its end; nil while it has none.
    private static func words(_ bytes: RawSpan, from start: Int = 0) -> (words: [[UInt8]], next: Int, isCRLF: Bool)? {
        var words: [[UInt8]] = []
        var word: [UInt8] = []
        for index in start..<bytes.byteCount {
            let byte = bytes[index]
            if byte == 0x0A {
                let isCRLF = word.last == 0x0D
                if isCRLF { word.removeLast() }
                if !word.isEmpty { words.append(word) }
                return (words, index + 1, isCRLF)
            }
            if byte == 0x20 || byte == 0x09 {
                if !word.isEmpty { words.append(word) }
                word = []
            } else {
                word.append(byte)
            }
        }
        return nil
    }

    private static func number(_ word: some Collection<UInt8>) -> UInt64? {
        guard (1...10).contains(word.count) else { return nil }
        var number: UInt64 = 0
        for byte in word {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = number * 10 + UInt64(byte - 0x30)
        }
        return number
    }

    // MARK: - NATS

    /// A verb of the side with as many words as it takes (docs.nats.io, "Client Protocol").
    private static func judgeNATS(_ bytes: RawSpan, _ side: Side) -> Recognized {
        guard let (words, _, _) = words(bytes) else {
            let first = bytes[0] & 0xDF
            let isLetter = (0x41...0x5A).contains(first) || bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-")
            return isLetter ? .undecided : .no
        }
        guard let first = words.first, first.count <= 8 else { return .no }
        let verb = String(decoding: first.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }, as: UTF8.self)
        let last = words.last.flatMap { number($0) } ?? .max
        let isSized = last <= StreamFraming.mostBytes
        let fits: Bool
        switch (verb, side) {
        case ("PING", _), ("PONG", _), ("+OK", .server): fits = words.count == 1
        case ("CONNECT", .client), ("INFO", .server): fits = words.count > 1 && words[1].first == UInt8(ascii: "{")
        case ("-ERR", .server): fits = words.count > 1 && words[1].first == UInt8(ascii: "'")
        case ("PUB", .client): fits = (3...4).contains(words.count) && isSized
        case ("SUB", .client): fits = (3...4).contains(words.count)
        case ("UNSUB", .client): fits = (2...3).contains(words.count)
        case ("MSG", .server): fits = (4...5).contains(words.count) && isSized
        case ("HPUB", .client): fits = (4...5).contains(words.count) && isSized && number(words[words.count - 2]) ?? .max <= last
        case ("HMSG", .server): fits = (5...6).contains(words.count) && isSized && number(words[words.count - 2]) ?? .max <= last
        case _: fits = false
        }
        return fits ? .yes : .no
    }

    // MARK: - Redis

    /// A client's command, as an array of bulk strings; of a server what it pushes, and anything where its turn begins: in the middle of one a
    /// line may as well be part of a larger reply.
    private static func judgeRedis(_ bytes: RawSpan, _ side: Side, isTurn: Bool) -> Recognized {
        let type = bytes[0]
        if side == .server, isTurn || type == UInt8(ascii: ">") {
            guard "+-:$*%~>_,#(=!".utf8.contains(type) else { return .no }
            guard let (line, next, isCRLF) = words(bytes) else { return .undecided }
            guard isCRLF, next > 3 || type == UInt8(ascii: "_") else { return .no }
            guard "$*%~>=!:".utf8.contains(type) else { return .yes }
            let digits = (line.first ?? []).dropFirst()
            let isNumber = number(digits.first == UInt8(ascii: "-") ? digits.dropFirst() : digits) != nil
            return line.count == 1 && isNumber ? .yes : .no
        }
        guard type == UInt8(ascii: "*") else { return .no }
        guard let (line, second, isCRLF) = words(bytes) else { return .undecided }
        guard isCRLF, line.count == 1, let count = number(line[0].dropFirst()), count > 0 else { return .no }
        guard second < bytes.byteCount else { return .undecided }
        guard bytes[second] == UInt8(ascii: "$") else { return .no }
        guard let (size, third, _) = words(bytes, from: second) else { return .undecided }
        guard size.count == 1, let length = number(size[0].dropFirst()) else { return .no }
        if side == .client { return .yes }
        // What is published comes in arrays of RESP 2.
        guard length == 7 || length == 8, count == 3 || count == 4 else { return .no }
        guard let (kind, _, _) = words(bytes, from: third) else { return .undecided }
        let isPushed = kind.count == 1 && ["message", "pmessage", "smessage"].contains(String(decoding: kind[0], as: UTF8.self))
        return isPushed ? .yes : .no
    }

    // MARK: - STOMP

    /// The command of a frame; line breaks before it are no part of it (specification 1.2, "Augmented BNF").
    private static func judgeSTOMP(_ bytes: RawSpan, _ side: Side) -> Recognized {
        guard (0x41...0x5A).contains(bytes[0]) else { return .no }
        guard let (words, _, _) = words(bytes) else { return .undecided }
        guard words.count == 1 else { return .no }
        return (side == .client ? clientCommands : serverCommands).contains(String(decoding: words[0], as: UTF8.self)) ? .yes : .no
    }
}
