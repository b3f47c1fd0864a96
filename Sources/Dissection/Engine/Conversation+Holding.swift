// Bytes of one side that wait until the other has said what they are.
extension Conversation {
    mutating func dispatchBesideHold<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, direction: Direction, place: Place, sink: inout Sink
    ) {
        let side = sides.side(of: direction)
        if heldSide == side {
            hold(bytes, direction: direction, place: place)
            releaseServer(sink: &sink)
        } else {
            deliver(bytes, side: side, place: place, sink: &sink)
            releaseHold(sink: &sink)
        }
    }

    mutating func hold(_ bytes: RawSpan, direction: Direction, place: Place) {
        queue.append(bytes, direction: direction, place: place, within: context.limits.outOfOrderBytes)
    }

    /// A server's bytes that wait for a request wait no longer once there are many of them: in a capture packets that have
    /// changed places are never far apart.
    mutating func releaseServer<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        guard heldSide == .server, queue.bytes(of: sides.direction(of: .server)).byteCount >= context.limits.roleBytes else { return }
        stack.stopHolding(.server)
        releaseHold(sink: &sink)
    }

    mutating func releaseHold<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        guard let side = heldSide, !stack.isHolding(side) else { return }
        heldSide = nil
        replay(sink: &sink)
    }
}
