// Delivery of the bytes of a direction, in order.
extension TCPDirection {
    /// Delivers what waits and has become due.
    mutating func release<Sink: ConversationSink & ~Copyable>(
        at now: Timestamp?, into conversation: inout Conversation, sink: inout Sink
    ) {
        if isHeldBack {
            guard waiting.heldBytes > outOfOrderBytes else { return }
            isHeldBack = false
        }
        var isPatient = false
        var isAtTurn = false
        while !isFinished {
            if waiting.settleUnsure(at: next) { unsureOffset = offset }
            if isBeyondReach {
                isAtTurn = true
                break
            }
            if isAtFin {
                if goOnAfterFin(into: &conversation, sink: &sink) { continue }
                if isFinBorneOut || waiting.heldBytes > outOfOrderBytes { endAtFin(into: &conversation, sink: &sink) }
                break
            }
            if turn != .max, let packet = nextWaitingPacket, packet > turn {
                isAtTurn = true
                break
            }
            if deliverWaiting(into: &conversation, sink: &sink) { continue }
            guard let end = holeEnd else { break }
            if waiting.heldBytes <= outOfOrderBytes {
                guard let acknowledged, acknowledged.distance(from: end) >= 0 else { break }
                if losses.isEmpty { losses.append(LostBytes()) }
                isPatient = !losses[0].isOverdue(end, acknowledged: acknowledged, at: now)
                if isPatient { break }
            }
            skipHole(to: end, at: now, into: &conversation, sink: &sink)
        }
        if isAtTurn, !losses.isEmpty {
            losses[0].pause()
        } else if !isPatient {
            stopWaiting()
        }
    }

    /// Tells what the other side had received, and what has not come in time, as a gap: ahead of what was sent in answer to it.
    ///
    /// - Parameter packet: what the other side sent first of what waits there; what it had received later is none of that.
    mutating func settleDebt<Sink: ConversationSink & ~Copyable>(
        before packet: UInt64, at now: Timestamp?, into conversation: inout Conversation, sink: inout Sink
    ) {
        guard isBegun, !losses.isEmpty, let end = losses[0].overdueEnd(before: packet), let acknowledged,
            acknowledged.distance(from: end) >= 0
        else {
            return
        }
        losses[0].settleDebt(upTo: end)
        isHeldBack = false
        // One number alone is most likely that of a FIN.
        if end.distance(from: next) == 1, waiting.isEmpty { return }
        while !isFinished, !isAtFin, end.distance(from: next) > 0 {
            if deliverWaiting(into: &conversation, sink: &sink) { continue }
            let hole = holeEnd ?? end
            skipHole(to: hole.distance(from: end) < 0 ? hole : end, at: now, into: &conversation, sink: &sink)
        }
    }

    /// Tells the bytes that were sent before a RST, and were not seen, as a gap. One number alone is most likely that of a FIN.
    mutating func tellMissing<Sink: ConversationSink & ~Copyable>(
        before reset: FlowHypotheses.Reset, into conversation: inout Conversation, sink: inout Sink
    ) {
        guard isBegun, !isFinished, fin == nil, waiting.isEmpty, knowsBeginning, !reset.isExact,
            (2...Self.mostMissingAtEnd).contains(reset.sequence.distance(from: next))
        else { return }
        skip(to: reset.sequence, at: reset.place.time, into: &conversation, sink: &sink)
    }

    private mutating func stopWaiting() { if !losses.isEmpty { losses[0].stopWaiting() } }

    /// Delivers everything that waits, with gaps before it, because nothing more will come.
    mutating func flush<Sink: ConversationSink & ~Copyable>(
        at now: Timestamp?, into conversation: inout Conversation, sink: inout Sink
    ) {
        dropCandidates(into: &conversation, sink: &sink)
        flushWaiting(at: now, into: &conversation, sink: &sink)
        // What may be a probe says of itself no more than that the bytes up to it were sent.
        if let end = waiting.unsureEnd, acknowledged.map({ end.distance(from: $0) > 0 }) ?? true { acknowledged = end }
        // Bytes at the very end that the other side acknowledged and that were never seen. The number behind a FIN
        // counts the FIN.
        if isBegun, fin == nil, knowsBeginning, let end = acknowledged, (2...Self.mostMissingAtEnd).contains(end.distance(from: next)) {
            skip(to: end, at: now, into: &conversation, sink: &sink)
        }
        guard !losses.isEmpty, let late = losses[0].takeLate() else { return }
        conversation.find(
            .tcpDataAfterGap, a: late.bytes, b: late.packets, direction: direction, offset: late.offset, place: late.place, sink: &sink)
    }

