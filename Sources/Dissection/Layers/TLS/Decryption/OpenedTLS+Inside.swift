// What the channel inside is given, and what sinks are told of it that take streams (`StreamRun`).

/// What sinks that take streams were told of a connection of TLS.
struct OpenedStream {
    fileprivate var hasClient = false
    fileprivate var hasServer = false
    fileprivate var isOpen = false
}

extension OpenedTLS {
    /// A side brings its first bytes, or they are missing.
    func noteBeginning<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: borrowing ConversationContext, sink: inout Sink
    ) {
        guard arrival.side == .client ? !stream.hasClient : !stream.hasServer else { return }
        if arrival.side == .client { stream.hasClient = true } else { stream.hasServer = true }
        context.hand(.tlsBegins, from: arrival.side, offset: arrival.offset, time: arrival.place.time, sink: &sink)
    }

    /// Nothing is opened.
    func tellSealed<Sink: ConversationSink & ~Copyable>(context: borrowing ConversationContext, sink: inout Sink) {
        context.hand(.tlsStaysSealed, from: .client, offset: 0, time: context.lastPlace.time, sink: &sink)
    }

    /// - Parameter outside: where the record ends that they came in.
    func pass<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, from side: Side, outside: UInt64, place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        let count = UInt64(bytes.byteCount)
        guard count > 0 else { return }
        if !stream.isOpen {
            stream.isOpen = true
            context.hand(.tlsOpens, from: side, offset: outside, time: place.time, sink: &sink)
        }
        let start = (side == .client ? client : server).offset
        if side == .client { client.pass(count) } else { server.pass(count) }
        beginning.set(side, outside: outside, inside: start &+ count)
        let entered = beginning
        let outer = context.enterPlaintext(entered)
        context.hand(.bytes, bytes, from: side, offset: start, time: place.time, sink: &sink)
        inside.receive(.bytes(bytes), from: side, place: place, context: &context, sink: &sink)
        handRead(from: side, place: place, context: context, sink: &sink)
        context.leavePlaintext(entered, to: outer)
    }

    func pass<Sink: ConversationSink & ~Copyable>(
        _ gap: Gap, from side: Side, outside: UInt64, place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        let start = (side == .client ? client : server).offset
        if side == .client { client.pass(gap.length) } else { server.pass(gap.length) }
        beginning.set(side, outside: outside, inside: start &+ gap.length)
        let entered = beginning
        let outer = context.enterPlaintext(entered)
        if (side == .client ? client : server).hasInexactGap { context.sight.noteInexactGap(of: side) }
        context.hand(.gap(gap.length), from: side, offset: start, time: place.time, sink: &sink)
        inside.receive(.gap(length: gap.length, cause: gap.cause), from: side, place: place, context: &context, sink: &sink)
        handRead(from: side, place: place, context: context, sink: &sink)
        context.leavePlaintext(entered, to: outer)
    }

    /// Hands the end of a side to the reader inside.
    func passEnd<Sink: ConversationSink & ~Copyable>(at arrival: Arrival, context: inout ConversationContext, sink: inout Sink) {
        let side = arrival.side
        let end = (side == .client ? client : server).offset
        beginning.set(side, outside: arrival.offset, inside: end)
        let entered = beginning
        let outer = context.enterPlaintext(entered)
        inside.receive(.finished, from: side, place: arrival.place, context: &context, sink: &sink)
        handRead(from: side, place: arrival.place, context: context, sink: &sink)
        // An end that nobody has seen is none of the stream, and a RST is one of the connection.
        if !context.endIsUnseen, !context.endIsReset {
            context.hand(.finished, from: side, offset: end, time: arrival.place.time, sink: &sink)
        }
        context.leavePlaintext(entered, to: outer)
    }

    /// Says how far the channel inside was read.
    private func handRead<Sink: ConversationSink & ~Copyable>(
        from side: Side, place: Place, context: borrowing ConversationContext, sink: inout Sink
    ) {
        guard sink.takesStreams else { return }
        let (sender, peer) = side == .client ? (client.offset, server.offset) : (server.offset, client.offset)
        context.hand(
            .read(sender: sender &- inside.waiting(of: side), peer: peer &- inside.waiting(of: side.peer)), from: side, offset: sender,
            time: place.time, sink: &sink)
    }
}
