/// The opening handshake of a WebSocket (RFC 6455, section 4), judged from outside.
package enum WebSocketHandshake {
    /// Judges the request's side (findings right after the `request` event).
    static func judgeRequest<Sink: ConversationSink & ~Copyable>(
        head: RawSpan, request: RequestHead, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {}

    /// Tells the `upgrade`, after the `response` event, and returns what was agreed.
    static func judgeAnswer<Sink: ConversationSink & ~Copyable>(
        offer: UpgradeOffer?, head: RawSpan, response: ResponseHead, at arrival: Arrival, context: inout ConversationContext,
        sink: inout Sink
    ) -> WebSocketNegotiation {
        let name = Array("websocket".utf8)
        context.emit(
            .upgrade(Upgrade(protocolName: ByteRange(0..<name.count), accepted: true)), at: arrival, content: name.rawBytes, sink: &sink)
        return WebSocketNegotiation()
    }
}
