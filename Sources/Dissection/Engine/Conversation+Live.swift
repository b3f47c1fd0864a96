// Opening and closing by a source that stands in the conversation: it knows names, and the time of the end.

extension Conversation {
    /// Tells `opened` as the source knows it, instead of what packets would show.
    ///
    /// - Parameter content: what the names of `opening` point to.
    package mutating func open<Sink: ConversationSink & ~Copyable>(as opening: Opening, content: RawSpan, sink: inout Sink) {
        guard !isOpened else { return }
        isOpened = true
        sink.receive(
            ConversationEvent(
                conversation: context.number, from: nil, place: context.lastPlace, offset: nil, fact: .opened(opening), content: content))
        open(sink: &sink)
    }

    /// Ends the conversation at a time of which only the source knows.
    ///
    /// - Parameter ends: how the sides had left by then, where that was no end of what they had to say.
    mutating func close<Sink: ConversationSink & ~Copyable>(
        _ how: Closing.Manner, by closer: Closing.Closer, ends: Closing.Ends = Closing.Ends(), at time: Timestamp,
        among lives: inout LifeSpans, sink: inout Sink
    ) {
        guard !isClosed else { return }
        context.lastPlace.extend(by: Place(time: time))
        close(how, by: closer, ends: ends, among: &lives, sink: &sink)
    }
}
