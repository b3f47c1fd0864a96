// Bytes after a Close frame that are no frames.
extension WebSocketDirection {
    /// From here on the bytes are no frames; `header` is what came of the first one in earlier runs.
    mutating func beginOpaque<Sink: ConversationSink & ~Copyable>(
        _ header: [UInt8], at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        phase = .opaque
        context.emit(.webSocketBytesAfterClose, at: arrival, sink: &sink)
        if !header.isEmpty {
            context.emit(.data(DataRun(length: UInt64(header.count))), at: arrival, content: header.rawBytes, sink: &sink)
        }
    }
}
