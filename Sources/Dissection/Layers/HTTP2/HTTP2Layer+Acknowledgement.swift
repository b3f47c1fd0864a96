/// SETTINGS that are never acknowledged (RFC 9113, section 6.5.3).
extension HTTP2Layer {
    /// A side that goes on for so long, and with so many frames, has had the SETTINGS and the time to acknowledge them.
    private static var longestAcknowledgement: Int64 { 5_000_000_000 }
    private static var usualAcknowledgement: Int64 { 1_000_000_000 }
    private static var fewFrames: Int { 5 }

    /// A side sends a frame, and may owe an acknowledgement by then.
    mutating func noteUnacknowledged(_ frame: HTTP2FrameHeader, at arrival: Arrival) {
        let side = arrival.side
        guard let since = self[side.peer].awaitsSince, frame.type != .settings, let now = arrival.place.time,
            now.nanoseconds(since: since) > HTTP2Layer.usualAcknowledgement
        else { return }
        self[side].unacknowledging += 1
        self[side].unacknowledgedAt = now
    }

    /// A side has said its last word.
    mutating func tellUnacknowledged<Sink: ConversationSink & ~Copyable>(
        _ side: Side, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard knowsAll, self[side].unacknowledging >= HTTP2Layer.fewFrames, let since = self[side.peer].awaitsSince,
            let last = self[side].unacknowledgedAt, last.nanoseconds(since: since) >= HTTP2Layer.longestAcknowledgement
        else { return }
        let time = Array(HTTP2Layer.words(of: last.nanoseconds(since: since)).utf8)
        context.emit(
            .http2SettingsUnacknowledged, a: UInt64(self[side].unacknowledging), b: side == .client ? 1 : 2, at: arrival,
            content: time.rawBytes, sink: &sink)
    }
}
