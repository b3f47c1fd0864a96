/// Pings after which the other side sent no pong until it was too late.
extension FindingRow {
    package static let webSocketPingUnanswered = FindingRow(
        id: "websocket.ping-unanswered", severity: .warning, reference: "RFC 6455 5.5.2",
        detail: "no pong came within {a} s after a ping of the {text}",
        explanation: """
            An endpoint that receives a ping has to send a pong as soon as is practical. It may have hung, or the network between it and the \
            capture may have failed; many libraries then close the connection with code 1011, or drop it. Only a ping after which no \
            pong at all came is reported, because a pong may answer the latest ping alone (RFC 6455 5.5.3), and only where that lasted 5 s \
            or longer until the connection ended. Not reported where bytes that may be the pong are missing, \
            nor where a frame of the other side was on its way, in which no pong can stand.
            """)
}

extension WebSocketDirection {
    /// Whether its frames are read from where they surely begin, and none is on its way: no pong can stand inside of one (RFC 6455, section 5.4).
    var isReadWell: Bool { phase == .header && unproven == 0 }
}

extension WebSocketSession {
    /// A shorter wait says nothing: the connection ended before a pong was to be expected.
    private static var shortestWait: Int64 { 5_000_000_000 }

    /// A side sends nothing more: tells of a ping of the other one that it left without a pong for long.
    mutating func tellUnanswered<Sink: ConversationSink & ~Copyable>(
        by side: Side, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let asked = self[asked: side.peer] else { return }
        self[asked: side.peer] = nil
        let ending = context.ending
        guard let end = ending?.time ?? arrival.place.time, context.lacksNothing(side), context.lacksNothing(side.peer) else { return }
        let waited = end.nanoseconds(since: asked)
        guard waited >= WebSocketSession.shortestWait else { return }
        var words = side.peer == .client ? "client" : "server"
        if let ending {
            words += ending.side == .client ? "; then the client" : "; then the server"
            switch (ending.how, ending.code) {
            case (.closeFrame, let code?): words += " closed with code \(code)"
            case (.closeFrame, nil): words += " sent a Close frame without a code"
            case (.reset, _): words += " reset the connection"
            case _: words += " closed the connection without a Close frame"
            }
        }
        let text = [UInt8](words.utf8)
        let (seconds, rest) = waited.quotientAndRemainder(dividingBy: 1_000_000_000)
        context.emit(
            .webSocketPingUnanswered, a: UInt64(clamping: seconds) + (rest >= 500_000_000 ? 1 : 0), at: arrival, content: text.rawBytes,
            sink: &sink)
    }
}
