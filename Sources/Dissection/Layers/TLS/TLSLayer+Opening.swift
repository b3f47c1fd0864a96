// What comes while there are keys, or may be.
extension TLSLayer {
    mutating func receiveOpening<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let opened else { return }
        if opened.wait == nil {
            takeOrWait(bytes, at: arrival, context: &context, sink: &sink)
        } else {
            opened.wait?.runs.append(bytes, at: arrival)
            guard opened.isWaitOver(at: arrival.place.time, limit: context.limits.sealedBytes) else { return }
            resume(context: &context, sink: &sink)
        }
        opened.freePlaintext()
        if opened.isDone { seal(context: context, sink: &sink) }
    }

    /// Nothing is opened, now or later.
    private mutating func seal<Sink: ConversationSink & ~Copyable>(context: borrowing ConversationContext, sink: inout Sink) {
        opened?.tellSealed(context: context, sink: &sink)
        set(nil)
    }

    private mutating func takeOrWait<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let taken = take(bytes, at: arrival, context: &context, sink: &sink)
        opened?.wait?.runs.append(bytes.suffix(from: taken), at: arrival.advanced(by: taken))
    }

    /// Goes on where a record has waited for a key, which has come or will not.
    private mutating func resume<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard let opened, let wait = opened.wait else { return }
        opened.wait = nil
        if wait.side == .client {
            client.resume(handshake: &handshake, context: &context, sink: &sink)
        } else {
            server.resume(handshake: &handshake, context: &context, sink: &sink)
        }
        for run in 0..<wait.runs.runCount {
            let arrival = wait.runs.arrival(of: run)
            if opened.wait == nil {
                takeOrWait(wait.runs.bytes(of: run), at: arrival, context: &context, sink: &sink)
            } else {
                // For the next key.
                opened.wait?.runs.append(wait.runs.bytes(of: run), at: arrival)
            }
        }
    }

    /// Reads what waits, with the keys that there are by now.
    mutating func stopWaiting<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard let opened, opened.wait != nil else { return }
        opened.giveUpWaiting()
        resume(context: &context, sink: &sink)
        if opened.isDone { seal(context: context, sink: &sink) }
    }
}
