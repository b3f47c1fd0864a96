/// Data frames: fragments, text, compression.
extension WebSocketDirection {
    /// A data frame begins: a new message, or more of the open one (RFC 6455, section 5.4).
    mutating func beginData<Sink: ConversationSink & ~Copyable>(
        _ session: WebSocketSession, context: inout ConversationContext, sink: inout Sink
    ) {
        if hasClosed { faults.insert(.afterClose) }
        let isContinuation = frame.opcode == 0
        if message.isOpen, !isContinuation {
            faults.insert(.continuationMissing)
            tellUnfinished(context: &context, sink: &sink)
        }
        if !message.isOpen { beginMessage(isContinuation, session) }
        message.addFrame(frame)
    }

    private mutating func beginMessage(_ isContinuation: Bool, _ session: WebSocketSession) {
        message = MessageAssembly()
        message.opcode = frame.opcode
        message.offset = frameOffset
        message.place = framePlace
        assembly.clear()
        if isContinuation {
            if !mayContinue { faults.insert(.continuationUnexpected) }
            message.content = mayContinue && session.mayCompress ? .undecodable : .plain
            return
        }
        mayContinue = false
        let isKnownOpcode = frame.opcode == 1 || frame.opcode == 2
        let isCompressed = frame.rsv1 && session.mayCompress && isKnownOpcode
        message.content = isCompressed ? .inflating : .plain
        if !isCompressed, inflater != nil { hasSentPlain = true }
        // With RSV1 and no agreement, or the bits of an unknown extension, the bytes are not the text itself.
        if reportsContent, frame.opcode == 1, frame.rsv == (isCompressed ? 4 : 0) { message.text = .valid(UTF8Validator()) }
        guard isCompressed else { return }
        let (takeover, windowBits) = session.compression(of: side)
        message.isAlone = !takeover
        if inflater == nil { inflater = Inflater(windowBits: windowBits) } else if !takeover { inflater?.reset() }
    }

    /// Takes payload of a data frame.
    mutating func readData(_ payload: RawSpan, _ session: WebSocketSession, limits: Limits) {
        switch message.content {
        case .none, .torn, .broken, .undecodable: return
        case .plain: keep(payload, limits: limits)
        case .inflating where frame.masked: inSteps(payload) { direction, bytes in direction.inflate(bytes, limits: limits) }
        case .inflating, .overLimit: inflate(payload, limits: limits)
        }
    }

    /// Keeps payload that is the content, and checks it where it is text.
    private mutating func keep(_ payload: RawSpan, limits: Limits) {
        if let carried {
            if frame.masked { inSteps(payload) { _, bytes in carried.take(bytes) } } else { carried.take(payload) }
        }
        let before = assembly.count
        let announced = frame.length &- taken
        assembly.append(
            payload, key: frame.maskingKey, position: taken, most: limits.messageBytes,
            expected: announced >= UInt64(payload.byteCount) ? announced &- UInt64(payload.byteCount) : .max)
        guard message.text.isUnderWay else { return }
        if !frame.masked {
            message.text.check(payload)
        } else if assembly.count - before == payload.byteCount {
            let kept = assembly
            message.text.check(kept.buffer.rawBytes.extracting(before..<kept.count))
        } else {
            inSteps(payload) { direction, bytes in direction.message.text.check(bytes) }
        }
    }

    // MARK: - Compression

