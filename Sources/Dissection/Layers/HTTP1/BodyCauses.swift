// What a body says about why something failed, and whether it ended as it has to.
extension BodyAssembly {
    /// What of the wire from the beginning of the part to `offset` is no byte of the body.
    func framing(before offset: UInt64) -> UInt64 { offset &- start &- wire }

    /// Bytes of a part that are kept: what the outputs show, and what may say why a request was refused or what a session announces, though no
    /// output shows it.
    func mostKept(_ limits: Limits) -> Int {
        refusal == nil && !opensEngineIO
            ? limits.messageBytes
            : max(limits.messageBytes, min(RequestRefusal.mostRead, limits.bodyPartBytes))
    }

    /// Reports what a part has shown, right after it.
    mutating func tellCauses<Sink: ConversationSink & ~Copyable>(
        _ event: BodyPart, _ content: RawSpan, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        if refusal != nil { tellRefusal(content.extracting(event.payload.start..<event.payload.end), context: &context, sink: &sink) }
        if opensEngineIO {
            opensEngineIO = false
            if let session = EngineIOSession(opening: content.extracting(event.payload.start..<event.payload.end)) {
                context.engineIOSession = session
            }
        }
        if event.final, !event.isUnfinished, event.element == nil, elements?.hasOpenEvent == true {
            context.emit(.httpEventUnterminated, at: beginning(of: side, at: place ?? Place()), sink: &sink)
        }
    }

    /// Says that a WebSocket was refused, once.
    ///
    /// - Parameter body: the first part of the body.
    mutating func tellRefusal<Sink: ConversationSink & ~Copyable>(
        _ body: RawSpan = RawSpan(), context: inout ConversationContext, sink: inout Sink
    ) {
        guard let refusal else { return }
        self.refusal = nil
        refusal.tell(body: body, context: &context, sink: &sink)
    }
}