    /// Delivers everything that waits, with gaps before it. Where bytes wait behind a FIN that was not reached, one of the
    /// two is wrong: the FIN, unless it was acknowledged.
    mutating func flushWaiting<Sink: ConversationSink & ~Copyable>(
        at now: Timestamp?, into conversation: inout Conversation, sink: inout Sink
    ) {
        isHeldBack = false
        (turn, reach) = (.max, nil)
        defer { stopWaiting() }
        while let fin, !isFinished, !isAtFin, let last = waiting.lastEnd, last.distance(from: fin) > 0,
            acknowledged?.distance(from: fin) != 1
        {
            giveUpFin(place: finPlace, into: &conversation, sink: &sink)
        }
        while !isFinished {
            if waiting.settleUnsure(at: next) { unsureOffset = offset }
            if isAtFin {
                if goOnAfterFin(into: &conversation, sink: &sink) { continue }
                endAtFin(into: &conversation, sink: &sink)
                return
            }
            if deliverWaiting(into: &conversation, sink: &sink) { continue }
            guard let end = holeEnd else { return }
            skipHole(to: end, at: now, into: &conversation, sink: &sink)
        }
    }

    /// Delivers the next bytes.
    @inline(__always)
    mutating func deliver<Sink: ConversationSink & ~Copyable>(
        _ run: RawSpan, length: Int, place: Place, into conversation: inout Conversation, sink: inout Sink
    ) {
        history.append(run, at: offset)
        next = next.advanced(by: length)
        offset &+= UInt64(length)
        if run.byteCount > 0 { conversation.receive(.bytes(run), direction: direction, place: place, sink: &sink) }
        if length > run.byteCount { tellTruncated(length - run.byteCount, place: place, into: &conversation, sink: &sink) }
    }

    /// Tells bytes that the capture has cut off a packet.
    @inline(never)
    private mutating func tellTruncated<Sink: ConversationSink & ~Copyable>(
        _ length: Int, place: Place, into conversation: inout Conversation, sink: inout Sink
    ) {
        history.forget()
        conversation.receive(.gap(length: UInt64(length), cause: .truncated), direction: direction, place: place, sink: &sink)
    }

    /// Delivers the next waiting segment, if it is the next one of the stream.
    private mutating func deliverWaiting<Sink: ConversationSink & ~Copyable>(
        into conversation: inout Conversation, sink: inout Sink
    ) -> Bool {
        guard waiting.firstStart == next, let segment = waiting.popFirst() else { return false }
        deliver(segment.bytes.rawBytes, length: segment.length, place: segment.place, into: &conversation, sink: &sink)
        // As a receiver does: a FIN inside bytes that have come in order is an old one.
        if let otherFin, otherFin.distance(from: next) < 0 {
            findIgnoredFin(at: otherFin, place: segment.place, into: &conversation, sink: &sink)
            self.otherFin = nil
        }
        if let fin, fin.distance(from: next) < 0 { giveUpFin(place: segment.place, into: &conversation, sink: &sink) }
        return true
    }

    /// Leaves a gap before what waits.
    private mutating func skipHole<Sink: ConversationSink & ~Copyable>(
        to end: SequenceNumber, at now: Timestamp?, into conversation: inout Conversation, sink: inout Sink
    ) {
        let time = losses.isEmpty ? now : losses[0].time(ofHoleTo: end, now: now)
        skip(to: end, at: time, into: &conversation, sink: &sink)
    }

    /// Leaves a gap up to `sequence`.
    mutating func skip<Sink: ConversationSink & ~Copyable>(
        to sequence: SequenceNumber, at now: Timestamp?, into conversation: inout Conversation, sink: inout Sink
    ) {
        // Always ahead; the end of a segment far ahead may be more than 2 GiB away.
        let length = UInt64(sequence.value &- next.value)
        history.forget()
        if losses.isEmpty { losses.append(LostBytes()) }
        losses[0].noteGap(offset..<offset &+ length)
        next = sequence
        offset &+= length
        conversation.receive(.gap(length: length, cause: .missing), direction: direction, place: Place(time: now), sink: &sink)
    }

