/// Flow control (RFC 9113, section 5.2): what each side may still send, and how long it waited for more.
extension HTTP2Layer {
    /// Shorter waits are told of nobody: a window that is used up is refilled within a round trip.
    private static var longestUsualWait: Int64 { 100_000_000 }

    mutating func takeWindow<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ increment: UInt32, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = frameArrival(side)
        guard increment > 0 else { return context.emit(.http2WindowZero, at: arrival, sink: &sink) }
        if frame.stream == 0 {
            self[side.peer].window += Int64(increment)
            if knowsAll, self[side.peer].window > 0x7FFF_FFFF {
                context.emit(.http2WindowOverflow, a: UInt64(self[side.peer].window), at: arrival, sink: &sink)
            }
            guard waiting > 0 else { return }
            for stream in streams.values.filter({ $0[side.peer].waitsSince != nil }).sorted(by: { $0.number < $1.number }) {
                endWait(stream, side.peer, at: arrival, context: &context, sink: &sink)
            }
            return
        }
        guard let stream = streams[frame.stream] else {
            if knowsAll, !isOver(frame.stream, side) { context.emit(.http2StreamIdle, at: arrival, sink: &sink) }
            return
        }
        stream[side.peer].window += Int64(increment)
        // Which of several first windows holds is known when they are accepted.
        if knowsAll, self[side].unacceptedWindows.isEmpty, stream[side.peer].window > 0x7FFF_FFFF {
            context.emit(.http2WindowOverflow, a: UInt64(stream[side.peer].window), at: arrival, sink: &sink)
        }
        endWait(stream, side.peer, at: arrival, context: &context, sink: &sink)
    }

    /// The first window of all streams has changed, of those that are open too (section 6.9.2).
    mutating func moveWindows<Sink: ConversationSink & ~Copyable>(
        of side: Side, by change: Int64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard change != 0 else { return }
        for stream in streams.values.sorted(by: { $0.number < $1.number }) {
            stream[side].window += change
            endWait(stream, side, at: arrival, context: &context, sink: &sink)
        }
    }

    /// DATA uses up both windows, padding included.
    mutating func spendWindow<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ side: Side, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let length = Int64(frame.length)
        let wasLeft = min(self[side].window, streams[frame.stream]?[side].window ?? .max)
        self[side].window -= length
        streams[frame.stream]?[side].window -= length
        // What was used before the other side took some back is no fault, and not known here.
        guard knowsAll, length > 0, wasLeft >= 0, length > wasLeft else { return }
        context.emit(.http2WindowExceeded, a: UInt64(length), b: UInt64(wasLeft), at: arrival, sink: &sink)
    }

    /// A side has sent DATA, and there is more to come: it waits where it may send nothing.
    mutating func noteWait(_ stream: HTTP2Stream, _ side: Side, at time: Timestamp?) {
        guard knowsAll, stream[side].waitsSince == nil, min(self[side].window, stream[side].window) <= 0, let time else { return }
        stream[side].waitsSince = time
        waiting += 1
    }

    private mutating func endWait<Sink: ConversationSink & ~Copyable>(
        _ stream: HTTP2Stream, _ side: Side, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let since = stream[side].waitsSince, min(self[side].window, stream[side].window) > 0 else { return }
        stream[side].waitsSince = nil
        waiting -= 1
        guard let now = arrival.place.time, now.nanoseconds(since: since) >= HTTP2Layer.longestUsualWait else { return }
        let before = context.enterStream(stream.number)
        let wait = Array(HTTP2Layer.words(of: now.nanoseconds(since: since)).utf8)
        context.emit(.http2WindowStall, a: UInt64(stream.number), at: arrival, content: wait.rawBytes, sink: &sink)
        context.leaveStream(before)
    }

    /// `230 ms`, `1.2 s`.
    static func words(of nanoseconds: Int64) -> String {
        let milliseconds = (nanoseconds + 500_000) / 1_000_000
        if milliseconds < 1_000 { return "\(milliseconds) ms" }
        let tenths = (nanoseconds + 50_000_000) / 100_000_000
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
