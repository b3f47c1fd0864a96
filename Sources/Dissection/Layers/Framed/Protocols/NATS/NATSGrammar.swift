/// Messages of the NATS client protocol (docs.nats.io, "Client Protocol"): a line, and with PUB, HPUB, MSG and HMSG so many bytes and CRLF as
/// the last number of the line says.
///
/// ```
/// PUB greet 5\r\nhello\r\n │ PING\r\n │
/// ```
package enum NATSGrammar: ProtocolGrammar, HeadGrammar {
    package static var name: StaticString { "nats" }
    package static var title: StaticString { "NATS" }

    package static let verbs = ["INFO", "CONNECT", "PUB", "HPUB", "SUB", "UNSUB", "MSG", "HMSG", "PING", "PONG", "+OK", "-ERR"]
    /// Those that a payload follows.
    package static let verbsWithPayload = ["PUB", "HPUB", "MSG", "HMSG"]

    package static func cutter() -> any CuttingMachine { NATSCutter() }

    package static func search(from side: Side, after loss: FramingLoss) -> (any MessageSearch)? { HeadSearch<Self>(side, loss) }

    /// The server's INFO as its servers write it, or any INFO that a CONNECT answers.
    package static func begins(client: RawSpan, server: RawSpan) -> Recognized {
        let opening = begin(server, with: "INFO {")
        guard opening != .no else { return .no }
        if client.byteCount == 0 {
            if begin(server, with: "INFO {\"server_id\"") == .yes { return .yes }
            return server.byteCount < mostOpeningBytes ? .undecided : .no
        }
        let answer = begin(client, with: "CONNECT {")
        return opening == .yes || answer == .no ? answer : .undecided
    }

    /// A verb of the side with as many words as it takes (docs.nats.io, "Client Protocol").
    static func judgeHead(_ bytes: RawSpan, from side: Side, isTurn: Bool) -> Recognized {
        guard let (words, _, _) = MessageWords.words(bytes) else {
            let first = bytes[0] & 0xDF
            let isLetter = (0x41...0x5A).contains(first) || bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-")
            return isLetter ? .undecided : .no
        }
        guard let first = words.first, first.count <= 8 else { return .no }
        let verb = String(decoding: first.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }, as: UTF8.self)
        let last = words.last.flatMap { MessageWords.number($0) } ?? .max
        let headers = words.dropLast().last.flatMap { MessageWords.number($0) } ?? .max
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
        case ("HPUB", .client): fits = (4...5).contains(words.count) && isSized && headers <= last
        case ("HMSG", .server): fits = (5...6).contains(words.count) && isSized && headers <= last
        case _: fits = false
        }
        return fits ? .yes : .no
    }
}
