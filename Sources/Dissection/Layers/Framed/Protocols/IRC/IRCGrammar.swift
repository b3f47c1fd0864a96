/// Lines of IRC (RFC 2812, section 2.3), of which servers take longer ones today than 512 bytes.
package enum IRCGrammar: ProtocolGrammar {
    package static var name: StaticString { "irc" }
    package static var title: StaticString { "IRC" }

    package static func cutter() -> any CuttingMachine { DelimiterCutter(lines: 64 << 10) }

    /// A client that registers, and a server that answers with its name, or talks of itself (RFC 2812, sections 2.3.1 and 3.1).
    package static func begins(client: RawSpan, server: RawSpan) -> Recognized {
        let registration = client.byteCount == 0 ? Recognized.undecided : begin(client, withOneOf: ["NICK ", "USER ", "CAP ", "PASS "])
        guard registration != .no else { return .no }
        guard server.byteCount > 0 else { return client.byteCount > 0 && client.byteCount < mostOpeningBytes ? .undecided : .no }
        let answer = begins(server)
        return answer == .yes ? registration : answer
    }

    private static func begins(_ server: RawSpan) -> Recognized {
        guard server[0] == UInt8(ascii: ":") else { return begin(server, withOneOf: ["NOTICE ", "PING :", "ERROR :"]) }
        var position = 1
        while position < server.byteCount, server[position] > 0x20, server[position] < 0x7F { position += 1 }
        guard position < server.byteCount else { return .undecided }
        guard position > 1, position < 256, server[position] == 0x20 else { return .no }
        let rest = server.suffix(from: position + 1)
        guard rest.byteCount > 0 else { return .undecided }
        if (0x30...0x39).contains(rest[0]) {
            for index in 0..<4 {
                guard index < rest.byteCount else { return .undecided }
                guard index < 3 ? (0x30...0x39).contains(rest[index]) : rest[index] == 0x20 else { return .no }
            }
            return .yes
        }
        return begin(rest, withOneOf: ["NOTICE ", "CAP ", "PING ", "AUTHENTICATE "])
    }
}
