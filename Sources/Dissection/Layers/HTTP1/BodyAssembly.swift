/// The part of a body that is being put together.
///
/// A part ends after `Limits.bodyPartBytes` decoded bytes, at the end of the body, or before a gap. A part that lies in
/// one run, uncoded, is lent as it lies; any other is copied, as far as `Limits.messageBytes` goes.
///
/// Every wire byte from the head to the end of the body belongs to a part or to a gap: a part reaches from where the one
/// before it ended to its own last byte, chunk lines included. Of coded bytes that were taken while more of what they
/// become is still to come, the last one belongs to the next part, so that what is given up is at least one byte.
struct BodyAssembly {
    /// The number of the part, from 1.
    private var part: UInt32 = 1
    /// The first wire byte of the part; of the rest that is given up, where it is.
    private(set) var start: UInt64 = 0
    /// After the last byte of the body that came, chunk lines not counted.
    private var end: UInt64 = 0
    private(set) var place: Place?
    private var decoded: UInt64 = 0
    private(set) var wire: UInt64 = 0
    /// Decoded bytes of all parts so far, under a coding.
    private(set) var decodedInAll: UInt64 = 0
    /// Those of them that were told.
    private(set) var toldInAll: UInt64 = 0
    private var kept: [UInt8] = []
    private var decoder: ContentDecoder?
    /// The codings of the body, where they are undone.
    private var codings = ContentCodings()
    private var isKeptCut = false
    /// Why the rest of the body is not told.
    private var abandoned: Gap.Cause?
    /// A coded stream ended here, after so many wire bytes of the part; what follows is another one, or does not belong to it.
    private var streamEnd: UInt64?
    private var wireAtStreamEnd: UInt64 = 0
    /// Nothing may follow the coded stream.
    private var isAfterCoding = false

    init() {}

    /// A coding is being undone.
    var isCoded: Bool { decoder != nil }

    var heldBytes: Int { kept.capacity + (decoder?.heldBytes ?? 0) }

    /// A body begins at `offset`.
    mutating func begin(at offset: UInt64, codings: ContentCodings, limits: Limits) {
        self = BodyAssembly(keeping: kept)
        start = offset
        end = offset
        self.codings = codings
        decoder = codings.isEmpty ? nil : ContentDecoder(codings, limit: limits.codedBodyBytes)
    }

    private init(keeping buffer: [UInt8]) {
        kept = buffer
        kept.removeAll(keepingCapacity: true)
    }

    /// Bytes that frame the body arrive: their packet belongs to the part.
    @inline(__always)
    mutating func touch(_ arrival: Arrival) {
        if place == nil { place = arrival.place } else { place?.extend(by: arrival.place) }
    }

