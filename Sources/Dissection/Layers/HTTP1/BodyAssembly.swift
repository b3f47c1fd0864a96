/// The part of a body that is being put together.
///
/// A part ends after `Limits.bodyPartBytes` decoded bytes, at the end of the body, or before a gap; and behind each element of a body that
/// is streamed (`StreamedElements`). A part that lies in
/// one run, uncoded, is lent as it lies; any other is copied, as far as `Limits.messageBytes` goes.
///
/// Every wire byte from the head to the end of the body belongs to a part or to a gap: a part reaches from where the one
/// before it ended to its own last byte, chunk lines included. Of coded bytes that were taken while more of what they
/// become is still to come, the last one belongs to the next part, so that what is given up is at least one byte.
struct BodyAssembly {
    /// The number of the part, from 1.
    var part: UInt32 = 1
    /// The first wire byte of the part; of the rest that is given up, where it is.
    var start: UInt64 = 0
    /// After the last byte of the body that came, chunk lines not counted.
    var end: UInt64 = 0
    var place: Place?
    var decoded: UInt64 = 0
    var wire: UInt64 = 0
    /// Decoded bytes of all parts so far, under a coding.
    var decodedInAll: UInt64 = 0
    /// Those of them that were told.
    var toldInAll: UInt64 = 0
    var kept: [UInt8] = []
    var decoder: ContentDecoder?
    /// The codings of the body, where they are undone.
    var codings = ContentCodings()
    var isKeptCut = false
    /// Why the rest of the body is not told.
    var abandoned: Gap.Cause?
    /// A coded stream ended here, after so many wire bytes of the part; what follows is another one, or does not belong to it.
    var streamEnd: UInt64?
    var wireAtStreamEnd: UInt64 = 0
    /// Nothing may follow the coded stream.
    var isAfterCoding = false
    /// What the coding has taken, while the body may turn out to have none.
    var uncoded: UncodedBeginning?
    /// Where the elements of a body end that is sent bit by bit.
    var elements: StreamedElements?
    /// Bytes of the longest message of gRPC in it, as its prefix announces it; stays when the body has ended.
    private(set) var longestMessage: UInt64 = 0
    /// How far behind the offsets that it is given its bytes stand, where those of other streams lie between them.
    var shift: UInt64 = 0
    /// As it was at the first byte of the part.
    private var partShift: UInt64 = 0
    /// The body is that of a response that refuses a WebSocket, and may say why.
    var refusal: RequestRefusal?
    /// The body may open a session of Engine.IO, and announce how long its messages may be.
    var opensEngineIO = false

    init() {}

    /// A coding is being undone.
    var isCoded: Bool { decoder != nil }

    var heldBytes: Int { kept.capacity + (decoder?.heldBytes ?? 0) + (uncoded?.bytes.capacity ?? 0) }

    /// A body begins at `offset`.
    mutating func begin(at offset: UInt64, codings: ContentCodings, streams: BodyPart.Element? = nil, limits: Limits) {
        self = BodyAssembly(keeping: kept)
        elements = streams.map { StreamedElements($0) }
        start = offset
        end = offset
        self.codings = codings
        decoder = codings.isEmpty ? nil : ContentDecoder(codings, limit: limits.codedBodyBytes)
        // Other codings have a mark of their own.
        uncoded = codings.count == 1 && codings[0] == .brotli ? UncodedBeginning() : nil
    }

    private init(keeping buffer: [UInt8]) {
        kept = buffer
        kept.removeAll(keepingCapacity: true)
    }

    /// Bytes that frame the body arrive: their packet belongs to the part.
    @inline(__always)
    mutating func touch(_ arrival: Arrival) {
        if place == nil {
            place = arrival.place
            partShift = shift
        } else {
            place?.extend(by: arrival.place)
        }
    }

