// What the codings of a body hold is brought out, and what comes after them is told from it.
extension BodyAssembly {
    /// Returns whether the bytes turned out to be uncoded and were told to the last.
    mutating func decode<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, isLast: Bool, context: inout ConversationContext, sink: inout Sink
    ) -> Bool {
        var position = 0
        while position < bytes.byteCount, let decoder {
            var rest = bytes.suffix(from: position)
            if let uncoded { rest = rest.extracting(0..<min(rest.byteCount, max(1, uncoded.room))) }
            // What a byte of a streamed body becomes has to be known, so that its elements end where they do however it was cut.
            let step = advance(decoder, elements == nil ? rest : rest.extracting(0..<1), isEnd: false, context: context)
            if step.consumed > 0 { touch(arrival) }
            let isKnownUncoded = keepUncoded(rest.extracting(0..<step.consumed))
            position += step.consumed
            let here = arrival.advanced(by: position)
            if step.consumed > 0 {
                end = here.offset
                // Another stream has begun.
                if streamEnd != nil, step.status != .notCoded, decoder.lead.count == 2 { streamEnd = nil }
            }
            if let beginning = uncoded?.bytes, isKnownUncoded || step.status.hasFailed && isUncoded(hasFailed: true) {
                tellRest(of: beginning, bytes, position, at: here, isLast: isLast, context: &context, sink: &sink)
                return true
            }
            if elements != nil, step.produced > 0 {
                let hasRoom = tellElements(step.produced, at: here, context: &context, sink: &sink)
                if !hasRoom || isBeyondBounds(decoder, context) {
                    giveUp(isOverdrawn: !hasRoom, at: here, context: &context, sink: &sink)
                }
                guard self.decoder != nil else { continue }
            }
            switch step.status {
            case .needsInput: break
            case .full where decoded < UInt64(max(1, context.limits.bodyPartBytes)):
                // Elements have made room.
                continue
            case .full:
                tellFull(at: here, context: &context, sink: &sink)
                if isBeyondBounds(decoder, context) { giveUp(at: here, context: &context, sink: &sink) }
            case .exceeded: giveUp(at: here, context: &context, sink: &sink)
            case .ended:
                streamEnd = here.offset
                wireAtStreamEnd = wire
                if codings.count > 1 || !codings[0].mayRepeat {
                    self.decoder = nil
                    isAfterCoding = true
                }
            case .notCoded where streamEnd != nil:
                beginTrailing(at: here, context: &context, sink: &sink)
            case .notCoded where codings.count == 1 && part == 1:
                tellRest(of: decoder.lead, bytes, position, at: here, isLast: isLast, context: &context, sink: &sink)
                return true
            case .notCoded, .corrupt:
                abandon(.undecodable, at: here, context: &context, sink: &sink)
                context.emit(.httpContentCodingCorrupt, at: here, sink: &sink)
            }
        }
        guard position < bytes.byteCount else { return false }
        if isAfterCoding, isUncoded(before: bytes[position]), let beginning = uncoded?.bytes {
            let here = arrival.advanced(by: position)
            tellRest(of: beginning, bytes, position, at: here, isLast: isLast, context: &context, sink: &sink)
            return true
        }
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
            capacity: isKeptCut ? kept.count : keptBytes(context.limits))
        decoded &+= UInt64(step.produced)
        wire &+= UInt64(step.consumed)
        return step
    }

    /// Bytes of a part under a coding that are kept. The ends of elements are searched in all of it.
    private func keptBytes(_ limits: Limits) -> Int {
        elements == nil ? mostKept(limits) : max(mostKept(limits), limits.bodyPartBytes)
    }

    /// Tells the elements that end in the bytes that came out last, and leaves what is behind them for the next part, with the last wire byte.
    /// False where there are more of them than so few bytes should become: the rest is left as it is then.
    private mutating func tellElements<Sink: ConversationSink & ~Copyable>(
        _ produced: Int, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Bool {
        // Where the part was cut, nobody knows what it was.
        guard var ends = elements, !isKeptCut, UInt64(kept.count) == decoded else { return true }
        let count = kept.count
        let limit = mostKept(context.limits)
        // Until the first end is found, the codings need not be named.
        var (from, text) = (0, [UInt8]())
        swap(&text, &kept)
        var searched = count - produced
        var hasRoom = true
        while let next = ends.end(in: text.rawBytes, searched..<count) {
            hasRoom = context.inflation.hasRoomForRecord(for: wire)
            guard hasRoom else { break }
            if from == 0 { codings.append(to: &text) }
            let carried: UInt64 = next < count && wire > 0 ? 1 : 0
            let last = max(start, end &- carried)
            wire &-= carried
            decoded = UInt64(next - from)
            decodedInAll &+= decoded
            let wanted = min(next - from, limit)
            let told = withinAccount(wanted, context: &context)
            context.inflation.addRecord()
            let element = BodyPart(
                length: decoded, wireLength: wire, part: part, final: false, encoding: ByteRange(count..<text.count),
                payload: ByteRange(from..<from + told), framing: framing(before: last), element: ends.ended)
            emit(element, content: text.rawBytes, side: arrival.side, context: &context, sink: &sink)
            toldInAll &+= UInt64(told)
            if told < wanted { tellOverdrawn(side: arrival.side, context: &context, sink: &sink) }
            start = last
            wire = carried
            place = carried > 0 ? arrival.place : nil
            (from, searched) = (next, next)
        }
        elements = ends
        swap(&text, &kept)
        guard from > 0 else { return hasRoom }
        kept.removeLast(kept.count - count)
        kept.removeFirst(from)
        decoded = UInt64(count - from)
        return hasRoom
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
    ///
    /// - Parameter isOverdrawn: the account of the conversation has no room for the next element.
    private mutating func giveUp<Sink: ConversationSink & ~Copyable>(
        isOverdrawn: Bool = false, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if decoded > 0 { tellFull(at: arrival, context: &context, sink: &sink) }
        abandon(.limit, at: arrival, context: &context, sink: &sink)
        if isOverdrawn || context.inflation.room(for: 0) == 0 {
            if context.inflation.isOverdrawn { return }
            context.inflation.isOverdrawn = true
        }
        context.emit(
            .httpContentLimit, a: decodedInAll, at: beginning(of: arrival.side, at: arrival.place), sink: &sink)
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
        uncoded = nil
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
        uncoded = nil
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

    /// At the end of a coded body: what the codings still held, and whether they were whole.
    mutating func drain<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, isWhole: Bool, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let decoder, wire > 0 || part > 1 else { return }
        let partSize = max(1, context.limits.bodyPartBytes)
        var step = advance(decoder, RawSpan(), isEnd: true, context: context)
        while decoded >= UInt64(partSize), step.status.goesOn {
            // The part is full; only what comes after it tells whether it is the last.
            var next: [UInt8] = []
            step = decoder.decode(RawSpan(), isEnd: true, room: partSize, into: &next, capacity: mostKept(context.limits))
            guard step.produced > 0 else { break }
            tellFull(at: arrival, context: &context, sink: &sink)
            if isBeyondBounds(decoder, context) { return giveUp(at: arrival, context: &context, sink: &sink) }
            kept = next
            decoded = UInt64(step.produced)
        }
        let isUncoded = step.status.hasFailed ? isUncoded(hasFailed: true) : !decoder.isComplete && isWhole && isUncoded(hasFailed: false)
        if let uncoded, isUncoded || !isWhole && isUncodedSoFar {
            return tellUncoded(uncoded.bytes, at: arrival, isLast: false, context: &context, sink: &sink)
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
}
