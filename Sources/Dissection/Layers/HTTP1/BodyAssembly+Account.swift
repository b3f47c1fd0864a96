// The bounds on what all compressed bodies of a conversation become together.
extension BodyAssembly {
    /// What has been told of the body is as much as is told of one, or more than so few bytes should become.
    func isBeyondBounds(_ decoder: ContentDecoder, _ context: borrowing ConversationContext) -> Bool {
        decodedInAll >= context.limits.codedBodyBytes || ContentDecoder.isExcessive(decodedInAll, from: decoder.wire)
            || context.inflation.room(for: wire) == 0
    }

    /// How much of a part under a coding is told, so that all bodies of the conversation stay within their account.
    func withinAccount(_ payload: Int, context: inout ConversationContext) -> Int {
        let told = min(UInt64(payload), context.inflation.room(for: wire))
        context.inflation.add(told, for: wire)
        return Int(told)
    }

    /// Says, once in a conversation, that content is left out because all of it together becomes too much.
    func tellOverdrawn<Sink: ConversationSink & ~Copyable>(
        side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        guard !context.inflation.isOverdrawn else { return }
        context.inflation.isOverdrawn = true
        context.emit(
            .httpContentLimit, a: toldInAll, at: Arrival(side: side, offset: start, place: place ?? Place()), sink: &sink)
    }
}