    /// Where the part begins.
    func beginning(of side: Side, at place: Place) -> Arrival { Arrival(side: side, offset: start &+ partShift, place: place) }

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
        guard isLast else { return }
        if isTold { release() } else { finish(at: arrival.advanced(by: bytes.byteCount), context: &context, sink: &sink) }
    }

    mutating func takePlain<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, isLast: Bool, context: inout ConversationContext, sink: inout Sink
    ) {
        let partSize = max(1, context.limits.bodyPartBytes)
        var position = 0
        while position < bytes.byteCount {
            let room = partSize - Int(decoded)
            var count = min(room, bytes.byteCount - position)
            let elementEnd = elements?.end(in: bytes, position..<position + count)
            if let elementEnd { count = elementEnd - position }
            let isPartEnd = count == room || elementEnd != nil
            let isBodyEnd = isLast && position + count == bytes.byteCount
            let run = bytes.extracting(position..<position + count)
            position += count
            end = arrival.offset &+ UInt64(position)
            touch(arrival)
            if decoded == 0, isPartEnd || isBodyEnd {
                // All of the part is here.
                let content = run.extracting(0..<min(count, mostKept(context.limits)))
                wire &+= UInt64(count)
                let event = BodyPart(
                    length: UInt64(count), wireLength: wire, part: part, final: isBodyEnd, payload: ByteRange(0..<content.byteCount),
                    framing: framing(before: end), element: elementEnd == nil ? nil : elements?.ended)
                emit(event, content: content, side: arrival.side, context: &context, sink: &sink)
                startPart(at: end)
                continue
            }
            keep(run, limit: mostKept(context.limits))
            decoded &+= UInt64(count)
            wire &+= UInt64(count)
            if isPartEnd || isBodyEnd {
                let element = elementEnd == nil ? nil : elements?.ended
                tell(isFinal: isBodyEnd, element, before: end, side: arrival.side, context: &context, sink: &sink)
                startPart(at: end)
            }
        }
        if let elements { longestMessage = elements.longestMessage }
    }

    /// The body ends before `arrival`. `isWhole`: as its framing says; otherwise `announced` is the length that the head gave it. `trailers` are
    /// the field lines after it.
    mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, isWhole: Bool = true, announced: UInt64? = nil, trailers: RawSpan = RawSpan(),
        context: inout ConversationContext, sink: inout Sink
    ) {
        drain(at: arrival, isWhole: isWhole, context: &context, sink: &sink)
        let wasAbandoned = abandoned != nil
        tellAbandoned(before: min(end, arrival.offset), side: arrival.side, place: arrival.place, context: &context, sink: &sink)
        if wire > 0 || decoded > 0 || part > 1 || trailers.byteCount > 0 || wasAbandoned || arrival.offset > start {
            if place == nil { touch(arrival) }
            let payload = kept.count
            codings.append(to: &kept)
            let encoding = kept.count
            kept.append(copying: trailers)
            emitKept(
                isFinal: true, isUnfinished: !isWhole, announced: announced, payload: payload, encoding: encoding, before: arrival.offset,
                side: arrival.side, context: &context, sink: &sink)
        }
        release()
    }

    /// A gap or a loss comes at `arrival`: tells what there is, so that no content joins over the hole.
    mutating func interrupt<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if isUncodedSoFar, let uncoded { tellUncoded(uncoded.bytes, at: arrival, isLast: false, context: &context, sink: &sink) }
        let wasCoded = decoder != nil || isAfterCoding
        tellAbandoned(before: arrival.offset, side: arrival.side, place: arrival.place, context: &context, sink: &sink)
        if decoded > 0 || arrival.offset > start {
            tell(isFinal: false, before: arrival.offset, side: arrival.side, context: &context, sink: &sink)
        }
        startPart(at: arrival.offset)
        elements?.lose()
        // Nothing after a hole can be decoded.
        if wasCoded {
            decoder = nil
            uncoded = nil
            isAfterCoding = false
            abandoned = .undecodable
        }
    }

    /// The body goes on at `offset`, after a gap.
    mutating func resume(at offset: UInt64) { startPart(at: offset) }

    /// Gives back what a body needed.
    mutating func release() {
        decoder = nil
        uncoded = nil
        abandoned = nil
        isAfterCoding = false
        streamEnd = nil
        codings = ContentCodings()
        elements = nil
        if kept.capacity > 1_024 { kept = [] } else { kept.removeAll(keepingCapacity: true) }
    }

    /// Frees what is kept of the part, to stay within the limits of all conversations together. Where decoding itself
    /// costs too much, the rest of the body is given up, the part that is put together included.
    mutating func cut() {
        uncoded = nil
        if let decoder, kept.capacity < decoder.heldBytes {
            self.decoder = nil
            streamEnd = nil
            decoded = 0
            wire = 0
            abandoned = .limit
        }
        kept = []
        isKeptCut = true
    }

    private mutating func tellAbandoned<Sink: ConversationSink & ~Copyable>(
        before offset: UInt64, side: Side, place last: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let cause = abandoned, offset > start else { return }
        if place == nil { partShift = shift }
        let from = beginning(of: side, at: place ?? last)
        context.emit(.gap(Gap(length: offset &- start, cause: cause)), at: from, sink: &sink)
        startPart(at: offset)
    }

    /// Tells the part that was kept.
    mutating func tell<Sink: ConversationSink & ~Copyable>(
        isFinal: Bool, _ element: BodyPart.Element? = nil, before offset: UInt64, side: Side, context: inout ConversationContext,
        sink: inout Sink
    ) {
        let payload = kept.count
        codings.append(to: &kept)
        emitKept(
            isFinal: isFinal, element, payload: payload, encoding: kept.count, before: offset, side: side, context: &context, sink: &sink)
    }

    private mutating func emitKept<Sink: ConversationSink & ~Copyable>(
        isFinal: Bool, _ element: BodyPart.Element? = nil, isUnfinished: Bool = false, announced: UInt64? = nil, payload: Int,
        encoding: Int, before offset: UInt64, side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        // Of streamed elements under a coding more is kept than is told.
        let wanted = elements == nil ? payload : min(payload, mostKept(context.limits))
        let told = codings.isEmpty ? wanted : withinAccount(wanted, context: &context)
        var event = BodyPart(
            length: decoded, wireLength: wire, part: part, final: isFinal, encoding: ByteRange(payload..<encoding),
            payload: ByteRange(0..<told), trailers: ByteRange(encoding..<kept.count), framing: framing(before: offset),
            element: element)
        (event.isUnfinished, event.announced) = (isUnfinished, isUnfinished ? announced : nil)
        let content = kept
        emit(event, content: content.rawBytes, side: side, context: &context, sink: &sink)
        toldInAll &+= UInt64(told)
        if told < wanted { tellOverdrawn(side: side, context: &context, sink: &sink) }
    }

    mutating func emit<Sink: ConversationSink & ~Copyable>(
        _ event: BodyPart, content: RawSpan, side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        context.emit(.body(event), at: beginning(of: side, at: place ?? Place()), content: content, sink: &sink)
        if event.element == .message { context[side].messages &+= 1 }
        part &+= 1
        tellCauses(event, content, side, context: &context, sink: &sink)
    }

    mutating func startPart(at offset: UInt64) {
        start = offset
        end = max(end, offset)
        place = nil
        partShift = shift
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
