/// Connections that were closed because a message was too long, or just after one that may have been.
extension FindingRow {
    package static let webSocketMessageTooBig = FindingRow(
        id: "websocket.message-too-big", severity: .warning, reference: "RFC 6455 7.4.1",
        detail: "closed with 1009 (message too big) {text}",
        explanation: """
            Close code 1009 says that a message was longer than its receiver takes, and not which one. The sentence names the longest message \
            of the other side by then, whole or announced by the headers of its frames, and whose default it is beyond and no message before \
            it was. Send smaller messages, or raise the limit of the side that closed. The defaults: \
            1 MiB, `maximumMessageSize` of URLSessionWebSocketTask (developer.apple.com/documentation/foundation/urlsessionwebsockettask); \
            1 MiB, `max_size` of Python's websockets (websockets.readthedocs.io); \
            4 MiB, `max_msg_size` of aiohttp (docs.aiohttp.org); \
            100 MiB, `maxPayload` of ws (github.com/websockets/ws/blob/master/doc/ws.md); \
            1 MB, `maxHttpBufferSize` of Socket.IO 3 and 4 (socket.io/docs/v4/server-options), where the server has announced no `maxPayload` of \
            its own as it opened the session (socket.io/docs/v4/engine-io-protocol), which is named instead; \
            8 KiB, the buffer for text messages of Tomcat, which Spring uses (tomcat.apache.org/tomcat-10.1-doc/web-socket-howto.html); \
            128 KiB a message and 32 KiB a frame, AWS API Gateway (docs.aws.amazon.com/apigateway, quotas of WebSocket APIs).
            """)

    package static let webSocketSizeLimit = FindingRow(
        id: "websocket.size-limit", severity: .note, reference: "",
        detail: "the {text}",
        explanation: """
            A side closed the connection without a Close frame within 1 s after the longest message that it had received, or in the middle of \
            it, and that message is beyond the default limit of a library, or the one that a server of Engine.IO has announced. A side that cannot send its Close frame with code 1009 any more, \
            or sends none, ends the connection so; the app reports code 1006 or a reset. That is a guess from size and time alone. Not reported where a longer message went through before, where the first message of its side was whole, \
            where the side that closed sent anything after the message, or where bytes may be missing. The limits: see \
            websocket.message-too-big.
            """)

    /// The rows about the length of messages.
    package static let webSocketSizeRows: [FindingRow] = [webSocketMessageTooBig, webSocketSizeLimit]
}

extension WebSocketDirection {
    /// This side has closed with code 1009: reports which message of the other side it may be about.
    func reportTooBig<Sink: ConversationSink & ~Copyable>(
        _ session: borrowing WebSocketSession, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let sent = session[sizes: side.peer]
        guard var text = sent.words(of: side.peer, sent: context.isWhole(side.peer) ? context[side.peer].messages : nil) else { return }
        sent.crossed(by: side, AnnouncedLimit(session.negotiation, context)).append(to: &text)
        context.emit(.webSocketMessageTooBig, at: arrival, content: text.bytes.rawBytes, sink: &sink)
    }
}

extension WebSocketLayer {
    /// Whoever ends a connection so long after a message had another reason.
    private static let longestWait: Int64 = 1_000_000_000

    /// Both sides have ended: reports that one did so after a message that may have been too long, and said nothing of it.
    static func reportSizeLimit<Sink: ConversationSink & ~Copyable>(
        _ first: WebSocketSession.FirstEnd, context: inout ConversationContext, sink: inout Sink
    ) {
        let (side, sizes) = (first.side, first.sizes)
        guard context.channel.stream == 0, let ending = context.ending, ending.side == side, ending.how == .fin || ending.how == .reset,
            let ended = ending.time, context.isWhole(.client), context.isWhole(.server)
        else { return }
        var limits = sizes.crossed(by: side, first.announced)
        limits.keepSilent(came: sizes.open == nil ? nil : first.came)
        if let open = sizes.open {
            guard open.length > sizes.longest, let silence = context.spoken.silence(until: ended), silence <= longestWait else { return }
        } else {
            guard sizes.number > 1, sizes.number == first.messages, sizes.peerFrames == context[side].frames,
                let last = sizes.time, case let waited = ended.nanoseconds(since: last), (0...longestWait).contains(waited)
            else { return }
        }
        guard !limits.isEmpty, let words = sizes.words(of: side.peer, sent: first.messages) else { return }
        var text = FindingText()
        text.append(side == .client ? "client" : "server")
        text.append(ending.how == .reset ? " reset the connection " : " closed the connection ")
        text.append(words.bytes)
        text.append(", the longest that it had received")
        limits.append(to: &text)
        context.emit(Finding(.webSocketSizeLimit), at: ending.arrival.place, content: text.bytes.rawBytes, sink: &sink)
    }
}
