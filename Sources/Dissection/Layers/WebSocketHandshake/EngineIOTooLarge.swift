/// A POST of Engine.IO that carries messages over polling, and that was refused for its length.
///
/// Node's engine.io answers 413 as soon as more than `maxHttpBufferSize` bytes of a body have come (lib/transports/polling.ts), python-engineio 400
/// where the Content-Length is beyond its `max_http_buffer_size`. Both announce that number as `maxPayload` as they open the session.
package struct EngineIOTooLarge {
    /// Whether a target is that of a session of Engine.IO 4 over polling: only such a one has a limit that was announced.
    package static func isSession(_ target: RawSpan) -> Bool {
        target.mentions("eio=4") && target.mentions("transport=polling") && target.mentions("sid=")
    }

    /// Reports that a response refuses a request for its length. Returns whether it does.
    ///
    /// - Parameters:
    ///   - asked: method and target of the request.
    ///   - length: the Content-Length of the request; 0 where it has none, or that is not certain.
    ///   - arrival: where the head of the response begins.
    package static func report<Sink: ConversationSink & ~Copyable>(
        asked: RawSpan, _ status: UInt16, length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Bool {
        guard status == 413 || status == 400, asked.hasPrefix("post", at: 0), isSession(asked),
            let text = words(status, length, announced: context.maxPayload)
        else { return false }
        context.emit(.httpEngineIOTooLarge, at: arrival, content: text.bytes.rawBytes, sink: &sink)
        return true
    }

    /// What is found of a response; nil where it says nothing of the length.
    private static func words(_ status: UInt16, _ length: UInt64, announced: UInt64?) -> FindingText? {
        let isBeyond = announced.map { length > $0 } ?? false
        // A 400 has many reasons.
        guard status == 413 || isBeyond else { return nil }
        var text = FindingText()
        text.append(decimal: UInt64(status))
        guard length > 0 else { return text }
        text.append("; the body has ")
        text.append(grouped: length)
        text.append(length == 1 ? " byte" : " bytes")
        if let announced, isBeyond {
            EngineIOLimit.append(beyond: announced, to: &text)
        } else if let announced {
            text.append(", no more than the announced maxPayload of ")
            text.append(grouped: announced)
            text.append(": the limit is that of a proxy, or of the app around the Engine.IO server")
        } else if length > EngineIOLimit.usual {
            text.append("; ")
            text.append(EngineIOLimit.usualWords)
            text.append(" is the limit of ")
            text.append(EngineIOLimit.usualOwner)
        }
        return text
    }
}

extension ConversationContext {
    /// A request that carries messages of a session of Engine.IO has come: the dissector is asked what the session has announced.
    mutating func noteEngineIO(method: RawSpan, target: RawSpan) {
        guard method.hasPrefix("post", at: 0), EngineIOTooLarge.isSession(target) else { return }
        engineIOSession = EngineIOSession(continuing: target)
    }
}

extension FindingRow {
    package static let httpEngineIOTooLarge = FindingRow(
        id: "http.engineio-too-large", severity: .warning, reference: "Engine.IO protocol",
        detail: "the request with messages of Engine.IO was refused with {text}",
        explanation: """
            Over polling, a client of Socket.IO sends its messages in the body of a POST. A server takes no more than `maxHttpBufferSize`, 1 MB unless \
            it is set (socket.io/docs/v4/server-options), announces that as `maxPayload` when it opens the session \
            (socket.io/docs/v4/engine-io-protocol), and answers a longer body with 413, or 400 in python-engineio; the app reports \
            "transport error". Clients fill a body with messages up to the announced number, so a body beyond it is a single message that is too long: \
            send smaller ones, or raise the limit. A body within it was refused by something else: nginx takes 1 MiB unless \
            `client_max_body_size` is set (nginx.org/en/docs/http/ngx_http_core_module.html), body-parser of Express 100 kB. The \
            session may have been opened on another connection. The same over a WebSocket is `websocket.message-too-big`.
            """)
}
