// Which layer reads, from when to when.
extension Reader {
    /// A layer reads from here on.
    mutating func enter<Sink: ConversationSink & ~Copyable>(
        _ name: LayerName, isFound: Bool = false, isFoundAfterLoss: Bool = false, context: inout ConversationContext, sink: inout Sink
    ) {
        leave(context: &context, sink: &sink)
        layer = context.layers.make(
            name,
            LayerStart(
                isForced: name == forced, isFound: isFound, isFoundAfterLoss: isFoundAfterLoss, framing: name == .data ? framing : nil))
        phase = .running
        tellEnds(context: &context, sink: &sink)
    }

    /// The layer that has read so far tells what it holds: another one goes on.
    private mutating func leave<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard let layer else { return }
        layer.settle(context: &context, sink: &sink)
        for side in [Side.client, .server] { layer.flush(at: endArrival(of: side, context), context: &context, sink: &sink) }
    }

    /// From here on a channel inside this one is read.
    mutating func enterInside<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        leave(context: &context, sink: &sink)
        layer = HeldLayer(TunnelLayer<Reader>(fromStart: true))
        phase = .running
        tellEnds(context: &context, sink: &sink)
    }

    /// The layer learns which side has ended without a word.
    private mutating func tellEnds<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        for side in [Side.client, .server] where sides.end(of: side) == .fin {
            layer?.finish(at: endArrival(of: side, context), context: &context, sink: &sink)
        }
        countLayer()
    }

    /// Where the next byte of a side would stand.
    func endArrival(of side: Side, _ context: borrowing ConversationContext) -> Arrival {
        Arrival(side: side, offset: sides.offset(of: side), place: context.lastPlace)
    }

    /// The layer learns of the sides that have not ended themselves that there will be no more.
    mutating func finishOpenSides<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        for side in [Side.client, .server] where sides.end(of: side) == .open {
            layer?.finish(at: endArrival(of: side, context), context: &context, sink: &sink)
            countLayer()
        }
    }

    /// Gives up all that it keeps.
    mutating func release() {
        queue = PlacedQueue()
        layer = nil
        search = nil
        watched = nil
    }
}
