// Delivery of the bytes of a direction, in order.
extension TCPDirection {
    /// Delivers what waits and has become due.
    mutating func release<Sink: ConversationSink & ~Copyable>(
        at now: Timestamp?, into conversation: inout Conversation, sink: inout Sink
    ) {
        while true {
            if deliverFin(at: now, into: &conversation, sink: &sink) { return }
            if deliverWaiting(into: &conversation, sink: &sink) { continue }
            guard let end = holeEnd, isAcknowledged(upTo: end) || waiting.heldBytes > outOfOrderBytes else { return }
            skip(to: end, at: now, into: &conversation, sink: &sink)
        }
    }

    /// Delivers everything that waits, with gaps before it, because nothing more will come.
    mutating func flush<Sink: ConversationSink & ~Copyable>(
        at now: Timestamp?, into conversation: inout Conversation, sink: inout Sink
    ) {
        dropSuspects(into: &conversation, sink: &sink)
        flushWaiting(at: now, into: &conversation, sink: &sink)
        // Bytes at the very end that the other side acknowledged and that were never seen. The number behind a FIN
        // counts the FIN.
        if isBegun, fin == nil, offset > 0, let end = acknowledged, (2...1 << 24).contains(end.distance(from: next)) {
            skip(to: end, at: now, into: &conversation, sink: &sink)
        }
    }

    /// Delivers everything that waits, with gaps before it. Where bytes wait behind a FIN that was not reached, one of the
    /// two is wrong: the FIN, unless it was acknowledged.
    mutating func flushWaiting<Sink: ConversationSink & ~Copyable>(
        at now: Timestamp?, into conversation: inout Conversation, sink: inout Sink
    ) {
        while let fin, !isFinished, let last = waiting.lastEnd, last.distance(from: fin) > 0,
            !isAcknowledged(upTo: fin.advanced(by: 1))
        {
            giveUpFin(place: finPlace, into: &conversation, sink: &sink)
        }
        while true {
            if deliverFin(at: now, into: &conversation, sink: &sink) { return }
            if deliverWaiting(into: &conversation, sink: &sink) { continue }
            guard let end = holeEnd else { return }
            skip(to: end, at: now, into: &conversation, sink: &sink)
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
        if length > run.byteCount {
            history.forget()
            conversation.receive(
                .gap(length: UInt64(length - run.byteCount), cause: .truncated), direction: direction, place: place, sink: &sink)
        }
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

    /// Leaves a gap up to `sequence`.
    mutating func skip<Sink: ConversationSink & ~Copyable>(
        to sequence: SequenceNumber, at now: Timestamp?, into conversation: inout Conversation, sink: inout Sink
    ) {
        // Always ahead; the end of a segment far ahead may be more than 2 GiB away.
        let length = UInt64(sequence.value &- next.value)
        history.forget()
        next = sequence
        offset &+= length
        conversation.receive(.gap(length: length, cause: .missing), direction: direction, place: Place(time: now), sink: &sink)
    }

    /// Ends the direction if a FIN is the next in order. What waits behind it came before its FIN, and is left out as if it
    /// had come after.
    private mutating func deliverFin<Sink: ConversationSink & ~Copyable>(
        at now: Timestamp?, into conversation: inout Conversation, sink: inout Sink
    ) -> Bool {
        guard !isFinished else { return true }
        guard let fin, fin == next || otherFin == next else { return false }
        isFinished = true
        if let other = fin == next ? otherFin : fin { findIgnoredFin(at: other, place: finPlace, into: &conversation, sink: &sink) }
        self.fin = next
        otherFin = nil
        let behindFin = waiting.drop(from: next)
        if behindFin > 0 {
            conversation.find(
                .tcpDataAfterFin, a: UInt64(behindFin), direction: direction, offset: offset, place: finPlace, sink: &sink)
        }
        conversation.receive(.finished, direction: direction, place: finPlace, sink: &sink)
        return true
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
    private var holeEnd: SequenceNumber? {
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

    /// The other side has acknowledged everything before `sequence`: it will not be sent again.
    func isAcknowledged(upTo sequence: SequenceNumber) -> Bool {
        guard let acknowledged else { return false }
        return acknowledged.distance(from: sequence) >= 0
    }
}
