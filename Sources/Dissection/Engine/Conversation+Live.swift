// What a source that stands in the conversation knows beside its bytes: names, its own findings, the time of its end.

extension Conversation {
    /// Tells `opened` as the source knows it, instead of what packets would show.
    ///
    /// - Parameter content: what the names of `opening` point to.
    package mutating func open<Sink: ConversationSink & ~Copyable>(as opening: Opening, content: RawSpan, sink: inout Sink) {
        guard !isOpened else { return }
        isOpened = true
        sink.receive(
            ConversationEvent(
                conversation: context.number, from: nil, place: lastPlace, offset: nil, fact: .opened(opening), content: content))
        open(sink: &sink)
    }

    /// Tells what was agreed on where the source terminates TLS.
    package mutating func tell<Sink: ConversationSink & ~Copyable>(
        _ facts: TLSFacts, content: RawSpan, at time: Timestamp, sink: inout Sink
    ) {
        guard !isClosed else { return }
        sink.receive(
            ConversationEvent(
                conversation: context.number, from: nil, place: Place(time: time), offset: nil, fact: .tls(facts), content: content))
    }

    /// Tells a finding of the source itself. `content` is the text that the row's sentence names.
    package mutating func tell<Sink: ConversationSink & ~Copyable>(
        _ finding: Finding, content: RawSpan, at time: Timestamp, sink: inout Sink
    ) {
        guard !isClosed else { return }
        context.emit(finding, at: Place(time: time), content: content, sink: &sink)
    }

    /// Ends the conversation at a time of which only the source knows.
    package mutating func close<Sink: ConversationSink & ~Copyable>(
        _ how: Closing.Manner, by closer: Closing.Closer, at time: Timestamp, sink: inout Sink
    ) {
        guard !isClosed else { return }
        lastPlace.extend(by: Place(time: time))
        close(how, by: closer, sink: &sink)
    }
}
