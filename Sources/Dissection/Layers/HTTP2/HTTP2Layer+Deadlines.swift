/// Deadlines of gRPC calls (grpc/grpc, PROTOCOL-HTTP2.md, "Timeout"): whether a call ended in time.
extension HTTP2Layer {
    /// What a deadline may differ from what its client says of it: libraries round it, and begin to count before they send it.
    private static func tolerance(of deadline: Int64) -> Int64 { deadline / 50 + 5_000_000 }

    /// A side has ended a stream. A server says how a call has ended, in the trailers, or in the head of a response without messages.
    func judgeCallStatus<Sink: ConversationSink & ~Copyable>(
        of stream: HTTP2Stream, _ side: Side, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard side == .server, stream.awaitsCallStatus else { return }
        stream.awaitsCallStatus = false
        guard knowsAll, !stream.server.hasGap else { return }
        context.emit(.http2CallStatusMissing, at: arrival, sink: &sink)
    }

    /// A call has ended: with the end of its response, or because one side has reset the stream.
    ///
    /// - Parameter isGivenUp: It ended because its time was over, by what its end says (status 4, DEADLINE_EXCEEDED), or it was cancelled.
    func judgeDeadline<Sink: ConversationSink & ~Copyable>(
        of stream: HTTP2Stream, isGivenUp: Bool, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let deadline = stream.deadline, let start = stream.requestStart, let now = arrival.place.time else { return }
        let elapsed = now.nanoseconds(since: start)
        let isLate = isGivenUp ? elapsed >= deadline - Self.tolerance(of: deadline) : elapsed > deadline
        guard isLate, elapsed >= 0 else { return }
        // Once; a client may cancel what has just ended.
        stream.deadline = nil
        let words = Array(Self.words(of: elapsed).utf8)
        let milliseconds = max(0, deadline / 1_000_000) + (deadline % 1_000_000 >= 500_000 ? 1 : 0)
        context.emit(.http2CallDeadline, a: UInt64(milliseconds), at: arrival, content: words.rawBytes, sink: &sink)
    }
}
