/// DATA: bodies, and what tunnels carry.
extension HTTP2Layer {
    /// The header of a DATA frame has come.
    mutating func beginData<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = frameArrival(side)
        let before = context.enterStream(frame.stream)
        defer { context.leaveStream(before) }
        if frame.stream == 0 { context.emit(.http2StreamMissing, content: arrival, frame.type.name, sink: &sink) }
        self[side].awaitsPadLength = frame.isPadded && frame.length > 0
        if frame.isPadded, frame.length == 0 { context.emit(.http2FrameLength, content: arrival, frame.type.name, sink: &sink) }
        if let known = streams[frame.stream] {
            noteLoss(of: known, side, context: &context, sink: &sink)
            if known[side].isEnded {
                self[side].dataFault = .http2StreamOver
            } else if side == .server, known.hasNoBody, frame.length > 0, !frame.isPadded {
                known.hasNoBody = false
                self[side].dataFault = .http2BodyUnexpected
            } else if frame.length > 0, known[side].stall != nil {
                tellStall(known, side, at: arrival, context: &context, sink: &sink)
            } else if knowsAll, !known[side].hasHead {
                context.emit(.http2DataBeforeHead, at: arrival, sink: &sink)
            }
        } else if knowsAll, frame.stream > 0, !self[side.peer].hasReset(frame.stream) {
            self[side].dataFault = isOver(frame.stream, side) ? .http2StreamOver : .http2StreamIdle
        } else if frame.stream > 0, !knowsAll, !isOver(frame.stream, side) {
            // It began before it came into sight.
            let stream = stream(frame.stream, context: &context, at: arrival, sink: &sink)
            stream.client.hasHead = true
            stream[side].hasHead = true
        }
        spendWindow(frame, side, at: arrival, context: &context, sink: &sink)
        if frame.length > 0 { self[side].emptyFrames.restart() }
        if frame.length == 0, !frame.endsStream, self[side].emptyFrames.note(arrival.place.time) {
            context.emit(.http2EmptyFlood, a: UInt64(self[side].emptyFrames.threshold), at: arrival, sink: &sink)
        }
        if frame.length == 0 { endData(frame, side, context: &context, sink: &sink) }
    }

    /// Reads the payload of DATA; returns how many bytes were taken.
    mutating func readData<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        let side = arrival.side
        guard let frame = self[side].frame else {
            self[side].phase = .header
            return 0
        }
        self[side].place.extend(by: arrival.place)
        let before = context.enterStream(frame.stream)
        defer { context.leaveStream(before) }
        var position = 0
        if self[side].awaitsPadLength {
            self[side].awaitsPadLength = false
            self[side].remaining -= 1
            position = 1
            self[side].padding = Int(bytes[0])
            if self[side].padding > self[side].remaining {
                context.emit(.http2PaddingTooLong, at: frameArrival(side), sink: &sink)
                self[side].padding = self[side].remaining
                self[side].paddingSoFar = .tooLong
            }
        }
        let count = min(bytes.byteCount - position, self[side].remaining - self[side].padding)
        if count > 0 {
            self[side].remaining -= count
            let isLast = frame.endsStream && self[side].remaining == self[side].padding
            take(
                bytes.extracting(position..<position + count), of: frame.stream, isLast: isLast, at: arrival.advanced(by: position),
                context: &context, sink: &sink)
            position += count
        }
        // What is left is padding.
        if self[side].remaining == self[side].padding {
            let rest = min(bytes.byteCount - position, self[side].padding)
            showPadding(
                bytes.extracting(position..<position + rest), at: arrival.advanced(by: position), context: &context, sink: &sink)
            self[side].padding -= rest
            self[side].remaining -= rest
            position += rest
        }
        if self[side].remaining == 0 { endData(frame, side, context: &context, sink: &sink) }
        return position
    }

    /// Tells what is wrong with the frame that is read, which is mostly DATA, once.
    mutating func tellDataFault<Sink: ConversationSink & ~Copyable>(
        _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        defer { tellFrameFaults(side, context: &context, sink: &sink) }
        guard let fault = self[side].dataFault, let frame = self[side].frame else { return }
        self[side].dataFault = nil
        let before = context.enterStream(frame.stream)
        context.emit(fault, at: frameArrival(side), sink: &sink)
        context.leaveStream(before)
    }

    /// Padding has come: what of it is not zero is shown, with what follows it.
    private mutating func showPadding<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        var first = 0
        if self[arrival.side].paddingSoFar == .zero {
            guard let found = bytes.firstPadding else { return }
            first = found
            self[arrival.side].paddingSoFar = .filled
        }
        let shown = bytes.suffix(from: first)
        guard shown.byteCount > 0 else { return }
        show(shown, of: shown.byteCount, at: arrival.advanced(by: first), context: &context, sink: &sink)
    }

    /// Takes content of a stream.
    private mutating func take<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, of number: UInt32, isLast: Bool, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let side = arrival.side
        guard let stream = streams[number], !stream[side].isEnded else {
            // Nobody reads it any more: its stream was reset, or never was.
            return show(bytes, of: bytes.byteCount, at: arrival, context: &context, sink: &sink)
        }
        defer { count(stream) }
        if stream.inside != nil {
            return pass(bytes, into: stream, at: arrival, context: &context, sink: &sink)
        }
        if stream.purpose != .exchange, !stream.server.hasHead, keepEarly(bytes, of: stream, at: arrival, limit: context.limits) { return }
        takeBody(bytes, stream, isLast: isLast, at: arrival, context: &context, sink: &sink)
    }

    /// Takes content of a body.
    mutating func takeBody<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, _ stream: HTTP2Stream, isLast: Bool, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let side = arrival.side
        beginBody(stream, side, at: arrival, context: context)
        let place = virtual(arrival, stream, side)
        stream[side].dataBytes &+= UInt64(bytes.byteCount)
        stream.noteFrame(at: arrival.place.time)
        stream[side].body.take(bytes, at: place, isLast: isLast, context: &context, sink: &sink)
        stream[side].isBodyTold = isLast
    }

    /// The first content of a side's body is here, or its end.
    func beginBody(_ stream: HTTP2Stream, _ side: Side, at arrival: Arrival, context: borrowing ConversationContext) {
        guard !stream[side].hasBody else { return }
        stream[side].hasBody = true
        stream[side].bodyStart = arrival.offset
        let content = stream[side].content
        stream[side].body.begin(
            at: arrival.offset, codings: stream[side].hasGap ? ContentCodings() : content.codings.known, streams: content.streams,
            limits: context.limits)
        if side == .server, content.length ?? 0 <= EngineIOTarget.longestOpening {
            stream.server.body.opensEngineIO = EngineIOTarget.opens(stream.asked.rawBytes)
        }
    }

    /// The bytes of a body lie in frames among those of other streams: the body counts them as if they followed each other, and is told how
    /// far that is from where they stand.
    func virtual(_ arrival: Arrival, _ stream: HTTP2Stream, _ side: Side) -> Arrival {
        let offset = stream[side].bodyStart &+ stream[side].dataBytes
        stream[side].body.shift = arrival.offset &- offset
        return Arrival(side: side, offset: offset, place: arrival.place)
    }

    /// A DATA frame is whole.
    private mutating func endData<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        tellDataFault(side, context: &context, sink: &sink)
        if self[side].paddingSoFar == .filled { context.emit(.http2PaddingFilled, at: frameArrival(side), sink: &sink) }
        let arrival = Arrival(side: side, offset: self[side].start &+ UInt64(HTTP2FrameHeader.size + frame.length), place: self[side].place)
        if let stream = streams[frame.stream], !stream[side].isEnded {
            if frame.endsStream {
                if side == .server {
                    StreamEnd(stream: stream, knowsAll: knowsAll, arrival: arrival)
                        .reportDeadline(isGivenUp: false, context: &context, sink: &sink)
                }
                end(stream, side, at: arrival, context: &context, sink: &sink)
            } else {
                noteWait(stream, side, at: arrival.place.time)
            }
        }
        self[side].endFrame()
    }

    /// A side ends a stream: its body is told, and what it says is held against what came.
    mutating func end<Sink: ConversationSink & ~Copyable>(
        _ stream: HTTP2Stream, _ side: Side, at arrival: Arrival, context: inout ConversationContext,
        sink: inout Sink
    ) {
        guard !stream[side].isEnded else { return }
        noteLoss(of: stream, side, context: &context, sink: &sink)
        stream[side].isEnded = true
        self[side].longestMessage = max(self[side].longestMessage, stream[side].body.longestMessage)
        forgetWait(stream, side)
        if side == .client, stream.requestEnd == nil { stream.requestEnd = arrival.place.time }
        defer {
            if side == .server {
                StreamEnd(stream: stream, knowsAll: knowsAll, arrival: arrival).reportStatusMissing(context: &context, sink: &sink)
            }
        }
        if let inside = stream.inside {
            finishInside(stream, inside, at: arrival, context: &context, sink: &sink)
        } else if stream[side].hasBody, !stream[side].isBodyTold {
            stream[side].body.finish(at: virtual(arrival, stream, side), context: &context, sink: &sink)
        }
        if let length = stream[side].content.length, length != stream[side].dataBytes, !stream[side].hasGap, stream.inside == nil,
            stream.channel?.early.isEmpty != false
        {
            context.emit(.http2LengthDiffers, a: length, b: stream[side].dataBytes, at: arrival, sink: &sink)
        }
        if stream.isOver { forget(stream) } else { count(stream) }
    }

    /// A side's part of a stream ends without an end of its own.
    mutating func breakOff<Sink: ConversationSink & ~Copyable>(
        _ stream: HTTP2Stream, _ side: Side, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard !stream[side].isEnded else { return }
        noteLoss(of: stream, side, context: &context, sink: &sink)
        stream[side].isEnded = true
        forgetWait(stream, side)
        let before = context.enterStream(stream.number)
        defer { context.leaveStream(before) }
        let here = Arrival(side: side, offset: max(arrival.offset, stream[side].bodyStart), place: arrival.place)
        if side == .client { releaseEarly(stream, context: &context, sink: &sink) }
        if let inside = stream.inside {
            let isUnseen = context.endIsUnseen
            context.endIsUnseen = true
            finishInside(stream, inside, at: here, context: &context, sink: &sink)
            context.endIsUnseen = isUnseen
        } else if stream[side].hasBody, !stream[side].isBodyTold {
            stream[side].body.finish(
                at: virtual(here, stream, side), isWhole: false, announced: stream[side].content.length, context: &context, sink: &sink)
        }
    }
}
