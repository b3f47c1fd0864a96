/// Messages of the NATS client protocol (docs.nats.io, "Client Protocol"): a line, and with PUB, HPUB, MSG and HMSG so many bytes and CRLF as
/// the last number of the line says. So are those of leaf nodes and of the routes between the servers of a cluster, which both sides send:
/// LS+, LS- and LMSG (nats-server, server/leafnode.go), RS+, RS-, RMSG, A+ and A- (docs.nats.io, "NATS Cluster Protocol"; server/route.go).
///
/// ```
/// PUB greet 5\r\nhello\r\n │ PING\r\n │
/// ```
package enum NATSGrammar: ProtocolGrammar, HeadGrammar {
    package static var name: StaticString { "nats" }
    package static var title: StaticString { "NATS" }

    /// An operation.
    package struct Verb: Sendable {
        package let name: StaticString
        /// Who sends it; nil for both.
        package let sender: Side?
        /// The words of its line, with itself.
        package let words: ClosedRange<Int>
        /// The first byte of the second word, where that says something.
        var mark: UInt8?
        /// So many bytes follow the line as its last number says.
        package var hasPayload = false
        /// They begin with headers, of as many bytes as the number before the last one says.
        package var hasHeaders = false
        /// The number of the subscription follows the subject, between clients and servers.
        package var hasSubscription = false
    }

    package static let verbs = [
        Verb(name: "INFO", sender: nil, words: 2...Int.max, mark: UInt8(ascii: "{")),
        Verb(name: "CONNECT", sender: .client, words: 2...Int.max, mark: UInt8(ascii: "{")),
        Verb(name: "PUB", sender: .client, words: 3...4, hasPayload: true),
        Verb(name: "HPUB", sender: .client, words: 4...5, hasPayload: true, hasHeaders: true),
        Verb(name: "SUB", sender: .client, words: 3...4),
        Verb(name: "UNSUB", sender: .client, words: 2...3),
        Verb(name: "MSG", sender: .server, words: 4...5, hasPayload: true, hasSubscription: true),
        Verb(name: "HMSG", sender: nil, words: 4...Int.max, hasPayload: true, hasHeaders: true, hasSubscription: true),
        Verb(name: "LS+", sender: nil, words: 2...6), Verb(name: "LS-", sender: nil, words: 2...5),
        Verb(name: "LMSG", sender: nil, words: 3...Int.max, hasPayload: true),
        Verb(name: "RS+", sender: nil, words: 2...5), Verb(name: "RS-", sender: nil, words: 2...4),
        Verb(name: "A+", sender: nil, words: 2...2), Verb(name: "A-", sender: nil, words: 2...2),
        Verb(name: "RMSG", sender: nil, words: 3...Int.max, hasPayload: true),
        Verb(name: "PING", sender: nil, words: 1...1), Verb(name: "PONG", sender: nil, words: 1...1),
        Verb(name: "+OK", sender: .server, words: 1...1),
        Verb(name: "-ERR", sender: .server, words: 2...Int.max, mark: UInt8(ascii: "'")),
    ]

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
        let word = String(decoding: first.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }, as: UTF8.self)
        guard let verb = verbs.first(where: { "\($0.name)" == word }), verb.sender ?? side == side, verb.words.contains(words.count),
            verb.mark == nil || words[1].first == verb.mark
        else { return .no }
        guard verb.hasPayload else { return .yes }
        let numbers = words.suffix(2).map { MessageWords.number($0) ?? .max }
        return numbers[1] <= StreamFraming.mostBytes && (!verb.hasHeaders || numbers[0] <= numbers[1]) ? .yes : .no
    }
}
