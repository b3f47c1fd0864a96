/// Data frames: fragments, text, compression.
extension WebSocketDirection {
    /// A data frame begins: a new message, or more of the open one (RFC 6455, section 5.4).
    mutating func beginData<Sink: ConversationSink & ~Copyable>(
        _ talk: WebSocketTalk, context: inout ConversationContext, sink: inout Sink
    ) {
        if hasClosed { faults.insert(.afterClose) }
        let isContinuation = frame.opcode == 0
        if message.isOpen, !isContinuation {
            faults.insert(.continuationMissing)
            tellUnfinished(context: &context, sink: &sink)
        }
        if !message.isOpen { beginMessage(isContinuation, talk) }
        message.addFrame(frame)
    }

    private mutating func beginMessage(_ isContinuation: Bool, _ talk: WebSocketTalk) {
        message = MessageAssembly()
        message.isOpen = true
        message.opcode = frame.opcode
        message.offset = frameOffset
        message.place = framePlace
        assembly.clear()
        if isContinuation {
            if mayContinue {
                message.isUnreadable = talk.mayCompress
            } else {
                faults.insert(.continuationUnexpected)
            }
            return
        }
        mayContinue = false
        let isKnownOpcode = frame.opcode == 1 || frame.opcode == 2
        message.isCompressed = frame.rsv1 && talk.mayCompress && isKnownOpcode
        // With RSV1 and no agreement, or the bits of an unknown extension, the bytes are not the text itself.
        message.isChecked = frame.opcode == 1 && (message.isCompressed ? frame.rsv == 4 : frame.rsv == 0)
        guard message.isCompressed else { return }
        let (takeover, windowBits) = talk.compression(of: side)
        if inflater == nil { inflater = Inflater(windowBits: windowBits) } else if !takeover { inflater?.reset() }
    }

    /// Takes payload of a data frame.
    mutating func readData(_ payload: RawSpan, _ talk: WebSocketTalk, limits: Limits) {
        if message.isUnreadable { return }
        if message.isCompressed {
            guard message.fault == nil, !message.hasGap else { return }
            if frame.masked {
                inSteps(payload) { direction, bytes in direction.inflate(bytes, limits: limits) }
            } else {
                inflate(payload, limits: limits)
            }
            return
        }
        let before = assembly.count
        let most = message.keeps ? limits.messageBytes : 0
        let announced = frame.length &- taken
        assembly.append(
            payload, key: frame.maskingKey, position: taken, most: most,
            expected: announced >= UInt64(payload.byteCount) ? announced &- UInt64(payload.byteCount) : .max)
        guard message.isChecked, !message.hasGap, message.badByte == nil else { return }
        if !frame.masked {
            message.check(payload)
        } else if assembly.count - before == payload.byteCount {
            let kept = assembly
            message.check(kept.buffer.rawBytes.extracting(before..<kept.count))
        } else {
            inSteps(payload) { direction, bytes in direction.message.check(bytes) }
        }
    }

    /// Unmasks payload that is not kept whole, a step at a time.
    @inline(__always)
    private mutating func inSteps(_ payload: RawSpan, _ body: (inout WebSocketDirection, RawSpan) -> Void) {
        var position = 0
        prepareScratch(min(payload.byteCount, WebSocketDirection.scratchBytes))
        // Taken out for the time, so that `body` may change everything else.
        var step: [UInt8] = []
        swap(&step, &scratch)
        while position < payload.byteCount {
            let count = min(step.count, payload.byteCount - position)
            Unmasking.copy(
                payload.extracting(position..<position + count), key: frame.maskingKey, position: taken &+ UInt64(position), to: &step,
                at: 0)
            body(&self, step.rawBytes.extracting(0..<count))
            position += count
        }
        swap(&step, &scratch)
    }

    // MARK: - Compression

    /// Inflates the next bytes of a compressed message (RFC 7692, section 7.2.2).
    private mutating func inflate(_ bytes: RawSpan, limits: Limits) {
        guard let inflater, message.fault == nil else { return }
        guard !message.isOverLimit else {
            message.unreadAfterLimit &+= UInt64(bytes.byteCount)
            return
        }
        var position = 0
        while true {
            let done = message.inflated &+ UInt64(inflater.pendingCount)
            switch inflater.inflate(bytes, from: &position, allowance: limits.inflatedBytes &- min(done, limits.inflatedBytes)) {
            case .needsInput:
                return
            case .needsRoom:
                takeInflated(inflater, limits: limits)
                inflater.makeRoom()
            case .overAllowance:
                message.isOverLimit = true
                message.unreadAfterLimit = UInt64(bytes.byteCount - position)
                return
            case .invalid(let fault):
                message.fault = fault
                return
            }
        }
    }

    /// Checks and keeps what was inflated so far, before it leaves the window.
    private mutating func takeInflated(_ inflater: Inflater, limits: Limits) {
        let most = message.keeps ? limits.messageBytes : 0
        inflater.withPending { bytes in
            message.check(bytes)
            assembly.append(bytes, key: 0, position: 0, most: most)
        }
        message.inflated &+= UInt64(inflater.pendingCount)
        inflater.take()
    }

    /// The window is not the sender's any more: what follows is tried with an empty one.
    mutating func loseContext() {
        inflater?.reset()
        hasLostContext = true
        hasToldLostContext = false
    }

    // MARK: - The end of a message

