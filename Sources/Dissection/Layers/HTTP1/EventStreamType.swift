extension FindingRow {
    package static let httpEventStreamType = FindingRow(
        id: "http.event-stream-type", severity: .warning, reference: "HTML 9.2.3",
        detail: "the response to a request for text/event-stream {text}",
        explanation: """
            A request whose only accepted type is text/event-stream is that of an EventSource. Where the response has status 200 and another \
            Content-Type, the EventSource fails and does not connect again: browsers say that the response has a MIME type that is not \
            "text/event-stream". Often the page of a single-page app, a login page or an error of a proxy is sent in place of the stream: look \
            at the path, and at whether the request was authenticated.
            """)
}

extension HTTP1Layer {
    /// Reports a response that is not the stream of events which was requested.
    ///
    /// - Parameter asked: its request.
    func reportOtherType<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, _ response: ResponseHead, _ asked: PendingRequest?, _ summary: HeadSummary, at arrival: Arrival,
        context: inout ConversationContext, sink: inout Sink
    ) {
        guard response.status == 200, asked?.traits.contains(.acceptsEvents) == true, summary.streams != .event else { return }
        var type = ByteRange()
        var fields = HeaderFields(in: head, at: response.fields)
        while let field = fields.next() {
            if head.equals("content-type", in: field.name.start..<field.name.end) { type = field.value }
        }
        var text = FindingText()
        if type.isEmpty {
            text.append("has no Content-Type")
        } else {
            text.append("has the Content-Type ")
            text.append(head.extracting(type.start..<type.end), most: 64)
        }
        context.emit(.httpEventStreamType, at: arrival, content: text.bytes.rawBytes, sink: &sink)
    }
}
