/// Header blocks: put together from their frames, decoded, given to what they begin or end.
extension HTTP2Layer {
    mutating func takeHeaders<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ payload: RawSpan, isCut: Bool, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = frameArrival(side)
        guard var fragment = unpadded(frame, payload, isCut: isCut, at: arrival, context: &context, sink: &sink) else {
            return self[side].decoder.lose()
        }
        var faults: [FindingRow] = []
        var priority: StreamPriority?
        if frame.hasPriority {
            guard fragment.count >= 5 else {
                showPayload(of: frame, payload, at: arrival, context: &context, sink: &sink)
                context.emit(.http2FrameLength, content: arrival, frame.type.name, a: UInt64(frame.length), sink: &sink)
                return self[side].decoder.lose()
            }
            let told = StreamPriority(payload, at: fragment.lowerBound)
            priority = told
            if told.dependsOn == frame.stream { faults.append(.http2DependsOnItself) }
            fragment = fragment.lowerBound + 5..<fragment.upperBound
        }
        var block = HTTP2Direction.Block(stream: frame.stream, endsStream: frame.endsStream, arrival: arrival)
        block.firstTime = self[side].firstTime
        block.faults = faults
        block.priority = priority
        beginBlock(block, frame, payload.extracting(fragment), isCut: isCut, context: &context, sink: &sink)
    }

    mutating func takePromise<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ payload: RawSpan, isCut: Bool, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = frameArrival(side)
        guard let fragment = unpadded(frame, payload, isCut: isCut, at: arrival, context: &context, sink: &sink) else {
            return self[side].decoder.lose()
        }
        guard fragment.count >= 4 else {
            showPayload(of: frame, payload, at: arrival, context: &context, sink: &sink)
            context.emit(.http2FrameLength, content: arrival, frame.type.name, a: UInt64(frame.length), sink: &sink)
            return self[side].decoder.lose()
        }
        var block = HTTP2Direction.Block(stream: frame.stream, endsStream: false, arrival: arrival)
        if side == .client {
            block.faults.append(.http2PushByClient)
        } else if knowsAll, !self[.client].settings.enablesPush, self[.client].announced.isAccepted {
            // A promise that was under way when the client turned them off is allowed (RFC 9113, section 6.5.2).
            block.faults.append(.http2PushDisabled)
        }
        block.promised = payload.bigEndianUInt32(at: fragment.lowerBound) & 0x7FFF_FFFF
        block.firstTime = self[side].firstTime
        beginBlock(
            block, frame, payload.extracting(fragment.lowerBound + 4..<fragment.upperBound), isCut: isCut, context: &context, sink: &sink)
    }

    mutating func takeContinuation<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ payload: RawSpan, isCut: Bool, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = frameArrival(side)
        guard self[side].block != nil else {
            showPayload(of: frame, payload, at: arrival, context: &context, sink: &sink)
            context.emit(.http2ContinuationUnexpected, at: arrival, sink: &sink)
            return self[side].decoder.lose()
        }
        self[side].block?.frames += 1
        self[side].block?.arrival.place.extend(by: arrival.place)
        let room = self[side].block?.isCut == true ? 0 : context.limits.headBytes - (self[side].block?.bytes.count ?? 0)
        let kept = max(0, min(room, payload.byteCount))
        self[side].block?.cutBytes &+= UInt64(frame.length - kept)
        self[side].block?.bytes.append(copying: payload.extracting(0..<kept))
        if self[side].block?.frames == HTTP2Layer.manyContinuations {
            context.emit(.http2ContinuationFlood, a: HTTP2Layer.manyContinuations, at: arrival, sink: &sink)
        }
        guard frame.endsHeaders, let block = self[side].block else { return }
        self[side].block = nil
        takeBlock(block, block.bytes.rawBytes, side, context: &context, sink: &sink)
    }

    /// No program needs so many frames for one block.
    private static var manyContinuations: UInt64 { 64 }

    /// Where the content of a padded frame lies; nil where the padding is longer than the frame.
    private mutating func unpadded<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ payload: RawSpan, isCut: Bool, at arrival: Arrival, context: inout ConversationContext,
        sink: inout Sink
    ) -> Range<Int>? {
        guard frame.isPadded else { return 0..<payload.byteCount }
        guard payload.byteCount > 0, Int(payload[0]) < frame.length else {
            showPayload(of: frame, payload, at: arrival, context: &context, sink: &sink)
            context.emit(.http2PaddingTooLong, at: arrival, sink: &sink)
            return nil
        }
        // The end of what was cut is not its padding.
        if isCut { return 1..<payload.byteCount }
        let end = payload.byteCount - Int(payload[0])
        if let filled = payload.suffix(from: end).firstPadding {
            // The block is told as if it began with the frame, perhaps after this.
            show(payload.suffix(from: end + filled), of: 0, at: arrival, context: &context, sink: &sink)
            context.emit(.http2PaddingFilled, at: arrival, sink: &sink)
        }
        return 1..<end
    }

    private mutating func beginBlock<Sink: ConversationSink & ~Copyable>(
        _ new: HTTP2Direction.Block, _ frame: HTTP2FrameHeader, _ fragment: RawSpan, isCut: Bool, context: inout ConversationContext,
        sink: inout Sink
    ) {
        var block = new
        if isCut { block.cutBytes = UInt64(max(1, frame.length - fragment.byteCount)) }
        if frame.endsHeaders { return takeBlock(block, fragment, new.arrival.side, context: &context, sink: &sink) }
        block.bytes.append(copying: fragment)
        self[new.arrival.side].block = block
    }

    /// A header block that does not end: what came of it is shown.
    mutating func dropBlock<Sink: ConversationSink & ~Copyable>(of side: Side, context: inout ConversationContext, sink: inout Sink) {
        guard let block = self[side].block else { return }
        self[side].block = nil
        self[side].decoder.lose()
        let before = context.enterStream(block.stream)
        show(block, block.bytes.rawBytes, context: &context, sink: &sink)
        context.leaveStream(before)
        tellFrameFaults(side, context: &context, sink: &sink)
    }

    /// Shows a block that is not read.
    mutating func show<Sink: ConversationSink & ~Copyable>(
        _ block: HTTP2Direction.Block, _ bytes: RawSpan, context: inout ConversationContext, sink: inout Sink
    ) {
        let count = UInt64(bytes.byteCount).addingReportingOverflow(block.cutBytes)
        let most = count.overflow ? Int.max : Int(clamping: count.partialValue)
        show(bytes, of: most, isHeaderBlock: true, at: block.arrival, context: &context, sink: &sink)
    }

    /// A header block is whole: it is told, and then what is wrong with the frame that it began with.
    private mutating func takeBlock<Sink: ConversationSink & ~Copyable>(
        _ block: HTTP2Direction.Block, _ bytes: RawSpan, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        tellBlock(block, bytes, side, context: &context, sink: &sink)
        for fault in block.faults { context.emit(fault, at: block.arrival, sink: &sink) }
        if knowsAll, self[side].decoder.hasOmittedSize { context.emit(.http2TableSizeMissing, at: block.arrival, sink: &sink) }
    }

    private mutating func tellBlock<Sink: ConversationSink & ~Copyable>(
        _ block: HTTP2Direction.Block, _ bytes: RawSpan, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        guard !block.isCut else {
            self[side].decoder.lose()
            show(block, bytes, context: &context, sink: &sink)
            context.emit(.http2BlockLimit, a: UInt64(bytes.byteCount), at: block.arrival, sink: &sink)
            return takeUnreadable(block, side, context: &context, sink: &sink)
        }
        var fields = FieldList()
        swap(&fields, &list)
        let problem = self[side].decoder.decode(bytes, into: &fields)
        swap(&fields, &list)
        if let problem {
            show(block, bytes, context: &context, sink: &sink)
            context.emit(.http2BlockInvalid, content: block.arrival, problem.words, sink: &sink)
            return takeUnreadable(block, side, context: &context, sink: &sink)
        }
        var head = HTTP2Head(list, mayHaveRawMetadata: mayHaveRawMetadata)
        let kind = kind(of: head, block, side)
        if kind == .trailers, head.kind == .request { head.becomeTrailers(list) }
        if isMisplaced(kind, block, side) {
            show(block, bytes, context: &context, sink: &sink)
            context.emit(.http2PseudoMisplaced, at: block.arrival, sink: &sink)
            return takeUnreadable(block, side, context: &context, sink: &sink)
        }
        if kind == .request || kind == .response, head.losesBytes { show(block, bytes, context: &context, sink: &sink) }
        switch kind {
        case .request: takeRequest(block, head, side, context: &context, sink: &sink)
        case .response: takeResponse(block, head, side, context: &context, sink: &sink)
        case .trailers: takeTrailers(block, head, bytes, side, context: &context, sink: &sink)
        case .unknown:
            show(block, bytes, context: &context, sink: &sink)
            tellUnknown(at: block.arrival, context: &context, sink: &sink)
            takeUnreadable(block, side, context: &context, sink: &sink)
        }
    }

    /// Whether `-bin` fields of gRPC may be raw: both sides have said so (RFC 9113, section 5.5), or may have where nobody saw it.
    private var mayHaveRawMetadata: Bool {
        !knowsAll || self[.client].settings.takesRawMetadata && self[.server].settings.takesRawMetadata
    }

    /// What a block is. One of which nobody knows whether it has a status ends a body where its side has sent a head, and so does one of a
    /// client that names no method.
    private func kind(of head: HTTP2Head, _ block: HTTP2Direction.Block, _ side: Side) -> HTTP2Head.Kind {
        guard block.promised == nil, streams[block.stream]?[side].hasHead == true else { return head.kind }
        if head.kind == .unknown { return .trailers }
        let isTrailers = head.kind == .request && side == .client && head.method == nil && list.unknown == 0 && block.endsStream
        return isTrailers ? .trailers : head.kind
    }

    /// Whether a side says what is the other's to say: a client responds, a server asks without a promise, or promises no request. Where the
    /// beginning was not seen, who is the client may be a guess.
    private func isMisplaced(_ kind: HTTP2Head.Kind, _ block: HTTP2Direction.Block, _ side: Side) -> Bool {
        switch kind {
        case .request: knowsAll && side == .server && block.promised == nil
        case .response: block.promised != nil || knowsAll && side == .client
        case .trailers: block.promised != nil
        case .unknown: false
        }
    }

    /// Tells how many fields are not known, and which entries of the table they refer to.
    func tellUnknown<Sink: ConversationSink & ~Copyable>(at arrival: Arrival, context: inout ConversationContext, sink: inout Sink) {
        let words = list.unknownWords
        context.emit(.http2FieldsUnknown, a: UInt64(list.unknown), at: arrival, content: words.rawBytes, sink: &sink)
    }

    /// A head that nobody can read belongs to its stream all the same.
    private mutating func takeUnreadable<Sink: ConversationSink & ~Copyable>(
        _ block: HTTP2Direction.Block, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let number = block.promised ?? block.stream
        guard block.promised != nil || !isGone(block.stream, side) else { return }
        let stream = stream(number, context: &context, at: block.arrival, sink: &sink)
        noteOpened(number, by: side)
        if block.promised != nil {
            stream.client.hasHead = true
            stream.client.isEnded = true
            return count(stream)
        }
        stream[side].hasHead = true
        if side == .client { stream.requestEnd = block.arrival.place.time }
        if block.endsStream { end(stream, side, at: block.arrival, context: &context, sink: &sink) }
        count(stream)
    }
}
