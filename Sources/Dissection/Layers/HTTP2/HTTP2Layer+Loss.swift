/// Gaps and ends: what was under way is told, and the next frame is searched.
extension HTTP2Layer {
    package mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if isFreshAndMute(arrival, context) { return }
        let side = arrival.side
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
        case .foreign: return
        }
    }

    package mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? {
        if isFreshAndMute(arrival, context) { return nil }
        let side = arrival.side
        knowsAll = false
        let end = arrival.offset.addingReportingOverflow(length)
        let behind = Arrival(side: side, offset: end.overflow ? .max : end.partialValue, place: arrival.place)
        guard self[side].phase != .foreign else { return nil }
        if self[side].phase == .data, let frame = self[side].frame, length < UInt64(self[side].remaining), !self[side].awaitsPadLength {
            // It lies in the content of one frame, and of its padding at most.
            let content = min(Int(length), self[side].remaining - self[side].padding)
            self[side].padding -= Int(length) - content
            self[side].remaining -= Int(length)
            if let stream = streams[frame.stream] {
                lose(UInt64(content), of: stream, at: behind, gapAt: arrival, context: &context, sink: &sink)
            }
            return nil
        }
        let lost = self[side].frame?.type == .data ? UInt64(max(0, self[side].remaining - self[side].padding)) : 0
        if let frame = self[side].frame, frame.type == .data, let stream = streams[frame.stream] {
            lose(min(lost, length), of: stream, at: behind, gapAt: arrival, context: &context, sink: &sink)
        }
        loseAnywhere(length, at: arrival, context: &context, sink: &sink)
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

    /// Frames of any stream may be lost, ends of streams among them.
    private mutating func loseAnywhere<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let side = arrival.side
        for number in streams.keys.sorted() {
            guard let stream = streams[number], !stream[side].isEnded else { continue }
            stream[side].hasGap = true
            stream[side].waitsSince = nil
            let before = context.enterStream(number)
            if stream.inside != nil {
                passLoss(length, into: stream, at: arrival, context: &context, sink: &sink)
            } else if stream[side].hasBody, !stream[side].isBodyTold {
                // No content joins over what may be a hole.
                stream[side].body.interrupt(at: virtual(arrival, stream, side), context: &context, sink: &sink)
            }
            context.leaveStream(before)
            count(stream)
        }
        waiting = streams.values.count { $0[side.peer].waitsSince != nil }
    }

    /// Nothing has come so far, and the first thing is a gap.
    private mutating func isFreshAndMute(_ arrival: Arrival, _ context: borrowing ConversationContext) -> Bool {
        if hasBegun { return false }
        begin(at: arrival, context: context)
        return false
    }

    /// Shows the bytes of a frame that is not whole.
    private mutating func tellCut<Sink: ConversationSink & ~Copyable>(
        _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        var bytes = self[side].buffer
        if let frame = self[side].frame { bytes = frame.bytes + bytes }
        guard !bytes.isEmpty else { return }
        let before = context.enterStream(self[side].frame?.stream ?? 0)
        context.emit(.data(DataRun(length: UInt64(bytes.count))), at: frameArrival(side), content: bytes.rawBytes, sink: &sink)
        context.leaveStream(before)
    }

    package mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard hasBegun else { return }
        let side = arrival.side
        if self[side].isEnded { return }
        self[side].isEnded = true
        let isFault = !context.endIsUnseen && !context.endIsReset && !self[side.peer].isEnded
        switch self[side].phase {
        case .lost: tellSkipped(side, context: &context, sink: &sink)
        case .preface, .header, .payload:
            let isCut = !self[side].buffer.isEmpty || self[side].frame != nil
            tellCut(side, context: &context, sink: &sink)
            if isCut { context.emit(isFault ? .http2FrameIncomplete : .http2FrameCut, at: arrival, sink: &sink) }
        case .data: context.emit(isFault ? .http2FrameIncomplete : .http2FrameCut, at: arrival, sink: &sink)
        case .foreign: break
        }
        dropBlock(of: side, context: &context, sink: &sink)
        self[side].endFrame()
        var unanswered = 0
        for number in streams.keys.sorted() {
            guard let stream = streams[number] else { continue }
            if stream[side].isEnded == false {
                let here = Arrival(side: side, offset: arrival.offset, place: arrival.place)
                breakOff(stream, side, at: here, context: &context, sink: &sink)
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

    // MARK: - The next frame

    /// Bytes of a candidate frame that are waited for; no frame is believed that is larger.
    private static var mostWaited: Int { HTTP2FrameHeader.usualLength + 2 * HTTP2FrameHeader.size }

    /// What was taken for a frame's header is none: the next frame is searched behind its first byte.
    mutating func loseFrames<Sink: ConversationSink & ~Copyable>(
        of side: Side, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        context.emit(.http2FrameImplausible, at: arrival, sink: &sink)
        knowsAll = false
        dropBlock(of: side, context: &context, sink: &sink)
        self[side].endFrame()
        self[side].phase = .lost
        self[side].searched = 1
        self[side].decoder.lose()
    }

    /// Streams that may have been opened in what was lost are not so many that their numbers were beyond this.
    private var mostStream: UInt32 {
        let highest = max(self[.client].highestStream, self[.server].highestStream)
        return highest == 0 || highest > .max - HTTP2FrameHeader.farthestStream ? .max : highest + HTTP2FrameHeader.farthestStream
    }

    /// Searches for a frame that another one follows; returns how many bytes were taken. Each place is looked at once.
    mutating func search<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        let side = arrival.side
        guard self[side].buffer.isEmpty else { return searchOn(bytes, at: arrival, context: &context, sink: &sink) }
        if self[side].skipped == 0 {
            self[side].start = arrival.offset
            self[side].place = arrival.place
        } else {
            self[side].place.extend(by: arrival.place)
        }
        let found = HTTP2FrameSearch.frame(in: bytes, from: self[side].searched, mostStream: mostStream)
        self[side].searched = 0
        self[side].skipped &+= UInt64(found.place)
        guard found.isFrame else {
            self[side].buffer.append(copying: bytes.suffix(from: found.place))
            return bytes.byteCount
        }
        beginAgain(side, context: &context, sink: &sink)
        return found.place
    }

    /// As before, where bytes that came earlier wait for those that follow them.
    private mutating func searchOn<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        let side = arrival.side
        self[side].place.extend(by: arrival.place)
        let count = min(bytes.byteCount, HTTP2Layer.mostWaited)
        self[side].buffer.append(copying: bytes.extracting(0..<count))
        let waiting = self[side].buffer
        let found = HTTP2FrameSearch.frame(in: waiting.rawBytes, from: self[side].searched, mostStream: mostStream)
        guard found.isFrame else {
            self[side].searched = found.place
            // What was searched is not waited for.
            if found.place > HTTP2Layer.mostWaited {
                self[side].buffer = Array(waiting[found.place...])
                self[side].skipped &+= UInt64(found.place)
                self[side].searched = 0
            }
            return count
        }
        self[side].skipped &+= UInt64(found.place)
        let place = self[side].place
        beginAgain(side, context: &context, sink: &sink)
        // From here on what is no header is searched where it lies, so that this nests once.
        let rest = waiting.rawBytes.suffix(from: found.place)
        let here = Arrival(side: side, offset: arrival.offset &+ UInt64(count) &- UInt64(rest.byteCount), place: place)
        _ = receive(rest, at: here, context: &context, sink: &sink)
        return count
    }

    /// A frame was found.
    private mutating func beginAgain<Sink: ConversationSink & ~Copyable>(
        _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        self[side].buffer = []
        let (skipped, arrival) = (self[side].skipped, frameArrival(side))
        tellSkipped(side, context: &context, sink: &sink)
        // Frames of any stream may stand in it.
        if skipped > 0 { loseAnywhere(skipped, at: arrival, context: &context, sink: &sink) }
        self[side].endFrame()
        self[side].hasSettings = true
    }

    /// Tells that what was searched is skipped.
    private mutating func tellSkipped<Sink: ConversationSink & ~Copyable>(
        _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let count = self[side].skipped &+ UInt64(self[side].buffer.count)
        self[side].buffer = []
        self[side].skipped = 0
        self[side].searched = 0
        guard count > 0 else { return }
        context.emit(.gap(Gap(length: count, cause: .resync)), at: frameArrival(side), sink: &sink)
    }
}

/// The search for a frame where nobody knows that one begins.
enum HTTP2FrameSearch {
    /// The first place that may be a frame's, where another one follows it; or the place up to which none is, which has to be looked at
    /// again once more has come.
    static func frame(in bytes: RawSpan, from start: Int, mostStream: UInt32) -> (place: Int, isFrame: Bool) {
        var place = max(0, start)
        while place + HTTP2FrameHeader.size <= bytes.byteCount {
            let header = HTTP2FrameHeader(bytes, at: place)
            guard header.isPlausible(limit: HTTP2FrameHeader.usualLength, mostStream: mostStream) else {
                place += 1
                continue
            }
            let next = place + HTTP2FrameHeader.size + header.length
            guard next + HTTP2FrameHeader.size <= bytes.byteCount else { return (place, false) }
            let follower = HTTP2FrameHeader(bytes, at: next)
            if follower.isPlausible(limit: HTTP2FrameHeader.usualLength, mostStream: mostStream),
                // Where no stream is known, the two say what may be one.
                mostStream < .max || header.isPlausible(beside: 0) && follower.isPlausible(beside: header.stream)
            {
                return (place, true)
            }
            place += 1
        }
        return (min(place, bytes.byteCount), false)
    }
}