    /// Inflates the next bytes of a compressed message (RFC 7692, section 7.2.2).
    private mutating func inflate(_ bytes: RawSpan, limits: Limits) {
        guard message.content.mayInflate(bytes.byteCount), let inflater else { return }
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
                message.content.exceed(unread: bytes.byteCount - position)
                return
            case .invalid(let fault):
                message.content.stop(at: fault)
                return
            }
        }
    }

    /// Checks and keeps what was inflated so far, before it leaves the window.
    private mutating func takeInflated(_ inflater: Inflater, limits: Limits) {
        inflater.withPending { bytes in
            message.text.check(bytes)
            carried?.take(bytes)
            assembly.append(bytes, key: 0, position: 0, most: limits.messageBytes)
        }
        message.inflated &+= UInt64(inflater.pendingCount)
        inflater.take()
    }

    /// The window is not the sender's any more: what follows is tried with an empty one.
    mutating func giveUpContext() {
        inflater?.reset()
        history.giveUp()
    }

    // MARK: - The end of a message

    /// The last frame of the message came. Returns the bytes of what was told, after inflating; 0 where it could not be read.
    mutating func endMessage<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) -> UInt64 {
        var length: UInt64 = 0
        let content = message.content.end()
        switch content {
        case .none: break
        case .plain, .torn:
            message.text.finish()
            length = message.wireLength
            WebSocketDirection.tell(
                message, at: messageArrival, length: message.wireLength,
                content: assembly.buffer.rawBytes.extracting(0..<assembly.count), context: &context, sink: &sink)
        case .inflating: length = tellInflated(unread: nil, context: &context, sink: &sink)
        case .overLimit(let unread): length = tellInflated(unread: unread, context: &context, sink: &sink)
        case .broken(let fault): tellUndecodable(fault, context: &context, sink: &sink)
        case .undecodable: tellUndecodable(nil, context: &context, sink: &sink)
        }
        assembly.clear()
        if let carried {
            let isWhole =
                switch content {
                case .plain, .inflating: true
                case .none, .torn, .overLimit, .broken, .undecodable: false
                }
            let goesOn = isWhole && carried.endMessage(isText: message.opcode == 1, at: messageArrival, context: &context, sink: &sink)
            if !goesOn { self.carried = nil }
        }
        return length
    }

    var messageArrival: Arrival { Arrival(side: side, offset: message.offset, place: message.place) }

    /// Tells the message and whether its text is none.
    ///
    /// Static, because the content is often borrowed from the direction itself. `announced`: the length that a message which was not finished was to
    /// have.
    private static func tell<Sink: ConversationSink & ~Copyable>(
        _ message: borrowing MessageAssembly, at arrival: Arrival, length: UInt64, content: RawSpan,
        isCompressed: Bool = false, isUnfinished: Bool = false, unfinished: UInt64 = 0, announced: UInt64? = nil,
        context: inout ConversationContext, sink: inout Sink
    ) {
        context[arrival.side].messages &+= 1
        var told = Message(
            opcode: message.opcode, length: length, wireLength: message.wireLength, fragments: message.fragments,
            compressed: isCompressed, unfinished: unfinished)
        (told.isUnfinished, told.announced) = (isUnfinished, announced)
        var kept = content.byteCount
        if isCompressed {
            kept = Int(min(UInt64(kept), context.inflation.room(for: message.seen)))
            context.inflation.add(UInt64(kept), for: message.seen)
        }
        context.emit(.message(told), at: arrival, content: content.extracting(0..<kept), sink: &sink)
        if kept < content.byteCount, !context.inflation.isOverdrawn {
            context.inflation.isOverdrawn = true
            context.emit(.webSocketContentLimit, a: UInt64(kept), at: arrival, sink: &sink)
        }
        if let badByte = message.text.badByte { context.emit(.webSocketUTF8Invalid, a: badByte, at: arrival, sink: &sink) }
    }

    /// Tells a compressed message that was inflated; only a part of it, where `unread` bytes came over the limit. Returns the bytes that it has.
    private mutating func tellInflated<Sink: ConversationSink & ~Copyable>(
        unread: UInt64?, context: inout ConversationContext, sink: inout Sink
    ) -> UInt64 {
        guard let inflater else {
            tellUndecodable(nil, context: &context, sink: &sink)
            return 0
        }
        let unused = UInt64(inflater.unusedBytes)
        if inflater.needsEarlier { noteContextUse(context) }
        let ending = unread == nil ? inflater.finishMessage() : .complete
        let length = message.inflated &+ UInt64(inflater.pendingCount)
        if message.inflated == 0, !assembly.isGivenUp {
            // All of it still stands in the window: no copy.
            let kept = context.limits.messageBytes
            var ended = message
            let arrival = messageArrival
            let carried = carried
            inflater.withPending { bytes in
                ended.text.check(bytes)
                carried?.take(bytes)
                if unread == nil { ended.text.finish() }
                let content = bytes.extracting(0..<min(kept, bytes.byteCount))
                WebSocketDirection.tell(
                    ended, at: arrival, length: length, content: content, isCompressed: true, context: &context, sink: &sink)
            }
            inflater.take()
        } else {
            takeInflated(inflater, limits: context.limits)
            if unread == nil { message.text.finish() }
            WebSocketDirection.tell(
                message, at: messageArrival, length: length, content: assembly.buffer.rawBytes.extracting(0..<assembly.count),
                isCompressed: true, context: &context, sink: &sink)
        }
        if let unread {
            let rest = max(1, min(message.seen, unread &+ unused))
            context.emit(.gap(Gap(length: rest, cause: .limit)), at: messageArrival, sink: &sink)
            giveUpContext()
        } else if case .unterminated = ending, reportsContent {
            context.emit(.webSocketDeflateUnterminated, at: messageArrival, sink: &sink)
        }
        return length
    }

    /// Tells a compressed message as a gap, and why: nothing is wrong where some of it was lost.
    private mutating func tellUndecodable<Sink: ConversationSink & ~Copyable>(
        _ fault: Inflater.Fault?, context: inout ConversationContext, sink: inout Sink
    ) {
        // Nothing is left where all of it was lost, or told before the loss.
        if message.came > message.toldAsGap {
            var rest = messageArrival
            rest.offset = message.restOffset ?? rest.offset
            context.emit(.gap(Gap(length: message.came &- message.toldAsGap, cause: .undecodable)), at: rest, sink: &sink)
        }
        guard let fault else { return giveUpContext() }
        let (isPeers, isNew) = history.judge(fault, isAlone: message.isAlone)
        guard isPeers else {
            inflater?.reset()
            if isNew { context.emit(.webSocketDeflateContextLost, at: messageArrival, sink: &sink) }
            return
        }
        giveUpContext()
        switch fault {
        case .beyondWindow:
            let window = UInt64(inflater?.windowSize ?? 0)
            context.emit(.webSocketDeflateWindowExceeded, a: window, at: messageArrival, sink: &sink)
        case .malformed, .beyondHistory:
            let words = whyInvalid(fault, hasEarlier: context[side].messages > 0)
            context.emit(.webSocketDeflateInvalid, at: messageArrival, content: words.rawBytes, sink: &sink)
        }
    }

    /// The open message will have no end: tells what came of it. `lastFrame`: bytes that came of a frame that is not whole.
    mutating func tellUnfinished<Sink: ConversationSink & ~Copyable>(
        lastFrame: UInt64 = 0, context: inout ConversationContext, sink: inout Sink
    ) {
        let seen = message.seen
        carried = nil
        switch message.content.end() {
        case .none: return
        case .plain, .torn:
            // Without what begins a character and does not end it the text stays text.
            let tail = lastFrame > 0 && UInt64(assembly.count) == message.wireLength ? message.text.openBytes : 0
            let open = UInt64(tail) <= taken ? tail : 0
            // How long the message was to be is known in its last frame alone.
            let due = message.wireLength.addingReportingOverflow(frame.length &- taken)
            let announced = lastFrame > 0 && frame.fin && !due.overflow ? due.partialValue : nil
            message.seen &-= UInt64(open)
            WebSocketDirection.tell(
                message, at: messageArrival, length: message.wireLength,
                content: assembly.buffer.rawBytes.extracting(0..<assembly.count - open),
                isUnfinished: true, unfinished: lastFrame > 0 ? lastFrame &- UInt64(open) : 0, announced: announced, context: &context,
                sink: &sink)
            if open > 0 {
                let end = frameOffset &+ UInt64(frame.headerLength) &+ taken
                context.emit(
                    .gap(Gap(length: UInt64(open), cause: .undecodable)),
                    at: Arrival(side: side, offset: end &- UInt64(open), place: framePlace), sink: &sink)
            }
        case .inflating, .overLimit, .broken, .undecodable: tellUndecodable(nil, context: &context, sink: &sink)
        }
        context.emit(.webSocketMessageUnfinished, a: seen, at: messageArrival, sink: &sink)
        assembly.clear()
        tellInterrupting(context: &context, sink: &sink)
    }
}
