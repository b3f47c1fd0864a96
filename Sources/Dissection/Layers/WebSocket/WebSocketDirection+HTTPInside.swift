extension WebSocketDirection {
    /// Takes bytes that may show that the header which was read last is none. Returns where reading goes on in them.
    ///
    /// - Parameter headerStart: where that header begins in them; nil where it came before.
    mutating func compareHTTP<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, from start: Int, headerStart: Int?, at arrival: Arrival, session: inout WebSocketSession,
        context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        guard var inside = http else { return start }
        if headerStart == nil { framePlace.extend(by: arrival.place) }
        for position in start..<bytes.byteCount {
            switch inside.take(bytes[position]) {
            case .undecided: continue
            case .found:
                http = nil
                tellUnfinished(context: &context, sink: &sink)
                phase = .opaque
                context.emit(.webSocketHTTPInside, at: frameArrival, content: Array(inside.words.description.utf8).rawBytes, sink: &sink)
                // From here on the bytes are shown as they come.
                if let headerStart { return headerStart }
                let came = inside.bytes
                context.emit(.data(DataRun(length: UInt64(came.count))), at: frameArrival, content: came.rawBytes, sink: &sink)
                return position + 1
            case .other:
                http = inside
                endComparison(&session, context: &context, sink: &sink)
                return position
            }
        }
        http = inside
        return bytes.byteCount
    }

    /// The header that was read last is one after all, or nothing more comes: what was compared belongs to its frame.
    mutating func endComparison<Sink: ConversationSink & ~Copyable>(
        _ session: inout WebSocketSession, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let inside = http else { return }
        http = nil
        beginFrame(&session, context: &context, sink: &sink)
        let came = inside.compared
        guard !came.isEmpty else { return }
        receive(
            came.rawBytes, at: frameArrival.advanced(by: Int(frame.headerLength)), session: &session, context: &context, sink: &sink)
    }
}
