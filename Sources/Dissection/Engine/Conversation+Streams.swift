// What the directions bring, for sinks that take streams (`StreamRun`).
extension Conversation {
    /// Hands on what a direction brought, before it is read.
    func hand<Sink: ConversationSink & ~Copyable>(
        _ fact: StreamRun.Fact, _ bytes: RawSpan = RawSpan(), direction: Direction, place: Place, sink: inout Sink
    ) {
        let side = context.parties.side(of: direction)
        context.hand(fact, bytes, from: side, offset: reader.end(of: side), time: place.time, sink: &sink)
    }

    /// Says how far both directions were read, after one of them has brought something.
    func handRead<Sink: ConversationSink & ~Copyable>(direction: Direction, place: Place, sink: inout Sink) {
        let side = context.parties.side(of: direction)
        let (sender, peer) = (reader.end(of: side), reader.end(of: side.peer))
        context.hand(
            .read(sender: sender &- reader.waiting(of: side), peer: peer &- reader.waiting(of: side.peer)), from: side, offset: sender,
            time: place.time, sink: &sink)
    }

    /// Hands on that a direction has ended, after all that waited for that was read.
    func handEnd<Sink: ConversationSink & ~Copyable>(
        _ fact: StreamRun.Fact, direction: Direction, place: Place, sink: inout Sink
    ) {
        handRead(direction: direction, place: place, sink: &sink)
        hand(fact, direction: direction, place: place, sink: &sink)
    }
}
