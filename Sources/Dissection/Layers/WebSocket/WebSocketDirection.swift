/// One direction of a WebSocket: bytes in, frames and messages out.
///
/// ```
///            header whole          last byte of payload
///  header ───────────────▶ payload ─────────────────────▶ header
///    │  ▲                     │
///    │  │ boundary found        │ a gap beyond the frame
///    │  └───── searching ◀────┘
///    │             ▲ a gap at or in a header
///    └─────────────┘
///    │ no header behind a Close frame; an HTTP response
///    └───────▶ opaque
/// ```
///
/// What is told depends on the bytes alone, not on how they are cut into runs: a frame is told at its last byte, and
/// what its header breaks is kept until then.
struct WebSocketDirection {
    enum Phase {
        case header
        /// After a header that may be the beginning of something of HTTP.
        case comparing
        case payload
        case searching
        /// Behind a Close frame, or from an HTTP response on: bytes that are no frames.
        case opaque
    }

    let side: Side
    var phase = Phase.header
    var reader = FrameHeaderReader()
    var frame = FrameHeader(opcode: 0, fin: true, rsv: 0, masked: false, maskingKey: 0, length: 0, headerLength: 2)
    var frameOffset: UInt64 = 0
    var framePlace = Place()
    /// Payload bytes of the frame that came or are known to be lost.
    var taken: UInt64 = 0
    /// Payload bytes of the frame that are lost.
    var lost: UInt64 = 0
    var faults: FrameFaults = []
    /// The content of a control frame that came in pieces or masked.
    var control = KeptBytes()
    var message = MessageAssembly()
    /// Frames with the reserved opcode of a control frame that came since the open message began; see `InterruptingFrames`.
    var interrupting: InterruptingFrames?
    var assembly = KeptBytes()
    /// Unmasked bytes on their way to the inflater or the check for UTF-8.
    var scratch: [UInt8] = []
    var inflater: Inflater?
    var search: ResyncSearch?
    /// Frames that still have to fit before it is believed that the boundaries are where they seem to be; see
    /// `WebSocketDirection+Doubt.swift`.
    var unproven: UInt8 = 0
    /// The masking key of the frame that has borne out the boundaries last.
    var provenKey: UInt32 = 0
    /// The frames were found by looking at bytes, with no handshake in sight: they may be a recording, in the body of another protocol's
    /// message. What cannot be a frame is the end of it then, however many came before.
    var isGuessed = false
    /// As before, and nobody has said so: what is passed over in search of frames and has none may be anything, and is shown.
    var showsPassed = false
    /// No further boundary is looked for before the next loss: what comes is shown.
    var hasGivenUp = false
    /// How often the boundaries may still be doubted and looked for again before the next loss.
    var doubtsLeft: UInt8 = 0
    var hasClosed = false
    /// Messages before may be missing, so a first frame may be a continuation.
    var mayContinue = false
    var history = WindowHistory.whole
    /// The first message that needed those before it.
    var contextUse: ContextUse?
    /// A message came uncompressed after one that was compressed.
    var hasSentPlain = false
    /// What the bytes after the header may be instead of a frame; nil where they are compared with nothing.
    var http: HTTPInside?
    /// What is read of the content of its messages; nil where nothing is, or some of it was lost.
    var carried: CarriedContent?
    /// A buffer may have grown, or been given back, since `countHeld`.
    var hasUsedBuffers = false
    private var counted = 0

    init(side: Side, carried: CarriedContent?) { (self.side, self.carried) = (side, carried) }

    /// Where the frame that is read now begins.
    var frameArrival: Arrival { Arrival(side: side, offset: frameOffset, place: framePlace) }

    mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, session: inout WebSocketSession, context: inout ConversationContext, sink: inout Sink
    ) {
        var position = 0
        // Where the header that was read last begins, where it lies in these bytes.
        var headerStart: Int?
        while position < bytes.byteCount {
            switch phase {
            case .header:
                if reader.isEmpty {
                    frameOffset = arrival.offset &+ UInt64(position)
                    framePlace = arrival.place
                    if let header = FrameHeaderReader.header(in: bytes, at: position) {
                        frame = header
                        faults = FrameFaults.judge(header, from: side, session.negotiation)
                        if unproven > 0 || isGuessed, !bearsOut() {
                            if doubtsLeft > 0 {
                                doubtBoundary(context: &context, sink: &sink)
                            } else {
                                giveUp([], context: &context, sink: &sink)
                            }
                            continue
                        }
                        let start = position + Int(header.headerLength)
                        if isPlain, header.length <= UInt64(bytes.byteCount - start) {
                            let payload = bytes.extracting(start..<start + Int(header.length))
                            if tellPlain(payload, context: &context, sink: &sink) {
                                if header.length > session.longest(of: side) { noteLongest(header.length, &session, context) }
                                position = start + payload.byteCount
                                continue
                            }
                        }
                        // Behind a Close frame the header's bytes may be needed once more, as data.
                        if hasClosed, !faults.isDisjoint(with: .implausible) {
                            beginOpaque([], at: frameArrival, context: &context, sink: &sink)
                            continue
                        }
                        headerStart = position
                        position = start
                        if !faults.isEmpty, compareNext() { continue }
                        beginFrame(&session, context: &context, sink: &sink)
                        continue
                    }
                } else {
                    framePlace.extend(by: arrival.place)
                }
                let cut = reader
                let start = position
                headerStart = cut.isEmpty ? start : nil
                guard let header = reader.take(bytes, &position) else { return }
                frame = header
                faults = FrameFaults.judge(header, from: side, session.negotiation)
                if unproven > 0 || isGuessed, !bearsOut() {
                    // The header's bytes are searched once more, behind its first.
                    position = start
                    guard doubtsLeft > 0 else {
                        giveUp(cut.bytes, context: &context, sink: &sink)
                        continue
                    }
                    doubtBoundary(context: &context, sink: &sink)
                    seek(cut.bytes.rawBytes, at: frameArrival, &session, context: &context, sink: &sink)
                    continue
                }
                if hasClosed, !faults.isDisjoint(with: .implausible) {
                    position = start
                    beginOpaque(cut.bytes, at: frameArrival, context: &context, sink: &sink)
                    continue
                }
                if !faults.isEmpty, compareNext() { continue }
                beginFrame(&session, context: &context, sink: &sink)
            case .comparing:
                position = compareHTTP(
                    bytes, from: position, headerStart: headerStart, at: arrival, session: &session, context: &context, sink: &sink)
            case .payload:
                hasUsedBuffers = true
                framePlace.extend(by: arrival.place)
                let count = Int(min(UInt64(bytes.byteCount - position), frame.length - taken))
                let payload = bytes.extracting(position..<position + count)
                position += count
                takePayload(payload, &session, context: &context, sink: &sink)
            case .searching:
                let rest = bytes.suffix(from: position)
                position = bytes.byteCount
                seek(rest, at: arrival.advanced(by: bytes.byteCount - rest.byteCount), &session, context: &context, sink: &sink)
            case .opaque:
                let rest = bytes.suffix(from: position)
                context.emit(
                    .data(DataRun(length: UInt64(rest.byteCount))), at: arrival.advanced(by: position), content: rest, sink: &sink)
                return
            }
        }
    }

    // MARK: - Frames

    /// A header with faults was read. Returns whether what follows says if it is one.
    private mutating func compareNext() -> Bool {
        http = HTTPInside(frame, from: side)
        if http != nil { phase = .comparing }
        return http != nil
    }

    /// A header was read: begins its frame, and ends it where it has no payload.
    mutating func beginFrame<Sink: ConversationSink & ~Copyable>(
        _ session: inout WebSocketSession, context: inout ConversationContext, sink: inout Sink
    ) {
        phase = .payload
        hasUsedBuffers = true
        taken = 0
        lost = 0
        if frame.isControl {
            control.clear()
        } else {
            beginData(session, context: &context, sink: &sink)
            noteOpen(&session)
        }
        if frame.length == 0 { endFrame(RawSpan(), &session, context: &context, sink: &sink) }
    }

    /// Takes bytes of the frame's payload, at most those that are still due.
    private mutating func takePayload<Sink: ConversationSink & ~Copyable>(
        _ payload: RawSpan, _ session: inout WebSocketSession, context: inout ConversationContext, sink: inout Sink
    ) {
        let count = UInt64(payload.byteCount)
        if frame.isControl {
            if taken == 0, count == frame.length, !frame.masked {
                taken = count
                endFrame(payload, &session, context: &context, sink: &sink)
                return
            }
            let most = max(context.limits.messageBytes, InterruptingFrames.longestKept)
            if lost == 0 { control.append(payload, key: frame.maskingKey, position: taken, most: most) }
            taken &+= count
            // A copy of the reference, because telling changes the rest of the state.
            let content = control
            let came = content.buffer.rawBytes.extracting(0..<content.count)
            guard taken == frame.length else { return }
            endFrame(came, &session, context: &context, sink: &sink)
        } else {
            readData(payload, session, limits: context.limits)
            taken &+= count
            message.seen &+= count
            if taken == frame.length { endFrame(RawSpan(), &session, context: &context, sink: &sink) }
        }
    }

    /// The last byte of a frame came: tells it, then what it completes, then what is wrong with it.
    mutating func endFrame<Sink: ConversationSink & ~Copyable>(
        _ content: RawSpan, _ session: inout WebSocketSession, context: inout ConversationContext, sink: inout Sink
    ) {
        phase = .header
        let arrival = frameArrival
        let told = frame
        let wrong = faults
        context[side].frames &+= 1
        if sink.takesFrames { context.emit(.frame(told), at: arrival, sink: &sink) }
        if told.isControl {
            if told.opcode > 10, message.isOpen {
                holdInterrupting(content, context: &context, sink: &sink)
                return
            }
            tellControl(content, &session, context: &context, sink: &sink)
        } else {
            message.place.extend(by: arrival.place)
            if told.fin {
                let length = endMessage(context: &context, sink: &sink)
                session.endMessage(of: side)
                if length > session.longest(of: side) { noteLongest(length, &session, context) }
            }
        }
        if !wrong.isEmpty { wrong.tell(told, at: arrival, context: &context, sink: &sink) }
        if interrupting != nil, !message.isOpen { tellInterrupting(context: &context, sink: &sink) }
    }

    // MARK: - The usual frame

    /// A whole message in one frame, with nothing wrong and nothing open.
    private var isPlain: Bool {
        faults.isEmpty && unproven == 0 && frame.fin && (frame.opcode == 1 || frame.opcode == 2) && frame.rsv == 0 && !message.isOpen
            && !hasClosed && carried == nil
    }

    /// Tells a plain frame whose payload is all there, borrowed if it is not masked. False where it takes the long way,
    /// which tells the same.
    @inline(__always)
    private mutating func tellPlain<Sink: ConversationSink & ~Copyable>(
        _ payload: RawSpan, context: inout ConversationContext, sink: inout Sink
    ) -> Bool {
        let count = payload.byteCount
        let kept = min(count, context.limits.messageBytes)
        let isText = frame.opcode == 1
        let needed = isText ? count : kept
        if frame.masked {
            guard needed <= WebSocketDirection.scratchBytes else { return false }
            prepareScratch(needed)
            Unmasking.copy(payload.extracting(0..<needed), key: frame.maskingKey, position: 0, to: &scratch, at: 0)
        }
        mayContinue = false
        if inflater != nil { hasSentPlain = true }
        context[side].frames &+= 1
        context[side].messages &+= 1
        let arrival = frameArrival
        if sink.takesFrames { context.emit(.frame(frame), at: arrival, sink: &sink) }
        let length = UInt64(count)
        let told = Message(opcode: frame.opcode, length: length, wireLength: length, fragments: 1, compressed: false)
        var badByte: UInt64?
        if frame.masked {
            let content = scratch.rawBytes.extracting(0..<needed)
            if isText { badByte = WebSocketDirection.badByte(in: content) }
            context.emit(.message(told), at: arrival, content: content.extracting(0..<kept), sink: &sink)
        } else {
            if isText { badByte = WebSocketDirection.badByte(in: payload) }
            context.emit(.message(told), at: arrival, content: payload.extracting(0..<kept), sink: &sink)
        }
        if let badByte, reportsContent { context.emit(.webSocketUTF8Invalid, a: badByte, at: arrival, sink: &sink) }
        return true
    }

    @inline(__always)
    static func badByte(in text: RawSpan) -> UInt64? {
        var validator = UTF8Validator()
        return validator.check(text) ?? validator.finish()
    }

    /// A step of unmasking what is not kept whole.
    static let scratchBytes = 4_096

    @inline(__always)
    mutating func prepareScratch(_ count: Int) {
        guard scratch.count < count else { return }
        hasUsedBuffers = true
        var size = 256
        while size < count { size *= 2 }
        scratch = [UInt8](repeating: 0, count: size)
    }

    // MARK: - Memory

    /// Bytes in buffers. They are counted anew only after one was used, because this is asked after every segment.
    mutating func countHeld() -> Int {
        if hasUsedBuffers {
            hasUsedBuffers = false
            counted =
                control.heldBytes + assembly.heldBytes + scratch.count + (inflater?.heldBytes ?? 0) + (search?.heldBytes ?? 0)
                + (interrupting?.heldBytes ?? 0) + (carried?.heldBytes ?? 0)
        }
        return counted
    }
}
