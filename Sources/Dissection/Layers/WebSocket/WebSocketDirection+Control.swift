/// Control frames: ping, pong, Close (RFC 6455, section 5.5).
extension WebSocketDirection {
    /// Tells a control frame that is whole. `content` is its payload, as much as came of it.
    mutating func tellControl<Sink: ConversationSink & ~Copyable>(
        _ content: RawSpan, _ session: inout WebSocketSession, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = frameArrival
        switch frame.opcode {
        case 8:
            tellClose(content, &session, context: &context, sink: &sink)
        case 9:
            context.emit(.ping, at: arrival, content: content, sink: &sink)
            if session[asked: side] == nil, unproven == 0, !hasClosed { session[asked: side] = arrival.place.time }
            if lost == 0 { session[pings: side].append(content, time: arrival.place.time, most: context.limits.pendingPings) }
        case 10:
            session[asked: side.peer] = nil
            var pong = Pong(roundTrip: nil, unsolicited: false)
            if lost == 0 {
                let answered = session[pings: side.peer].answer(content, at: arrival.place.time)
                if let asked = answered {
                    if let asked, let now = arrival.place.time { pong.roundTrip = now.nanoseconds(since: asked) }
                } else {
                    // RFC 6455, section 5.5.3 allows it: a heartbeat in one direction. A ping that was not seen is none.
                    pong.unsolicited = context.isWhole(side.peer)
                }
            }
            context.emit(.pong(pong), at: arrival, content: content, sink: &sink)
            if let waited = pong.roundTrip { tellLatePong(waited, at: arrival, context: &context, sink: &sink) }
        default:
            tellReserved(frame, content, at: arrival, context: &context, sink: &sink)
        }
    }

    private mutating func tellClose<Sink: ConversationSink & ~Copyable>(
        _ content: RawSpan, _ session: inout WebSocketSession, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = frameArrival
        let count = content.byteCount
        let code = count >= 2 ? content.bigEndianUInt16(at: 0) : nil
        let reason = content.suffix(from: min(2, count))
        context.emit(.close(CloseFrame(code: code)), at: arrival, content: reason, sink: &sink)
        if !hasClosed { context.noteEnding(.closeFrame, code: code, at: arrival, standing: session.standing) }
        if code == 1009, !hasClosed, context.ending?.side == side {
            reportTooBig(session, at: arrival, context: &context, sink: &sink)
        }
        if code == 1002 || code == 4406, !hasClosed, context.ending?.side == side {
            reportProtocolRequired(code ?? 0, session, at: arrival, context: &context, sink: &sink)
        }
        if frame.length == 1 { context.emit(.webSocketClosePayloadOneByte, at: arrival, sink: &sink) }
        // Whoever answers a Close frame typically sends its code back (RFC 6455, section 5.5.1). One that was sent before the other had
        // arrived answers nothing.
        let answered = context.ending.flatMap { $0.side != side && $0.how == .closeFrame && !$0.isCrossed ? $0 : nil }
        let isEcho = answered.map { $0.code == code } ?? false
        if let code, let row = CloseCode.fault(code, from: isEcho ? side.peer : side) {
            let clue = row == .webSocketCloseCodeOutOfRange ? CloseCode.clue(content) : FindingText()
            context.emit(row, a: UInt64(code), at: arrival, content: clue.bytes.rawBytes, sink: &sink)
        }
        if lost == 0, let badByte = WebSocketDirection.badByte(in: reason) {
            context.emit(.webSocketCloseReasonUTF8Invalid, a: badByte, at: arrival, sink: &sink)
        }
        if hasClosed {
            context.emit(.webSocketCloseRepeated, at: arrival, sink: &sink)
            return
        }
        hasClosed = true
        // Who has not answered a ping yet has not read the Close frame after it.
        if let code, let first = answered?.code, code != first, session[asked: side.peer] == nil {
            context.emit(.webSocketCloseCodeNotEchoed, a: UInt64(code), b: UInt64(first), at: arrival, sink: &sink)
        }
    }
}
