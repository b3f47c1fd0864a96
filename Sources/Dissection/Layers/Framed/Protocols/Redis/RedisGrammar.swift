/// Values of RESP 2 and 3 (redis.io, "Redis serialization protocol specification"), each with all that it holds, and inline commands.
///
/// ```
/// *2\r\n$3\r\nGET\r\n$1\r\na\r\n │ $5\r\nhello\r\n │ +OK\r\n │
/// ```
package enum RedisGrammar: ProtocolGrammar, HeadGrammar {
    package static var name: StaticString { "redis" }
    package static var title: StaticString { "Redis" }

    /// What follows the first byte of a value, which says its type: a line, a line with the number of bytes that follow it, or of values, or of
    /// pairs of them.
    package enum Form: Sendable { case line, bytes, values, pairs }

    /// What a value is called by its first byte, and how it goes on.
    package static func type(of marker: UInt8) -> (name: StaticString, form: Form)? {
        switch marker {
        case UInt8(ascii: "+"): ("simple", .line)
        case UInt8(ascii: "-"): ("error", .line)
        case UInt8(ascii: ":"): ("integer", .line)
        case UInt8(ascii: "_"): ("null", .line)
        case UInt8(ascii: "#"): ("boolean", .line)
        case UInt8(ascii: ","): ("double", .line)
        case UInt8(ascii: "("): ("big-number", .line)
        case UInt8(ascii: "$"): ("bulk", .bytes)
        case UInt8(ascii: "!"): ("error", .bytes)
        case UInt8(ascii: "="): ("verbatim", .bytes)
        case UInt8(ascii: "*"): ("array", .values)
        case UInt8(ascii: "~"): ("set", .values)
        case UInt8(ascii: ">"): ("push", .values)
        case UInt8(ascii: "%"): ("map", .pairs)
        case attribute: ("attribute", .pairs)
        case _: nil
        }
    }

    /// It begins what is said about the value that follows.
    package static let attribute = UInt8(ascii: "|")

    /// What published messages begin with.
    package static let publications: [StaticString] = ["message", "pmessage", "smessage"]

    package static func cutter() -> any CuttingMachine { RedisCutter() }

    package static func search(from side: Side, after loss: FramingLoss) -> (any MessageSearch)? { HeadSearch<Self>(side, loss) }

    /// A command as an array of bulk strings: `*1\r\n$4\r\nPING\r\n`.
    package static func begins(client: RawSpan, server: RawSpan) -> Recognized {
        guard client.byteCount > 0 else { return .no }
        var position = 0
        for mark in [UInt8(ascii: "*"), UInt8(ascii: "$")] {
            guard position < client.byteCount else { return .undecided }
            guard client[position] == mark else { return .no }
            position += 1
            let start = position
            while position < client.byteCount, (0x30...0x39).contains(client[position]), position - start < 4 { position += 1 }
            guard position < client.byteCount else { return .undecided }
            guard position > start, client[start] != 0x30, client[position] == 0x0D else { return .no }
            guard position + 1 < client.byteCount else { return .undecided }
            guard client[position + 1] == 0x0A else { return .no }
            position += 2
        }
        guard position < client.byteCount else { return .undecided }
        let first = client[position] & 0xDF
        return (0x41...0x5A).contains(first) ? .yes : .no
    }

    /// A client's command, as an array of bulk strings; of a server what it pushes, and anything where its turn begins: in the middle of one a
    /// line may as well be part of a larger reply.
    static func judgeHead(_ bytes: RawSpan, from side: Side, isTurn: Bool) -> Recognized {
        let type = bytes[0]
        if side == .server, isTurn || type == UInt8(ascii: ">") {
            guard type != attribute, let form = self.type(of: type)?.form else { return .no }
            guard let (line, next, isCRLF) = MessageWords.words(bytes) else { return .undecided }
            guard isCRLF, next > 3 || type == UInt8(ascii: "_") else { return .no }
            guard form != .line || type == UInt8(ascii: ":") else { return .yes }
            let digits = (line.first ?? []).dropFirst()
            let isNumber = MessageWords.number(digits.first == UInt8(ascii: "-") ? digits.dropFirst() : digits) != nil
            return line.count == 1 && isNumber ? .yes : .no
        }
        guard type == UInt8(ascii: "*") else { return .no }
        guard let (line, second, isCRLF) = MessageWords.words(bytes) else { return .undecided }
        guard isCRLF, line.count == 1, let count = MessageWords.number(line[0].dropFirst()), count > 0 else { return .no }
        guard second < bytes.byteCount else { return .undecided }
        guard bytes[second] == UInt8(ascii: "$") else { return .no }
        guard let (size, third, _) = MessageWords.words(bytes, from: second) else { return .undecided }
        guard size.count == 1, let length = MessageWords.number(size[0].dropFirst()) else { return .no }
        if side == .client { return .yes }
        // What is published comes in arrays of RESP 2.
        guard length == 7 || length == 8, count == 3 || count == 4 else { return .no }
        guard let (kind, _, _) = MessageWords.words(bytes, from: third) else { return .undecided }
        let isPushed = kind.count == 1 && publications.contains { "\($0)" == String(decoding: kind[0], as: UTF8.self) }
        return isPushed ? .yes : .no
    }
}
