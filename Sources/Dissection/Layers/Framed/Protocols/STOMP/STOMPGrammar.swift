/// Frames of STOMP (stomp.github.io, specification 1.2, "STOMP Frames"): a command, headers, an empty line, a body of `content-length` bytes or
/// up to the first NUL, and NUL.
package enum STOMPGrammar: ProtocolGrammar, HeadGrammar {
    package static var name: StaticString { "stomp" }
    package static var title: StaticString { "STOMP" }

    package static let clientCommands: [StaticString] = [
        "SEND", "SUBSCRIBE", "UNSUBSCRIBE", "BEGIN", "COMMIT", "ABORT", "ACK", "NACK", "DISCONNECT", "CONNECT", "STOMP",
    ]
    package static let serverCommands: [StaticString] = ["MESSAGE", "RECEIPT", "ERROR", "CONNECTED"]
    /// The header that says how long the body is.
    package static let lengthHeader: StaticString = "content-length"

    package static func cutter() -> any CuttingMachine { STOMPCutter() }

    package static func search(from side: Side, after loss: FramingLoss) -> (any MessageSearch)? { HeadSearch<Self>(side, loss) }

    /// A frame ends with it.
    package static var boundary: UInt8 { 0 }

    /// Line breaks between frames.
    static func mayPrecede(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D || byte == 0 }

    /// CONNECT or STOMP with a header line, and CONNECTED or ERROR as the answer.
    package static func begins(client: RawSpan, server: RawSpan) -> Recognized {
        let opening = begin(client, withOneOf: ["CONNECT\n", "CONNECT\r\n", "STOMP\n", "STOMP\r\n"])
        guard opening == .yes else { return opening }
        if server.byteCount > 0 { return begin(server, withOneOf: ["CONNECTED\n", "CONNECTED\r\n", "ERROR\n", "ERROR\r\n"]) }
        return client.byteCount < mostOpeningBytes ? .undecided : .no
    }

    /// The command of a frame; line breaks before it are no part of it (specification 1.2, "Augmented BNF").
    static func judgeHead(_ bytes: RawSpan, from side: Side, isTurn: Bool) -> Recognized {
        guard (0x41...0x5A).contains(bytes[0]) else { return .no }
        guard let (words, _, _) = MessageWords.words(bytes) else { return .undecided }
        guard words.count == 1 else { return .no }
        let command = String(decoding: words[0], as: UTF8.self)
        return (side == .client ? clientCommands : serverCommands).contains { "\($0)" == command } ? .yes : .no
    }
}
