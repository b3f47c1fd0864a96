// Bytes of one side that wait until the other has said what they are.
extension Reader {
    mutating func dispatchBesideHold<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, from side: Side, place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        if heldSide == side {
            hold(bytes, from: side, place: place, context)
            releaseServer(context: &context, sink: &sink)
            releaseClient(place, context: &context, sink: &sink)
        } else {
            deliver(bytes, from: side, place: place, context: &context, sink: &sink)
            releaseHold(context: &context, sink: &sink)
        }
    }

    mutating func hold(_ bytes: RawSpan, from side: Side, place: Place, _ context: borrowing ConversationContext) {
        queue.append(bytes, from: side, place: place, within: context.limits.outOfOrderBytes)
    }

    /// A server's bytes that wait for a request wait no longer once there are many of them: in a capture packets that have
    /// changed places are never far apart.
    mutating func releaseServer<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard heldSide == .server, queue.bytes(of: .server).byteCount >= context.limits.roleBytes else { return }
        layer?.stopHolding(.server)
        releaseHold(context: &context, sink: &sink)
    }

    /// A client's bytes that wait for a response wait no longer where nothing of the server is captured: once the client has received what was
    /// not seen, or once there are many of them.
    private mutating func releaseClient<Sink: ConversationSink & ~Copyable>(
        _ place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        guard heldSide == .client, context.isUnseen(.server),
            place.hasReceived(sides.offset(of: .server)) || queue.bytes(of: .client).byteCount >= context.limits.textBytes
        else { return }
        layer?.stopHolding(.client)
        releaseHold(context: &context, sink: &sink)
    }

    mutating func releaseHold<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard let side = heldSide, layer?.isHolding(side) != true else { return }
        heldSide = nil
        replay(context: &context, sink: &sink)
    }
}
