// Early data (RFC 8446, section 4.2.10): it comes before the server has said whether it takes it.
extension OpenedTLS {
    /// Tells what has become of early data, once the server has said so.
    func settleEarly<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard early.runCount > 0, let extensions = connection.extensions else { return }
        if extensions.acceptsEarlyData {
            tellEarly(at: early.arrival(of: 0), context: &context, sink: &sink)
            return passEarly(context: &context, sink: &sink)
        }
        let refused = early
        early = WaitingRuns()
        client.lost.forget(.early)
        for run in 0..<refused.runCount where refused.gap(of: run) == nil {
            // As any other record whose content is not shown.
            let length = UInt64(refused.bytes(of: run).byteCount)
            context.emit(
                .data(DataRun(length: length, framing: .tlsRecord(contentType: 23))), at: refused.arrival(of: run), sink: &sink)
        }
        context.emit(.tlsEarlyDataRefused, a: UInt64(refused.count), at: refused.arrival(of: 0), sink: &sink)
    }

    /// Says once that the server takes early data. How much of it comes is not known then.
    func tellEarly<Sink: ConversationSink & ~Copyable>(at arrival: Arrival, context: inout ConversationContext, sink: inout Sink) {
        guard !saysEarly else { return }
        saysEarly = true
        context.emit(.tlsEarlyData, at: arrival, sink: &sink)
    }

    /// Hands early data to the reader inside: the server has taken it, or nobody will know.
    func passEarly<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard early.runCount > 0 else { return }
        let taken = early
        early = WaitingRuns()
        for run in 0..<taken.runCount {
            let arrival = taken.arrival(of: run)
            if let gap = taken.gap(of: run) {
                pass(gap, from: .client, outside: arrival.offset, place: arrival.place, context: &context, sink: &sink)
                continue
            }
            let bytes = taken.bytes(of: run)
            let end = arrival.offset &+ UInt64(TLSRecordHeader.length + bytes.byteCount)
            pass(bytes, from: .client, outside: end, place: arrival.place, context: &context, sink: &sink)
        }
    }
}