    /// Takes the next bytes of the body. `isLast`: the body ends with them.
    mutating func take<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, isLast: Bool, context: inout ConversationContext, sink: inout Sink
    ) {
        if decoder == nil, abandoned == nil, !isAfterCoding {
            takePlain(bytes, at: arrival, isLast: isLast, context: &context, sink: &sink)
            if isLast { release() }
            return
        }
        let isTold = decode(bytes, at: arrival, isLast: isLast, context: &context, sink: &sink)
        if isTold {
            if isLast { release() }
        } else if isLast {
            finish(at: arrival.advanced(by: bytes.byteCount), context: &context, sink: &sink)
        }
    }

    private mutating func takePlain<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, isLast: Bool, context: inout ConversationContext, sink: inout Sink
    ) {
        let partSize = max(1, context.limits.bodyPartBytes)
        var position = 0
        while position < bytes.byteCount {
            let room = partSize - Int(decoded)
            let count = min(room, bytes.byteCount - position)
            let isBodyEnd = isLast && position + count == bytes.byteCount
            let run = bytes.extracting(position..<position + count)
            position += count
            end = arrival.offset &+ UInt64(position)
            touch(arrival)
            if decoded == 0, count == room || isBodyEnd {
                // All of the part is here.
                let content = run.extracting(0..<min(count, context.limits.messageBytes))
                wire &+= UInt64(count)
                let event = BodyPart(
                    length: UInt64(count), wireLength: wire, part: part, final: isBodyEnd, payload: ByteRange(0..<content.byteCount),
                    framing: framing(before: end))
                emit(event, content: content, side: arrival.side, context: &context, sink: &sink)
                startPart(at: end)
                continue
            }
            keep(run, limit: context.limits.messageBytes)
            decoded &+= UInt64(count)
            wire &+= UInt64(count)
            if decoded >= UInt64(partSize) || isBodyEnd {
                tell(isFinal: isBodyEnd, before: end, side: arrival.side, context: &context, sink: &sink)
                startPart(at: end)
            }
        }
    }

    /// Returns whether the bytes turned out to be uncoded and were told to the last.
    private mutating func decode<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, isLast: Bool, context: inout ConversationContext, sink: inout Sink
    ) -> Bool {
        var position = 0
        while position < bytes.byteCount, let decoder {
            let step = advance(decoder, bytes.suffix(from: position), isEnd: false, context: context)
            if step.consumed > 0 { touch(arrival) }
            position += step.consumed
            let here = arrival.advanced(by: position)
            if step.consumed > 0 {
                end = here.offset
                // Another stream has begun.
                if streamEnd != nil, step.status != .notCoded, decoder.lead.count == 2 { streamEnd = nil }
            }
            switch step.status {
            case .needsInput: break
            case .full:
                tellFull(at: here, context: &context, sink: &sink)
                if isBeyondBounds(decoder, context) { giveUp(at: here, context: &context, sink: &sink) }
            case .exceeded: giveUp(at: here, context: &context, sink: &sink)
            case .ended:
                streamEnd = here.offset
                wireAtStreamEnd = wire
                // Streams of gzip may follow each other (RFC 1952, section 2.2).
                if codings.count > 1 || codings[0] == .deflate {
                    self.decoder = nil
                    isAfterCoding = true
                }
            case .notCoded where streamEnd != nil:
                beginTrailing(at: here, context: &context, sink: &sink)
            case .notCoded where codings.count == 1 && part == 1:
                // Sent as it is, whatever the head says.
                context.emit(.httpContentCodingMismatch, at: Arrival(side: arrival.side, offset: start, place: here.place), sink: &sink)
                let lead = decoder.lead
                self.decoder = nil
                codings = ContentCodings()
                wire = 0
                let beginning = Arrival(side: arrival.side, offset: end &- UInt64(lead.count), place: place ?? here.place)
                let isAll = position == bytes.byteCount
                takePlain(lead.rawBytes, at: beginning, isLast: isLast && isAll, context: &context, sink: &sink)
                takePlain(bytes.suffix(from: position), at: here, isLast: isLast, context: &context, sink: &sink)
                return true
            case .notCoded, .corrupt:
                abandon(.undecodable, at: here, context: &context, sink: &sink)
                context.emit(.httpContentCodingCorrupt, at: here, sink: &sink)
            }
        }
        guard position < bytes.byteCount else { return false }
        if isAfterCoding { beginTrailing(at: arrival.advanced(by: position), context: &context, sink: &sink) }
        touch(arrival)
        end = arrival.offset &+ UInt64(bytes.byteCount)
        return false
    }

    private mutating func advance(
        _ decoder: ContentDecoder, _ bytes: RawSpan, isEnd: Bool, context: ConversationContext
    ) -> ContentInflater.Step {
        let step = decoder.decode(
            bytes, isEnd: isEnd, room: max(1, context.limits.bodyPartBytes) - Int(decoded), into: &kept,
            capacity: isKeptCut ? kept.count : context.limits.messageBytes)
        decoded &+= UInt64(step.produced)
        wire &+= UInt64(step.consumed)
        return step
    }

    /// A part under a coding is full, and there is more of it: the last wire byte goes into the next part.
    private mutating func tellFull<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let last = wire > 0 ? end &- 1 : end
        let carried: UInt64 = wire > 0 ? 1 : 0
        wire &-= carried
        decodedInAll &+= decoded
        tell(isFinal: false, before: max(start, last), side: arrival.side, context: &context, sink: &sink)
        startPart(at: max(start, last))
        wire = carried
        place = arrival.place
    }

    /// Gives up the rest of the body because it becomes too much. Nothing of it is decoded from here on.
    private mutating func giveUp<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if decoded > 0 { tellFull(at: arrival, context: &context, sink: &sink) }
        abandon(.limit, at: arrival, context: &context, sink: &sink)
        if context.inflation.room(for: 0) == 0 {
            if context.inflation.isOverdrawn { return }
            context.inflation.isOverdrawn = true
        }
        context.emit(
            .httpContentLimit, a: decodedInAll, at: Arrival(side: arrival.side, offset: start, place: arrival.place), sink: &sink)
    }

    /// Bytes follow the end of the coded stream: they belong to no content.
    private mutating func beginTrailing<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let from = streamEnd ?? end
        wire = wireAtStreamEnd
        if decoded > 0 || wire > 0 { tell(isFinal: false, before: from, side: arrival.side, context: &context, sink: &sink) }
        startPart(at: from)
        decoder = nil
        isAfterCoding = false
        abandoned = .undecodable
        streamEnd = nil
        context.emit(
            .httpContentCodingTrailing, at: Arrival(side: arrival.side, offset: from, place: arrival.place), sink: &sink)
    }

    /// Gives up the rest of the body: what there is of the part is told now, the rest becomes a gap.
    private mutating func abandon<Sink: ConversationSink & ~Copyable>(
        _ cause: Gap.Cause, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        decoder = nil
        if decoded > 0 {
            tell(isFinal: false, before: end, side: arrival.side, context: &context, sink: &sink)
            startPart(at: end)
        } else {
            // The bytes that were taken have become nothing.
            let (from, around) = (start, place)
            startPart(at: from)
            place = around
        }
        abandoned = cause
    }

    /// The body ends before `arrival`. `isWhole`: as its framing says. `trailers` are the field lines after it.
    mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, isWhole: Bool = true, trailers: RawSpan = RawSpan(), context: inout ConversationContext, sink: inout Sink
    ) {
        drain(at: arrival, isWhole: isWhole, context: &context, sink: &sink)
        let wasAbandoned = abandoned != nil
        tellAbandoned(before: min(end, arrival.offset), side: arrival.side, place: arrival.place, context: &context, sink: &sink)
        if wire > 0 || decoded > 0 || part > 1 || trailers.byteCount > 0 || wasAbandoned || arrival.offset > start {
            if place == nil { place = arrival.place }
            let payload = kept.count
            codings.append(to: &kept)
            let encoding = kept.count
            kept.append(copying: trailers)
            emitKept(
                isFinal: true, payload: payload, encoding: encoding, before: arrival.offset, side: arrival.side, context: &context,
                sink: &sink)
        }
        release()
    }

    /// A gap or a loss comes at `arrival`: tells what there is, so that no content joins over the hole.
    mutating func interrupt<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let wasCoded = decoder != nil || isAfterCoding
        tellAbandoned(before: arrival.offset, side: arrival.side, place: arrival.place, context: &context, sink: &sink)
        if decoded > 0 || arrival.offset > start {
            tell(isFinal: false, before: arrival.offset, side: arrival.side, context: &context, sink: &sink)
        }
        startPart(at: arrival.offset)
        // Nothing after a hole can be decoded.
        if wasCoded {
            decoder = nil
            isAfterCoding = false
            abandoned = .undecodable
        }
    }

    /// The body goes on at `offset`, after a gap.
    mutating func resume(at offset: UInt64) { startPart(at: offset) }

    /// Gives back what a body needed.
    mutating func release() {
        decoder = nil
        abandoned = nil
        isAfterCoding = false
        streamEnd = nil
        codings = ContentCodings()
        if kept.capacity > 1_024 { kept = [] } else { kept.removeAll(keepingCapacity: true) }
    }

    /// Frees what is kept of the part, to stay within the limits of all conversations together. Where decoding itself
    /// costs too much, the rest of the body is given up, the part that is put together included.
    mutating func cut() {
        if decoder != nil, kept.capacity < ContentInflater.cost {
            decoder = nil
            streamEnd = nil
            decoded = 0
            wire = 0
            abandoned = .limit
        }
        kept = []
        isKeptCut = true
    }

    /// At the end of a coded body: what the codings still held, and whether they were whole.
    private mutating func drain<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, isWhole: Bool, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let decoder, wire > 0 || part > 1 else { return }
        let partSize = max(1, context.limits.bodyPartBytes)
        var step = advance(decoder, RawSpan(), isEnd: true, context: context)
        while decoded >= UInt64(partSize), step.status.goesOn {
            // The part is full; only what comes after it tells whether it is the last.
            var next: [UInt8] = []
            step = decoder.decode(RawSpan(), isEnd: true, room: partSize, into: &next, capacity: context.limits.messageBytes)
            guard step.produced > 0 else { break }
            tellFull(at: arrival, context: &context, sink: &sink)
            if isBeyondBounds(decoder, context) { return giveUp(at: arrival, context: &context, sink: &sink) }
            kept = next
            decoded = UInt64(step.produced)
        }
        switch step.status {
        case .corrupt:
            context.emit(.httpContentCodingCorrupt, at: arrival, sink: &sink)
            self.decoder = nil
            return
        case .exceeded: return giveUp(at: arrival, context: &context, sink: &sink)
        case .needsInput, .full, .ended, .notCoded: break
        }
        if !decoder.isComplete, streamEnd != nil {
            beginTrailing(at: arrival, context: &context, sink: &sink)
        } else if !decoder.isComplete, isWhole {
            // A body that is not whole leaves its coding open: that the message is not whole says it all.
            context.emit(.httpContentCodingCut, at: arrival, sink: &sink)
        }
        self.decoder = nil
    }

    private mutating func tellAbandoned<Sink: ConversationSink & ~Copyable>(
        before offset: UInt64, side: Side, place last: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let cause = abandoned, offset > start else { return }
        let from = Arrival(side: side, offset: start, place: place ?? last)
        context.emit(.gap(Gap(length: offset &- start, cause: cause)), at: from, sink: &sink)
        startPart(at: offset)
    }

    /// Tells the part that was kept.
    private mutating func tell<Sink: ConversationSink & ~Copyable>(
        isFinal: Bool, before offset: UInt64, side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let payload = kept.count
        codings.append(to: &kept)
        emitKept(
            isFinal: isFinal, payload: payload, encoding: kept.count, before: offset, side: side, context: &context, sink: &sink)
    }

    private mutating func emitKept<Sink: ConversationSink & ~Copyable>(
        isFinal: Bool, payload: Int, encoding: Int, before offset: UInt64, side: Side, context: inout ConversationContext,
        sink: inout Sink
    ) {
        let told = codings.isEmpty ? payload : withinAccount(payload, context: &context)
        let event = BodyPart(
            length: decoded, wireLength: wire, part: part, final: isFinal, encoding: ByteRange(payload..<encoding),
            payload: ByteRange(0..<told), trailers: ByteRange(encoding..<kept.count), framing: framing(before: offset))
        let content = kept
        emit(event, content: content.rawBytes, side: side, context: &context, sink: &sink)
        toldInAll &+= UInt64(told)
        if told < payload { tellOverdrawn(side: side, context: &context, sink: &sink) }
    }

    /// What of the wire from the beginning of the part to `offset` is no byte of the body.
    private func framing(before offset: UInt64) -> UInt64 { offset &- start &- wire }

    private mutating func emit<Sink: ConversationSink & ~Copyable>(
        _ event: BodyPart, content: RawSpan, side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        context.emit(
            .body(event), at: Arrival(side: side, offset: start, place: place ?? Place()), content: content, sink: &sink)
        part &+= 1
    }

    private mutating func startPart(at offset: UInt64) {
        start = offset
        end = max(end, offset)
        place = nil
        decoded = 0
        wire = 0
        isKeptCut = false
        kept.removeAll(keepingCapacity: true)
    }

    private mutating func keep(_ bytes: RawSpan, limit: Int) {
        let room = limit - kept.count
        guard room > 0, !isKeptCut else { return }
        kept.append(copying: bytes.extracting(0..<min(room, bytes.byteCount)))
    }
}