    /// The last frame of the message came.
    mutating func endMessage<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        message.isOpen = false
        if message.isCompressed || message.isUnreadable {
            endCompressed(context: &context, sink: &sink)
        } else {
            message.finishCheck()
            WebSocketDirection.tell(
                message, at: messageArrival, length: message.wireLength,
                content: assembly.buffer.rawBytes.extracting(0..<assembly.count), context: &context, sink: &sink)
        }
        assembly.clear()
    }

    var messageArrival: Arrival { Arrival(side: side, offset: message.offset, place: message.place) }

    /// Tells the message and whether its text is none.
    ///
    /// Static, because the content is often borrowed from the direction itself.
    private static func tell<Sink: ConversationSink & ~Copyable>(
        _ message: borrowing MessageAssembly, at arrival: Arrival, length: UInt64, content: RawSpan, unfinished: UInt64 = 0,
        context: inout ConversationContext, sink: inout Sink
    ) {
        context[arrival.side].messages &+= 1
        let told = Message(
            opcode: message.opcode, length: length, wireLength: message.wireLength, fragments: message.fragments,
            compressed: message.isCompressed, unfinished: unfinished)
        var kept = content.byteCount
        if message.isCompressed {
            kept = Int(min(UInt64(kept), context.inflation.room(for: message.seen)))
            context.inflation.add(UInt64(kept), for: message.seen)
        }
        context.emit(.message(told), at: arrival, content: content.extracting(0..<kept), sink: &sink)
        if kept < content.byteCount, !context.inflation.isOverdrawn {
            context.inflation.isOverdrawn = true
            context.emit(.webSocketContentLimit, a: UInt64(kept), at: arrival, sink: &sink)
        }
        if let badByte = message.badByte { context.emit(.webSocketUTF8Invalid, a: badByte, at: arrival, sink: &sink) }
    }

    private mutating func endCompressed<Sink: ConversationSink & ~Copyable>(
        context: inout ConversationContext, sink: inout Sink
    ) {
        guard let inflater, !message.isUnreadable, !message.hasGap, message.fault == nil else {
            tellUndecodable(context: &context, sink: &sink)
            return
        }
        let unread = UInt64(inflater.unusedBytes)
        let ending = message.isOverLimit ? Inflater.Ending.complete : inflater.finishMessage()
        let length = message.inflated &+ UInt64(inflater.pendingCount)
        if message.inflated == 0, message.keeps {
            // All of it still stands in the window: no copy.
            let kept = context.limits.messageBytes
            var ended = message
            let arrival = messageArrival
            inflater.withPending { bytes in
                ended.check(bytes)
                ended.finishCheck()
                let content = bytes.extracting(0..<min(kept, bytes.byteCount))
                WebSocketDirection.tell(ended, at: arrival, length: length, content: content, context: &context, sink: &sink)
            }
            inflater.take()
        } else {
            takeInflated(inflater, limits: context.limits)
            message.finishCheck()
            WebSocketDirection.tell(
                message, at: messageArrival, length: length, content: assembly.buffer.rawBytes.extracting(0..<assembly.count),
                context: &context, sink: &sink)
        }
        if message.isOverLimit {
            let rest = max(1, min(message.seen, message.unreadAfterLimit &+ unread))
            context.emit(.gap(Gap(length: rest, cause: .limit)), at: messageArrival, sink: &sink)
            loseContext()
        } else if case .unterminated = ending {
            context.emit(.webSocketDeflateUnterminated, at: messageArrival, sink: &sink)
        }
    }

    /// Tells a compressed message as a gap, and why.
    private mutating func tellUndecodable<Sink: ConversationSink & ~Copyable>(
        context: inout ConversationContext, sink: inout Sink
    ) {
        // Nothing is left where all of it was lost, or told before the loss.
        if message.came > message.toldAsGap {
            var rest = messageArrival
            rest.offset = message.restOffset ?? rest.offset
            context.emit(.gap(Gap(length: message.came &- message.toldAsGap, cause: .undecodable)), at: rest, sink: &sink)
        }
        if message.isUnreadable || message.hasGap {
            loseContext()
            return
        }
        switch message.fault {
        case .beyondHistory where hasLostContext:
            inflater?.reset()
            if !hasToldLostContext { context.emit(.webSocketDeflateContextLost, at: messageArrival, sink: &sink) }
            hasToldLostContext = true
        case .beyondWindow:
            loseContext()
            let window = UInt64(inflater?.windowSize ?? 0)
            context.emit(.webSocketDeflateWindowExceeded, a: window, at: messageArrival, sink: &sink)
        case .malformed, .beyondHistory, nil:
            loseContext()
            context.emit(.webSocketDeflateInvalid, at: messageArrival, sink: &sink)
        }
    }

    /// The open message will have no end: tells what came of it. `lastFrame`: bytes that came of a frame that is not whole.
    mutating func tellUnfinished<Sink: ConversationSink & ~Copyable>(
        lastFrame: UInt64 = 0, context: inout ConversationContext, sink: inout Sink
    ) {
        guard message.isOpen else { return }
        message.isOpen = false
        let seen = message.seen
        if message.isCompressed || message.isUnreadable {
            message.hasGap = true
            tellUndecodable(context: &context, sink: &sink)
        } else {
            WebSocketDirection.tell(
                message, at: messageArrival, length: message.wireLength,
                content: assembly.buffer.rawBytes.extracting(0..<assembly.count), unfinished: lastFrame, context: &context, sink: &sink)
        }
        context.emit(.webSocketMessageUnfinished, a: seen, at: messageArrival, sink: &sink)
        assembly.clear()
        tellInterrupting(context: &context, sink: &sink)
    }
}
