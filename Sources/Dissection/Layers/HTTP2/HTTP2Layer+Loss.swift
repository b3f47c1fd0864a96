/// Gaps and ends: what was under way is told.
extension HTTP2Layer {
    package mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if !hasBegun { begin(at: arrival, context: context) }
        let side = arrival.side
        takeHeld(of: side, context: &context, sink: &sink)
        switch self[side].phase {
        case .data:
            guard let frame = self[side].frame, let stream = streams[frame.stream], stream[side].hasBody, stream.inside == nil else {
                return
            }
            let before = context.enterStream(frame.stream)
            stream[side].body.interrupt(at: virtual(arrival, stream, side), context: &context, sink: &sink)
            context.leaveStream(before)
        case .lost: tellSkipped(side, context: &context, sink: &sink)
        case .preface, .header, .payload:
            // What came of the frame is no whole one.
            tellCut(side, context: &context, sink: &sink)
            tellFrameFaults(side, context: &context, sink: &sink)
        case .foreign: return
        }
    }

    package mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? {
        if !hasBegun { begin(at: arrival, context: context) }
        let side = arrival.side
        knowsAll = false
        // What does not fit from here on may be due to the loss.
        if !isRefuted { unprovenFrames = 0 }
        let end = arrival.offset.addingReportingOverflow(length)
        let behind = Arrival(side: side, offset: end.overflow ? .max : end.partialValue, place: arrival.place)
        guard self[side].phase != .foreign else { return nil }
        if self[side].phase == .data, !context.hasInexactGap(side), let frame = self[side].frame, length < UInt64(self[side].remaining),
            !self[side].awaitsPadLength
        {
            // It lies in the content of one frame, and of its padding at most.
            let content = min(Int(length), self[side].remaining - self[side].padding)
            self[side].padding -= Int(length) - content
            self[side].remaining -= Int(length)
            if let stream = streams[frame.stream] {
                lose(UInt64(content), of: stream, at: behind, gapAt: arrival, context: &context, sink: &sink)
            }
            return nil
        }
        tellDataFault(side, context: &context, sink: &sink)
        let lost = self[side].frame?.type == .data ? UInt64(max(0, self[side].remaining - self[side].padding)) : 0
        if let frame = self[side].frame, frame.type == .data, let stream = streams[frame.stream] {
            lose(min(lost, length), of: stream, at: behind, gapAt: arrival, context: &context, sink: &sink)
        }
        loseAnywhere(length, at: arrival)
        dropBlock(of: side, context: &context, sink: &sink)
        self[side].endFrame()
        self[side].phase = .lost
        self[side].start = behind.offset
        self[side].searched = 0
        self[side].decoder.lose()
        return nil
    }

    /// Bytes of a stream's content are lost.
    private mutating func lose<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, of stream: HTTP2Stream, at behind: Arrival, gapAt arrival: Arrival, context: inout ConversationContext,
        sink: inout Sink
    ) {
        let side = arrival.side
        stream[side].hasGap = true
        guard length > 0 else { return }
        let before = context.enterStream(stream.number)
        if stream.inside != nil {
            passGap(Gap(length: length, cause: .missing), into: stream, at: arrival, context: &context, sink: &sink)
        } else {
            stream[side].dataBytes &+= length
            if stream[side].hasBody { stream[side].body.resume(at: virtual(behind, stream, side).offset) }
        }
        context.leaveStream(before)
        count(stream)
    }

    /// Frames of any stream may be lost, ends of streams and settings among them. Each stream is told when the side uses it next.
    mutating func loseAnywhere(_ length: UInt64, at arrival: Arrival) {
        let side = arrival.side
        self[side].lostBytes &+= max(1, length)
        self[side].lossArrival = arrival
        // The other side may go by settings that nobody has seen.
        self[side.peer].mostFrame = HTTP2FrameHeader.largestLength
        self[side.peer].decoder.allowedSize = nil
        for number in self[side].waits { streams[number]?[side].waitsSince = nil }
        self[side].waits = []
    }

    /// A side uses a stream, or ends it: what was lost of the side since it did so last may have belonged to the stream.
    mutating func noteLoss<Sink: ConversationSink & ~Copyable>(
        of stream: HTTP2Stream, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let lost = self[side].lostBytes &- stream[side].seenLostBytes
        guard lost > 0, !stream[side].isEnded, let arrival = self[side].lossArrival else { return }
        stream[side].seenLostBytes = self[side].lostBytes
        stream[side].hasGap = true
        let before = context.enterStream(stream.number)
        if stream.inside != nil {
            passLoss(lost, into: stream, at: arrival, context: &context, sink: &sink)
        } else if stream[side].hasBody, !stream[side].isBodyTold {
            // No content joins over what may be a hole.
            stream[side].body.interrupt(at: virtual(arrival, stream, side), context: &context, sink: &sink)
        }
        context.leaveStream(before)
        count(stream)
    }

    /// Shows the bytes of a frame that is not whole, behind those of the header block that it was to go on with.
    private mutating func tellCut<Sink: ConversationSink & ~Copyable>(
        _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        dropBlock(of: side, context: &context, sink: &sink)
        var bytes = self[side].buffer
        var came = bytes.count
        let isHeaderBlock = self[side].frame?.type.carriesFields ?? false
        if let frame = self[side].frame {
            bytes = frame.bytes + bytes
            came = HTTP2FrameHeader.size + frame.length - self[side].remaining
        }
        var arrival = frameArrival(side)
        if var place = self[side].preface {
            // No whole frame has followed that says what is spoken.
            if !bytes.isEmpty { place.extend(by: arrival.place) }
            arrival.place = place
            arrival.offset = arrival.offset &- UInt64(HTTP2Preface.length)
            bytes = HTTP2Preface.bytes + bytes
            came += HTTP2Preface.length
        }
        guard !bytes.isEmpty else { return }
        let before = context.enterStream(self[side].frame?.stream ?? 0)
        show(bytes.rawBytes, of: came, isHeaderBlock: isHeaderBlock, at: arrival, context: &context, sink: &sink)
        context.leaveStream(before)
    }

    package mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard hasBegun else { return }
        let side = arrival.side
        if self[side].isEnded { return }
        takeHeld(of: side, context: &context, sink: &sink)
        self[side].isEnded = true
        let isFault = !context.endIsUnseen && !context.peerMayHaveLeft && !context.endIsReset && !self[side.peer].isEnded
        switch self[side].phase {
        case .lost: tellSkipped(side, context: &context, sink: &sink)
        case .preface, .header, .payload:
            let isCut = !self[side].buffer.isEmpty || self[side].frame != nil
            let isAlert = side == .server && !self[side].hasSettings && ClearAlert.begins(self[side].buffer.rawBytes) == .yes
            tellCut(side, context: &context, sink: &sink)
            tellFrameFaults(side, context: &context, sink: &sink)
            if isAlert {
                context.emit(.httpTLSAlert, at: frameArrival(side), sink: &sink)
                self[side].phase = .foreign
            } else if isCut {
                context.emit(isFault ? .http2FrameIncomplete : .http2FrameCut, at: arrival, sink: &sink)
            }
        case .data:
            tellDataFault(side, context: &context, sink: &sink)
            context.emit(isFault ? .http2FrameIncomplete : .http2FrameCut, at: arrival, sink: &sink)
        case .foreign: break
        }
        dropBlock(of: side, context: &context, sink: &sink)
        self[side].endFrame()
        tellUnacknowledged(side, at: arrival, context: &context, sink: &sink)
        var unanswered = 0
        for number in streams.keys.sorted() {
            guard let stream = streams[number] else { continue }
            if stream[side].isEnded == false {
                let here = Arrival(side: side, offset: arrival.offset, place: arrival.place)
                let since = stream[side].waitsSince
                breakOff(stream, side, at: here, context: &context, sink: &sink)
                tellStarved(stream, side, since: since, at: here, context: &context, sink: &sink)
            }
            if side == .server, !stream.server.hasHead, stream.exchange != nil, !stream.server.hasGap { unanswered += 1 }
            if stream.isOver { forget(stream) } else { count(stream) }
        }
        if unanswered > 0, !context.isUnseen(.server), !context.lacksServer, self[.server].phase != .foreign {
            context.emit(.http2RequestUnanswered, a: UInt64(unanswered), at: arrival, sink: &sink)
        }
    }

    package mutating func settle<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        for number in streams.keys.sorted() {
            guard let stream = streams[number], let inside = stream.inside else { continue }
            let before = context.enterStream(number)
            inside.settle(context: &context, sink: &sink)
            context.leaveStream(before)
        }
    }
}
