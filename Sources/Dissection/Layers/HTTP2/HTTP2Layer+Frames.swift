/// Frames: their headers judged, their payloads given to what they are about.
extension HTTP2Layer {
    mutating func beginFrame<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = frameArrival(side)
        if unprovenFrames > 0 || isRefuted, !proves(frame, side) { return refute(frame, side, context: &context, sink: &sink) }
        if !self[side].hasSettings {
            self[side].hasSettings = true
            if side == .server, isForeign(frame) {
                beginForeign(frame, at: arrival, context: &context, sink: &sink)
                return
            }
            if isServerAlone, side == .server {
                noteFault(.http2Required, of: frame, at: arrival, context: &context, sink: &sink)
            } else if frame.type != .settings || frame.isAnswer {
                noteFault(.http2SettingsMissing, of: frame, at: arrival, context: &context, sink: &sink)
            }
        }
        if knowsAll { noteUnacknowledged(frame, at: arrival) }
        if !knowsAll, frame.length > HTTP2FrameHeader.usualLength, frame.length <= self[side].mostFrame,
            !frame.isPlausible(limit: self[side].mostFrame, mostStream: mostStream)
        {
            return loseFrames(of: side, at: arrival, context: &context, sink: &sink)
        }
        if frame.length > self[side].mostFrame {
            guard knowsAll, frame.type.number <= HTTP2FrameType.last else {
                // Nothing that is known is as large, or of that type; or nobody knows for certain that a frame begins here: this is none.
                return loseFrames(of: side, at: arrival, context: &context, sink: &sink)
            }
            noteFault(
                .http2FrameTooLarge, a: UInt64(frame.length), b: UInt64(self[side].mostFrame), of: frame, at: arrival, context: &context,
                sink: &sink)
        }
        if let block = self[side].block, frame.type != .continuation || frame.stream != block.stream {
            let before = context.enterStream(block.stream)
            context.emit(.http2ContinuationMissing, at: arrival, sink: &sink)
            context.leaveStream(before)
            let own = self[side].frameFaults.filter { $0.arrival.offset == arrival.offset }
            self[side].frameFaults.removeAll { $0.arrival.offset == arrival.offset }
            dropBlock(of: side, context: &context, sink: &sink)
            self[side].frameFaults = own
        }
        self[side].frame = frame
        self[side].remaining = frame.length
        if frame.type == .data {
            self[side].phase = .data
            beginData(frame, side, context: &context, sink: &sink)
            return
        }
        self[side].phase = .payload
        guard frame.length == 0 else { return }
        takeFrame(frame, RawSpan(), isCut: false, side, context: &context, sink: &sink)
        self[side].endFrameUnlessLost()
    }

    /// Something is wrong with the header of the frame that begins.
    private mutating func noteFault<Sink: ConversationSink & ~Copyable>(
        _ row: FindingRow, a: UInt64 = 0, b: UInt64 = 0, of frame: HTTP2FrameHeader, at arrival: Arrival,
        context: inout ConversationContext, sink: inout Sink
    ) {
        // Of a block in many frames not all are kept.
        if self[arrival.side].frameFaults.count >= 8 { tellFrameFaults(arrival.side, context: &context, sink: &sink) }
        self[arrival.side].frameFaults.append(
            HTTP2Direction.FrameFault(row: row, a: a, b: b, arrival: arrival, stream: frame.stream))
    }

    /// Tells what is wrong with the headers of frames that were told, or of what was shown of them.
    mutating func tellFrameFaults<Sink: ConversationSink & ~Copyable>(
        _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        guard !self[side].frameFaults.isEmpty else { return }
        let faults = self[side].frameFaults
        self[side].frameFaults = []
        for fault in faults {
            let before = context.enterStream(fault.stream)
            context.emit(fault.row, a: fault.a, b: fault.b, at: fault.arrival, sink: &sink)
            context.leaveStream(before)
        }
    }

    /// Whether a server's first bytes are those of HTTP/1, or an alert of TLS and what follows it.
    private func isForeign(_ frame: HTTP2FrameHeader) -> Bool {
        frame.length == 0x48_5454 && frame.type.number == 0x50 || ClearAlert.begins(frame.bytes.rawBytes) == .yes
    }

    /// The server does not speak HTTP/2: what it says is shown.
    private mutating func beginForeign<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let bytes = frame.bytes
        context.emit(ClearAlert.begins(bytes.rawBytes) == .yes ? .httpTLSAlert : .http2Refused, at: arrival, sink: &sink)
        context.emit(.data(DataRun(length: UInt64(bytes.count))), at: arrival, content: bytes.rawBytes, sink: &sink)
        self[.server].phase = .foreign
    }

    /// A frame has come whole, other than DATA.
    ///
    /// - Parameter isCut: the payload is larger than what is kept of it.
    mutating func takeFrame<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ payload: RawSpan, isCut: Bool, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        if unprovenFrames > 0 { keepUnproven(payload, of: frame, side) }
        readFrame(frame, payload, isCut: isCut, side, context: &context, sink: &sink)
        // A block that goes on is not told yet.
        if self[side].block == nil { tellFrameFaults(side, context: &context, sink: &sink) }
    }

    private mutating func readFrame<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ payload: RawSpan, isCut: Bool, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = frameArrival(side)
        let before = context.enterStream(frame.stream)
        defer { context.leaveStream(before) }
        guard fits(frame, payload, at: arrival, context: &context, sink: &sink) else {
            if frame.type.carriesFields { self[side].decoder.lose() }
            return
        }
        switch frame.type {
        case .headers: takeHeaders(frame, payload, isCut: isCut, side, context: &context, sink: &sink)
        case .pushPromise: takePromise(frame, payload, isCut: isCut, side, context: &context, sink: &sink)
        case .continuation: takeContinuation(frame, payload, isCut: isCut, side, context: &context, sink: &sink)
        case .reset: takeReset(frame, payload.bigEndianUInt32(at: 0), side, context: &context, sink: &sink)
        case .settings: takeSettings(frame, payload, side, context: &context, sink: &sink)
        case .ping: takePing(frame, payload, side, context: &context, sink: &sink)
        case .goAway: takeGoAway(payload, side, context: &context, sink: &sink)
        case .windowUpdate:
            takeWindow(frame, payload.bigEndianUInt32(at: 0) & 0x7FFF_FFFF, side, context: &context, sink: &sink)
        case .priority: takeOldPriority(frame, payload, side, context: &context, sink: &sink)
        case .priorityUpdate: takePriority(payload, side, context: &context, sink: &sink)
        // Others are ignored (RFC 9113, section 5.5), and shown.
        case _: showPayload(of: frame, payload, at: arrival, context: &context, sink: &sink)
        }
        if frame.isOfConnection == true, frame.stream != 0 {
            context.emit(.http2StreamUnexpected, content: arrival, frame.type.name, sink: &sink)
        }
    }

    /// Shows what a frame carries that is not read.
    ///
    /// - Parameter payload: what is kept of it, from its beginning.
    mutating func showPayload<Sink: ConversationSink & ~Copyable>(
        of frame: HTTP2FrameHeader, _ payload: RawSpan, from position: Int = 0, at arrival: Arrival, context: inout ConversationContext,
        sink: inout Sink
    ) {
        show(
            payload.suffix(from: position), of: frame.length - position, isHeaderBlock: frame.type.carriesFields,
            at: arrival.advanced(by: HTTP2FrameHeader.size + position), context: &context, sink: &sink)
    }

    /// Shows bytes that are not read, and how many after them were not kept.
    mutating func show<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, of count: Int, isHeaderBlock: Bool = false, at arrival: Arrival, context: inout ConversationContext,
        sink: inout Sink
    ) {
        // What waits in the stream for a response may be told after them: records of a stream stand in the order of their bytes.
        let isEarly = arrival.side == .client && streams[context.channel.stream]?.channel?.earlyArrival != nil
        let before = context.enterStream(isEarly ? 0 : context.channel.stream)
        defer { context.leaveStream(before) }
        if bytes.byteCount > 0 {
            if context.channel.stream == 0 { showUnproven(arrival.side, context: &context, sink: &sink) }
            let run = DataRun(length: UInt64(bytes.byteCount), isHeaderBlock: isHeaderBlock)
            context.emit(.data(run), at: arrival, content: bytes, sink: &sink)
        }
        guard count > bytes.byteCount else { return }
        context.emit(
            .gap(Gap(length: UInt64(count - bytes.byteCount), cause: .limit)), at: arrival.advanced(by: bytes.byteCount), sink: &sink)
    }

    /// Judges what the header of a frame says (RFC 9113, section 6). False where the payload cannot be read: it was shown.
    private mutating func fits<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ payload: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Bool {
        if frame.isOfConnection == false, frame.stream == 0 {
            showPayload(of: frame, payload, at: arrival, context: &context, sink: &sink)
            context.emit(.http2StreamMissing, content: arrival, frame.type.name, sink: &sink)
            return false
        }
        let isRight =
            switch frame.type {
            case .priority: frame.length == 5
            case .reset, .windowUpdate: frame.length == 4
            case .settings: frame.isAnswer ? frame.length == 0 : frame.length % HTTP2Settings.Setting.size == 0
            case .ping: frame.length == 8
            case .goAway: frame.length >= 8
            case .priorityUpdate: frame.length >= 4
            case _: true
            }
        // The settings before an odd end are read.
        let isRead = isRight || frame.type == .settings && (frame.isAnswer || frame.length >= HTTP2Settings.Setting.size)
        if !isRight {
            let read = isRead && !frame.isAnswer ? payload.byteCount / HTTP2Settings.Setting.size * HTTP2Settings.Setting.size : 0
            showPayload(of: frame, payload, from: read, at: arrival, context: &context, sink: &sink)
        }
        if isRight, payload.byteCount < frame.length, frame.isOfConnection == true {
            showPayload(of: frame, payload, from: payload.byteCount, at: arrival, context: &context, sink: &sink)
        }
        if frame.isOfConnection == true, frame.stream != 0, !isRead {
            context.emit(.http2StreamUnexpected, content: arrival, frame.type.name, sink: &sink)
        }
        if !isRight {
            context.emit(.http2FrameLength, content: arrival, frame.type.name, a: UInt64(frame.length), sink: &sink)
        }
        return isRead
    }
}

