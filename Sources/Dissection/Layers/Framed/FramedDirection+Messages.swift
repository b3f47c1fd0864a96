// Telling messages, whole or cut.
extension FramedDirection {
    /// The longest header, whose bytes are kept beside the payload: a message that turns out to be none is looked through again.
    static let mostHeader = LengthPrefix.mostHeader
    /// Bytes of a message that the rules of a protocol may look at, whatever less the outputs show.
    private static let mostChecked = 1_024

    mutating func keep(_ bytes: RawSpan, at arrival: Arrival, _ context: borrowing ConversationContext) {
        if start == nil {
            start = arrival
        } else if came <= UInt64(cutter.lead) {
            // Nothing of the message itself came before.
            start?.place = arrival.place
        } else {
            start?.place.extend(by: arrival.place)
        }
        came += UInt64(bytes.byteCount)
        let most = rules == nil ? context.limits.messageBytes : max(context.limits.messageBytes, Self.mostChecked)
        let room = most + Self.mostHeader - kept.count
        doubt?.note(kept.count, arrival)
        if room > 0, !isGivenUp { kept.append(copying: bytes.extracting(0..<min(room, bytes.byteCount))) }
    }

    /// Tells the message that ends with `last`; all of it, where nothing came before.
    mutating func tell<Sink: ConversationSink & ~Copyable>(
        _ last: RawSpan, at arrival: Arrival, guess: inout MessageFrame.Guess?, context: inout ConversationContext, sink: inout Sink
    ) {
        let wire = came > 0 ? came : UInt64(last.byteCount)
        guard wire > UInt64(cutter.lead) else {
            // What separates messages is none, however much of it comes.
            if came > 0 { tellKept(kept, came, at: start ?? arrival, context: &context, sink: &sink) }
            if came == 0 { tellData(last, at: arrival, context: &context, sink: &sink) }
            clear()
            return cutter.restart()
        }
        isTentative = false
        segments.endMessage(wire)
        guess?.fits += 1
        guess?.of += 1
        doubt?.endMessage()
        let header = cutter.header
        let length = wire - UInt64(header + cutter.trailer)
        let message = Message(
            cut: MessageFrame(framing, header: cutter.headerBytes, guess: guess), length: length, wireLength: wire)
        context[side].messages &+= 1
        let most = UInt64(context.limits.messageBytes)
        if came > 0 {
            let first = min(header, kept.count)
            let end = max(first, min(kept.count, first + Int(min(length, most))))
            firstEnds = ends(kept.rawBytes.extracting(first..<end), of: length)
            context.emit(.message(message), at: start ?? arrival, content: kept.rawBytes.extracting(first..<end), sink: &sink)
            emitFault(in: kept.rawBytes, length: wire, at: start ?? arrival, context: &context, sink: &sink)
            hasLeft = rules?.isLast(kept.rawBytes, from: side) == true
        } else {
            let content = last.extracting(header..<header + Int(min(length, most)))
            firstEnds = ends(content, of: length)
            context.emit(.message(message), at: arrival, content: content, sink: &sink)
            emitFault(in: last, length: wire, at: arrival, context: &context, sink: &sink)
            hasLeft = rules?.isLast(last, from: side) == true
        }
        hasEnded = true
        if hasLeft { phase = .data }
        clear()
        cutter.restart()
    }

    /// Reports what is wrong with a message by the rules of its protocol, right after it.
    private func emitFault<Sink: ConversationSink & ~Copyable>(
        in message: RawSpan, length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let fault = rules?.fault(in: message, length: length, from: side) else { return }
        context.emit(fault.row, a: fault.a, at: arrival, content: fault.words.bytes.rawBytes, sink: &sink)
    }

    /// How a message begins and ends, where it is the first of the side that has a length, and all of it is there.
    private func ends(_ payload: RawSpan, of length: UInt64) -> PayloadEnds? {
        guard !hasEnded, case .length = framing, UInt64(payload.byteCount) == length else { return nil }
        return PayloadEnds(payload)
    }

    mutating func clear() {
        came = 0
        start = nil
        isGivenUp = false
        doubt?.runs.removeAll(keepingCapacity: true)
        if kept.capacity > 2_048 { kept = [] } else { kept.removeAll(keepingCapacity: true) }
    }

    /// What came of the open message is all that comes: tells it as cut. Nothing where none is open.
    ///
    /// - Parameter isEnd: the side has ended, and what came shows why the message has not.
    mutating func cut<Sink: ConversationSink & ~Copyable>(
        guess: inout MessageFrame.Guess?, isEnd: Bool, context: inout ConversationContext, sink: inout Sink
    ) {
        if case .searching(let search) = phase {
            search.held.tellData(before: search.held.bytes.count, context: &context, sink: &sink)
            phase = .untilTurn
        }
        guard came > 0, let start else { return }
        defer {
            clear()
            cutter.restart()
        }
        let header = cutter.header
        let missing = cutter.remaining
        if cutter.mayEndHere {
            let (lead, first) = (cutter.lead, min(cutter.lead, kept.count))
            let message = Message(
                cut: MessageFrame(framing, header: cutter.headerBytes, guess: guess), length: came - UInt64(lead), wireLength: came)
            context[side].messages &+= 1
            context.emit(.message(message), at: start, content: kept.rawBytes.suffix(from: first), sink: &sink)
            return
        }
        // A header alone says nothing.
        guard came > UInt64(header) else { return tellKept(kept, came, at: start, context: &context, sink: &sink) }
        let seen = came - UInt64(header)
        let clue = isEnd && guess == nil ? self.clue(toMissing: missing) : ""
        if let missing, missing > 0 { phase = .rest(missing) }
        let (length, isTooLong) = seen.addingReportingOverflow(missing ?? 0)
        var message = Message(
            cut: MessageFrame(framing, header: cutter.headerBytes, guess: guess), length: isTooLong ? seen : length, wireLength: came)
        message.isUnfinished = true
        if missing != nil, !isTooLong { message.announced = length }
        context[side].messages &+= 1
        let first = min(header, kept.count)
        let end = max(first, min(kept.count, first + context.limits.messageBytes))
        context.emit(.message(message), at: start, content: kept.rawBytes.extracting(first..<end), sink: &sink)
        context.emit(.framingMessageCut, a: missing ?? 0, at: start, content: Array(clue.utf8).rawBytes, sink: &sink)
    }
}
