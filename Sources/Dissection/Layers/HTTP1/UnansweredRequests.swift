// Requests without a response, and what that says about the connection.
extension HTTP1Layer {
    /// A shorter silence before a request is no sign that a server has given the connection up.
    private static let shortestSilence: Int64 = 1_000_000_000
    /// A server that resets a connection later than this may have read the request.
    private static let longestReset: Int64 = 500_000_000

    /// The server sends nothing more: reports the requests that wait for a response.
    mutating func tellUnanswered<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let first = exchange.waiting.first
        let isUpgrade = exchange.mayLoseSwitch && !exchange.isTunnelAsked
        let count = exchange.end()
        guard count > 0 else { return }
        if count == 1, let first, isKeepAliveRace(first, at: arrival, context) {
            var text = FindingText()
            text.append(span: idleBefore)
            context.emit(
                .httpKeepAliveRace, a: first.asked?.exchange ?? 0, at: arrival, content: text.bytes.rawBytes, sink: &sink)
        } else if count == 1, isUpgrade, let ending = context.end(at: arrival), ending.how == .fin || ending.how == .reset {
            var text = FindingText()
            text.append(ending.side == .client ? "and the client " : "and the server ")
            text.append(ending.how == .reset ? "reset the connection" : "closed the connection")
            if let asked = client.firstTime, let ended = ending.time, ended >= asked {
                text.append(" after ")
                text.append(span: ended.nanoseconds(since: asked))
            }
            context.emit(.webSocketUnanswered, at: arrival, content: text.bytes.rawBytes, sink: &sink)
        } else {
            context.emit(.httpRequestUnanswered, a: UInt64(count), at: arrival, sink: &sink)
        }
    }

    /// Whether a request met a server that was closing the connection, because nothing had come for long.
    private func isKeepAliveRace(_ asked: PendingRequest, at arrival: Arrival, _ context: borrowing ConversationContext) -> Bool {
        guard arrival.side == .server, !context.endIsUnseen, (asked.asked?.exchange ?? 0) > 1, idleBefore >= Self.shortestSilence,
            !server.marks.contains(.closing), context.isWhole(.client), context.isWhole(.server)
        else { return false }
        if context.endIsReset, let sent = client.firstTime, let ended = arrival.place.time {
            return ended >= sent && ended.nanoseconds(since: sent) <= Self.longestReset
        }
        // A FIN that was sent before the request had arrived.
        return !context.endIsReset && arrival.place.packets != nil && !asked.wasSent(before: arrival.place.received)
    }

    /// A body comes that the client wanted to be asked for.
    func tellContinueMissing<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let asked = client.firstTime, let now = arrival.place.time, context.isWhole(.server) else { return }
        let waited = now.nanoseconds(since: asked)
        guard waited >= 500_000_000 else { return }
        var text = FindingText()
        text.append(span: waited)
        context.emit(.httpContinueMissing, at: arrival, content: text.bytes.rawBytes, sink: &sink)
    }

    /// A request has the key of a WebSocket, and nothing that asks for one: says who may have removed that.
    func tellLostUpgrade<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, _ fields: ByteRange, isBefore11: Bool, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        var text = FindingText()
        var (via, forwarded) = (ByteRange(), false)
        var fields = HeaderFields(in: head, at: fields)
        while let field = fields.next() {
            let name = field.name.start..<field.name.end
            if head.equals("via", in: name), via.isEmpty { via = field.value }
            if head.equals("x-forwarded-for", in: name) || head.equals("forwarded", in: name) { forwarded = true }
        }
        if !via.isEmpty {
            text.append("a proxy on the way may have removed it (Via: ")
            text.append(head.extracting(via.start..<via.end))
            text.append(")")
        } else if isBefore11 {
            text.append("it came as HTTP/1.0, as nginx sends it without proxy_http_version 1.1")
        } else if forwarded {
            text.append("a proxy on the way may have removed it (it sent X-Forwarded-For or Forwarded)")
        } else {
            text.append("a proxy on the way may have removed it")
        }
        context.emit(.httpUpgradeLost, at: arrival, content: text.bytes.rawBytes, sink: &sink)
    }
}
