// An HTTP response where a frame has to begin (ws 1122, 2183, 2282: "RSV1 must be clear").
//
// Read as a frame, `HT` is the header of a Close frame without FIN, with RSV1 and 84 bytes of payload, whose code is `TP`: 21584. No
// frame may begin so, whatever was agreed on: a control frame has FIN.
extension WebSocketDirection {
    /// What follows `HT` in the beginning of a response.
    private static let rest = Array("TP/1.".utf8)

    /// The header that was read last is `HT`, from a side that may send a response.
    private var isLikeHTTP: Bool {
        faults.contains(.controlFragmented) && side == .server && frame.opcode == 8 && frame.rsv == 4 && !frame.masked
            && frame.length == 0x54 && frame.headerLength == 2
    }

    /// Whether the header that was read last is none, but begins a response that is in `bytes` at `position`.
    func isHTTP(in bytes: RawSpan, at position: Int) -> Bool {
        isLikeHTTP && Self.isRest(bytes.suffix(from: min(position + 2, bytes.byteCount)))
    }

    /// The same in `bytes`, which came of the payload so far.
    func isHTTP(payload bytes: RawSpan) -> Bool { isLikeHTTP && lost == 0 && Self.isRest(bytes) }

    private static func isRest(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount >= rest.count else { return false }
        for index in rest.indices where bytes[index] != rest[index] { return false }
        return true
    }

    /// From here on the bytes are a response, and shown as they come.
    ///
    /// - Parameter payload: what came of it and was taken for the payload of a frame.
    mutating func beginHTTP<Sink: ConversationSink & ~Copyable>(
        _ payload: RawSpan, context: inout ConversationContext, sink: inout Sink
    ) {
        tellUnfinished(context: &context, sink: &sink)
        phase = .opaque
        context.emit(.webSocketHTTPInside, at: frameArrival, sink: &sink)
        guard payload.byteCount > 0 else { return }
        var begun = Array("HT".utf8)
        begun.append(copying: payload)
        context.emit(.data(DataRun(length: UInt64(begun.count))), at: frameArrival, content: begun.rawBytes, sink: &sink)
    }
}