    // MARK: - FIN

    /// Whether the other side has acknowledged the FIN that is next in order, or cannot do so because nothing of it was captured.
    private var isFinBorneOut: Bool {
        // A connection seldom comes into sight with its end: that is most likely early.
        guard let acknowledged else { return offset > 0 || initial != nil }
        let ahead = acknowledged.distance(from: next)
        if waiting.isEmpty { return ahead >= 1 }
        // One byte in the place of the FIN would be acknowledged by the same number.
        return ahead == 1 && (waiting.firstStart != next || waiting.lastEnd != next.advanced(by: 1))
    }

    /// Whether the FIN that is next in order was not its side's: that goes on with segments after it, or the other side
    /// acknowledges bytes after it (a FIN takes one number).
    private var isFinRefuted: Bool { goesOnAfterFin || (!waiting.isEmpty && (acknowledged?.distance(from: next) ?? 0) > 1) }

    /// Goes on after the FIN that is next in order, if it was not its side's. False if it stands.
    private mutating func goOnAfterFin<Sink: ConversationSink & ~Copyable>(into conversation: inout Conversation, sink: inout Sink) -> Bool
    {
        guard isFinRefuted else { return false }
        goesOnAfterFin = false
        // The bytes in its place contradict it.
        if deliverWaiting(into: &conversation, sink: &sink) { return true }
        findIgnoredFin(at: next, beside: waiting.lastEnd, place: finPlace, into: &conversation, sink: &sink)
        if fin == next { fin = otherFin }
        otherFin = nil
        return true
    }

    /// Ends the direction, if a FIN is the next in order. What waits behind it is left out.
    mutating func endAtFin<Sink: ConversationSink & ~Copyable>(into conversation: inout Conversation, sink: inout Sink) {
        guard isAtFin else { return }
        isFinished = true
        if let other = fin == next ? otherFin : fin { findIgnoredFin(at: other, place: finPlace, into: &conversation, sink: &sink) }
        fin = next
        otherFin = nil
        let behindFin = waiting.drop(from: next, packet: finPlace.packets?.lowest ?? 0)
        if let place = behindFin.earlierPlace {
            // It came before the FIN, so nobody sent it after that.
            conversation.find(
                .tcpSegmentIgnored, a: UInt64(behindFin.earlierBytes),
                b: UInt64(behindFin.earlierStart.distance(from: next).magnitude), direction: direction, offset: offset, place: place,
                sink: &sink)
        }
        conversation.receive(.finished, direction: direction, place: finPlace, sink: &sink)
        for segment in behindFin.later {
            show(
                behindFin: segment.bytes.rawBytes, length: segment.length, at: segment.start, place: segment.place, into: &conversation,
                sink: &sink)
        }
    }

    /// Shows bytes that come in the place of the FIN or after it, which nobody reads. What is sent again is shown once.
    mutating func show<Sink: ConversationSink & ~Copyable>(
        behindFin run: RawSpan, length: Int, at start: SequenceNumber, place: Place, into conversation: inout Conversation,
        sink: inout Sink
    ) {
        history.append(run, at: offset)
        if run.byteCount < length { history.forget() }
        next = start.advanced(by: length)
        offset &+= UInt64(length)
        conversation.show(unread: run, length: length, because: .tcpDataAfterFin, direction: direction, place: place, sink: &sink)
    }

    /// Forgets a FIN that its own side contradicts.
    mutating func giveUpFin<Sink: ConversationSink & ~Copyable>(
        place: Place, into conversation: inout Conversation, sink: inout Sink
    ) {
        if let fin { findIgnoredFin(at: fin, place: place, into: &conversation, sink: &sink) }
        fin = otherFin
        otherFin = nil
    }

    /// Where the hole before what waits ends, if there is a hole and something behind it.
    var holeEnd: SequenceNumber? {
        var nearest = waiting.firstStart
        if !isFinished {
            for number in [fin, otherFin] {
                guard let number else { continue }
                if let known = nearest, known.distance(from: number) <= 0 { continue }
                nearest = number
            }
        }
        return nearest == next ? nil : nearest
    }

    /// Whether the direction has ended, or the other side has acknowledged its FIN: then it sends nothing more.
    var isEndAcknowledged: Bool {
        if isFinished { return true }
        guard let fin, let acknowledged else { return false }
        return acknowledged.distance(from: fin) == 1
    }
}