extension HTTP2FrameHeader {
    /// Whether it is about the connection, and not about a stream; nil of those that may be about either.
    fileprivate var isOfConnection: Bool? {
        switch type {
        case .settings, .ping, .goAway, .priorityUpdate: true
        case .headers, .priority, .reset, .pushPromise, .continuation: false
        case _: nil
        }
    }

    /// The nine bytes of it.
    var bytes: [UInt8] {
        let word = stream | (isReservedBitSet ? 0x8000_0000 : 0)
        return [
            UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length),
            type.number, flags, UInt8(truncatingIfNeeded: word >> 24), UInt8(truncatingIfNeeded: word >> 16),
            UInt8(truncatingIfNeeded: word >> 8), UInt8(truncatingIfNeeded: word),
        ]
    }
}

extension RawSpan {
    /// The first byte that is not zero, as padding has to be.
    var firstPadding: Int? {
        for index in 0..<byteCount where self[index] != 0 { return index }
        return nil
    }
}

extension ConversationContext {
    /// Finds something whose sentence names a text of ours.
    mutating func emit<Sink: ConversationSink & ~Copyable>(
        _ row: FindingRow, content arrival: Arrival, _ text: StaticString, a: UInt64 = 0, b: UInt64 = 0, sink: inout Sink
    ) {
        var bytes: [UInt8] = []
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
        emit(row, a: a, b: b, at: arrival, content: bytes.rawBytes, sink: &sink)
    }

    /// What is told from here on belongs to a stream. Returns the one that it belonged to so far.
    mutating func enterStream(_ stream: UInt32) -> UInt32 {
        let before = channel.stream
        setStream(stream)
        return before
    }

    /// What is told from here on belongs to the stream as before.
    mutating func leaveStream(_ before: UInt32) { setStream(before) }
}
