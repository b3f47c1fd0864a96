/// The part of a body that is being put together.
///
/// A part ends after `Limits.bodyPartBytes` decoded bytes, at the end of the body, or before a gap. A part that lies in
/// one run, uncoded, is lent as it lies; any other is copied, as far as `Limits.messageBytes` goes.
struct BodyAssembly {
    /// The number of the part, from 1.
    private var part: UInt32 = 1
    /// The first wire byte of the part; of the rest that is given up, where it is.
    private var start: UInt64 = 0
    private var place: Place?
    private var decoded: UInt64 = 0
    private var wire: UInt64 = 0
    private var kept: [UInt8] = []
    private var decoder: ContentDecoder?
    /// The codings of the body, where they are undone.
    private var codings = ContentCodings()
    private var isKeptCut = false
    /// Why the rest of the body is not told.
    private var abandoned: Gap.Cause?
    /// A coded stream ended; what follows is another one, or does not belong to it.
    private var hasStreamEnded = false
    private var isBehindCoding = false

    init() {}

    var heldBytes: Int { kept.capacity + (decoder?.heldBytes ?? 0) }

    /// A body begins at `offset`.
    mutating func begin(at offset: UInt64, codings: ContentCodings, inflatedLimit: UInt64) {
        part = 1
        start = offset
        place = nil
        decoded = 0
        wire = 0
        abandoned = nil
        isKeptCut = false
        hasStreamEnded = false
        isBehindCoding = false
        self.codings = codings
        decoder = codings.isEmpty ? nil : ContentDecoder(codings, limit: inflatedLimit)
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
        if decoder == nil, abandoned == nil, !isBehindCoding {
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
        if abandoned != nil {
            touch(arrival)
            return
        }
        if isBehindCoding {
            touch(arrival)
            wire &+= UInt64(bytes.byteCount)
            return
        }
        let partSize = max(1, context.limits.bodyPartBytes)
        var position = 0
        while position < bytes.byteCount {
            let room = partSize - Int(decoded)
            let count = min(room, bytes.byteCount - position)
            let isBodyEnd = isLast && position + count == bytes.byteCount
            let run = bytes.extracting(position..<position + count)
            position += count
            touch(arrival)
            if decoded == 0, count == room || isBodyEnd {
                // All of the part is here.
                let content = run.extracting(0..<min(count, context.limits.messageBytes))
                let event = BodyPart(
                    length: UInt64(count), wireLength: wire &+ UInt64(count), part: part, final: isBodyEnd,
                    payload: ByteRange(0..<content.byteCount))
                emit(event, content: content, side: arrival.side, context: &context, sink: &sink)
                startPart(at: arrival.offset &+ UInt64(position))
                continue
            }
            keep(run, limit: context.limits.messageBytes)
            decoded &+= UInt64(count)
            wire &+= UInt64(count)
            if decoded >= UInt64(partSize) || isBodyEnd {
                tell(isFinal: isBodyEnd, side: arrival.side, context: &context, sink: &sink)
                startPart(at: arrival.offset &+ UInt64(position))
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
            switch step.status {
            case .needsInput: break
            case .full:
                tell(isFinal: false, side: arrival.side, context: &context, sink: &sink)
                startPart(at: here.offset)
                if decoder.inflated >= context.limits.inflatedBytes { abandon(.limit, at: here, context: &context, sink: &sink) }
            case .exceeded: abandon(.limit, at: here, context: &context, sink: &sink)
            case .ended:
                hasStreamEnded = true
                // Streams of gzip may follow each other (RFC 1952, section 2.2).
                if codings.count > 1 || codings[0] == .deflate { stopDecoding() }
            case .notCoded where hasStreamEnded:
                context.emit(.httpContentCodingTrailing, at: here, sink: &sink)
                stopDecoding()
            case .notCoded where codings.count == 1 && part == 1:
                // Sent as it is, whatever the head says.
                context.emit(.httpContentCodingMismatch, at: Arrival(side: arrival.side, offset: start, place: here.place), sink: &sink)
                let lead = decoder.lead
                self.decoder = nil
                codings = ContentCodings()
                wire = 0
                let beginning = Arrival(side: arrival.side, offset: start, place: place ?? here.place)
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
        if isBehindCoding, codings.count > 1 || codings[0] == .deflate, hasStreamEnded {
            context.emit(.httpContentCodingTrailing, at: arrival.advanced(by: position), sink: &sink)
            hasStreamEnded = false
        }
        takePlain(bytes.suffix(from: position), at: arrival.advanced(by: position), isLast: false, context: &context, sink: &sink)
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

    private mutating func stopDecoding() {
        decoder = nil
        isBehindCoding = true
    }

    /// Gives up the rest of the body: what there is of the part is told now, the rest becomes a gap.
    private mutating func abandon<Sink: ConversationSink & ~Copyable>(
        _ cause: Gap.Cause, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        decoder = nil
        if decoded > 0 { tell(isFinal: false, side: arrival.side, context: &context, sink: &sink) }
        startPart(at: arrival.offset)
        abandoned = cause
    }

    /// The body ends before `arrival`. `isWhole`: as its framing says. `trailers` are the field lines behind it.
    mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, isWhole: Bool = true, trailers: RawSpan = RawSpan(), context: inout ConversationContext, sink: inout Sink
    ) {
        drain(at: arrival, isWhole: isWhole, context: &context, sink: &sink)
        tellAbandoned(before: arrival, context: &context, sink: &sink)
        if wire > 0 || decoded > 0 || part > 1 || trailers.byteCount > 0 {
            if place == nil { place = arrival.place }
            let payload = kept.count
            codings.append(to: &kept)
            let encoding = kept.count
            kept.append(copying: trailers)
            emitKept(isFinal: true, payload: payload, encoding: encoding, side: arrival.side, context: &context, sink: &sink)
        }
        release()
    }

    /// A gap or a loss comes at `arrival`: tells what there is, so that no content joins over the hole.
    mutating func interrupt<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let wasCoded = decoder != nil
        tellAbandoned(before: arrival, context: &context, sink: &sink)
        if wire > 0 || decoded > 0 { tell(isFinal: false, side: arrival.side, context: &context, sink: &sink) }
        startPart(at: arrival.offset)
        // Nothing behind a hole can be decoded.
        if wasCoded {
            decoder = nil
            abandoned = .undecodable
        }
    }

    /// The body goes on at `offset`, behind a gap.
    mutating func resume(at offset: UInt64) {
        let cause = abandoned
        startPart(at: offset)
        abandoned = cause
    }

    /// Gives back what a body needed.
    mutating func release() {
        decoder = nil
        abandoned = nil
        codings = ContentCodings()
        if kept.capacity > 1_024 { kept = [] } else { kept.removeAll(keepingCapacity: true) }
    }

    /// Frees what is kept of the part, to stay within the limits of all conversations together.
    mutating func cut() {
        if decoder != nil, kept.capacity < ContentInflater.cost {
            decoder = nil
            isBehindCoding = true
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
            // The part is full; only what comes behind it tells whether it is the last.
            var next: [UInt8] = []
            step = decoder.decode(RawSpan(), isEnd: true, room: partSize, into: &next, capacity: context.limits.messageBytes)
            guard step.produced > 0 else { break }
            tell(isFinal: false, side: arrival.side, context: &context, sink: &sink)
            startPart(at: arrival.offset)
            kept = next
            decoded = UInt64(step.produced)
        }
        if case .corrupt = step.status {
            context.emit(.httpContentCodingCorrupt, at: arrival, sink: &sink)
            self.decoder = nil
            return
        }
        // A body that is not whole leaves its coding open: that the message is not whole says it all.
        if !decoder.isComplete, isWhole || hasStreamEnded {
            context.emit(hasStreamEnded ? .httpContentCodingTrailing : .httpContentCodingCut, at: arrival, sink: &sink)
        }
        self.decoder = nil
    }

    private mutating func tellAbandoned<Sink: ConversationSink & ~Copyable>(
        before arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let cause = abandoned, arrival.offset > start else { return }
        let from = Arrival(side: arrival.side, offset: start, place: place ?? arrival.place)
        context.emit(.gap(Gap(length: arrival.offset &- start, cause: cause)), at: from, sink: &sink)
        startPart(at: arrival.offset)
    }

    /// Tells the part that was kept.
    private mutating func tell<Sink: ConversationSink & ~Copyable>(
        isFinal: Bool, side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let payload = kept.count
        codings.append(to: &kept)
        emitKept(isFinal: isFinal, payload: payload, encoding: kept.count, side: side, context: &context, sink: &sink)
    }

    private mutating func emitKept<Sink: ConversationSink & ~Copyable>(
        isFinal: Bool, payload: Int, encoding: Int, side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let event = BodyPart(
            length: decoded, wireLength: wire, part: part, final: isFinal, encoding: ByteRange(payload..<encoding),
            payload: ByteRange(0..<payload), trailers: ByteRange(encoding..<kept.count))
        let content = kept
        emit(event, content: content.rawBytes, side: side, context: &context, sink: &sink)
    }

    private mutating func emit<Sink: ConversationSink & ~Copyable>(
        _ event: BodyPart, content: RawSpan, side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        context.emit(
            .body(event), at: Arrival(side: side, offset: start, place: place ?? Place()), content: content, sink: &sink)
        part &+= 1
    }

    private mutating func startPart(at offset: UInt64) {
        start = offset
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
