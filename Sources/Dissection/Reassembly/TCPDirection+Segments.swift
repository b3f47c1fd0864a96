// What becomes of the segments of a direction: the next one, a repetition, one that has to wait.
extension TCPDirection {
    /// Whether a segment is simply the next one, with nothing to think about.
    @inline(__always)
    func isPlainlyNext(_ sequence: SequenceNumber) -> Bool {
        sequence == next && isBegun && waiting.isEmpty && fin == nil && suspects.isEmpty
    }

    /// Takes the payload of one segment, `length` bytes on the wire of which the capture has `payload`.
    ///
    /// - Parameter mayBeProbe: see `SegmentHeader.mayBeProbe`.
    @inline(__always)
    mutating func take<Sink: ConversationSink & ~Copyable>(
        _ payload: RawSpan, length: Int, at sequence: SequenceNumber, mayBeProbe: Bool = false, place: Place,
        into conversation: inout Conversation, sink: inout Sink
    ) {
        if !isBegun { begin(midstream: sequence, of: &conversation) }
        if sequence == next, waiting.isEmpty, fin == nil, !isHeldBack {
            if mayBeProbe { unsureOffset = offset }
            deliver(payload, length: length, place: place, into: &conversation, sink: &sink)
        } else {
            takeOutOfOrder(
                payload, length: length, at: sequence, mayBeProbe: mayBeProbe, place: place, into: &conversation, sink: &sink)
        }
    }

    /// A segment that is not simply the next one: a repetition, a part of one, or one that has to wait.
    private mutating func takeOutOfOrder<Sink: ConversationSink & ~Copyable>(
        _ payload: RawSpan, length: Int, at sequence: SequenceNumber, mayBeProbe: Bool, place: Place,
        into conversation: inout Conversation, sink: inout Sink
    ) {
        if hasCompeting { settleCompeting(sequence) }
        if offset == 0, initial == nil, isHeldBack, !isFinished { beginEarlier(at: sequence, of: &conversation) }
        var conflict: UInt64?
        var isProbe = false
        var (start, run, rest) = (sequence, payload, length)
        let old = -sequence.distance(from: next)
        if old > 0 {
            // A keep-alive probe repeats the last byte, whatever it puts there (RFC 9293, section 3.8.4).
            isProbe = length == 1 && (old == 1 || mayBeProbe)
            let before = UInt64(old) > offset ? min(length, old - Int(offset)) : 0
            if before > 0, !isProbe {
                findBeforeBeginning(before, place: place, into: &conversation, sink: &sink)
                // What its sender meant to say begins with the bytes that are left out.
                if initial != nil, length > old, offset == 0 { conversation.contest(direction) }
            }
            let known = min(old, payload.byteCount)
            if !isProbe, before < known, before == 0 || initial == nil {
                conflict = history.firstDifference(from: payload.extracting(before..<known), at: offset &- UInt64(old - before))
            }
            if !losses.isEmpty, !isProbe { noteOld(length, old, place: place) }
            start = next
            run = payload.suffix(from: known)
            rest = max(0, length - old)
        }
        var behindFin = 0
        if rest > 0, isFinished {
            // A probe repeats the number of the FIN as it would that of the last byte.
            isProbe = old == 0 && length == 1
            if !isProbe { behindFin = rest }
            rest = 0
        }
        if rest > 0 {
            if isAtFin, !waiting.isEmpty, start == waiting.lastEnd || start.advanced(by: rest) == waiting.firstStart {
                goesOnAfterFin = true
            }
            let runOffset = offset &+ UInt64(max(0, start.distance(from: next)))
            var sentBy = losses.isEmpty ? nil : losses[0].packetAfter(start).map { $0 &- 1 }
            if fin != nil, let packet = finPlace.packets?.highest { sentBy = min(sentBy ?? .max, packet &- 1) }
            if mayBeProbe, start != next, !isAtFin, payload.byteCount == 1 {
                waiting.insert(unsure: payload, at: start, place: place, sentBy: sentBy)
            } else if let difference = waiting.insert(run, length: rest, at: start, place: place, sentBy: sentBy) {
                conflict = conflict ?? (runOffset &+ UInt64(difference))
            }
        }
        if let conflict, conflict != unsureOffset {
            conversation.find(.tcpOverlapConflict, a: conflict, direction: direction, offset: conflict, place: place, sink: &sink)
        }
        if behindFin > 0 { show(behindFin: run, length: behindFin, at: start, place: place, into: &conversation, sink: &sink) }
        release(at: place.time, into: &conversation, sink: &sink)
    }

    /// Tells bytes that lie before offset 0. Without a SYN the first byte seen may not be the first that comes; with one
    /// there are none, so what lies there is told each time.
    mutating func findBeforeBeginning<Sink: ConversationSink & ~Copyable>(
        _ bytes: Int, place: Place, into conversation: inout Conversation, sink: inout Sink
    ) {
        if initial != nil {
            conversation.find(.tcpBeforeSyn, a: UInt64(bytes), direction: direction, offset: 0, place: place, sink: &sink)
        } else if !hasToldBeforeBeginning {
            hasToldBeforeBeginning = true
            conversation.find(.tcpBeforeBeginning, a: UInt64(bytes), direction: direction, offset: 0, place: place, sink: &sink)
        }
    }

    /// Counts what lies in a gap that was told already, of `length` bytes that begin `old` bytes before the next one.
    mutating func noteOld(_ length: Int, _ old: Int, place: Place) {
        let start = UInt64(old) > offset ? 0 : offset - UInt64(old)
        let left = UInt64(max(0, old - length))
        guard left < offset, start < offset - left else { return }
        losses[0].noteOld(start..<offset - left, place: place)
    }

    /// Takes a FIN, whose sequence number lies behind the last byte. It ends the direction when the bytes before it have
    /// come and the other side acknowledges it; until then another FIN may say otherwise, or bytes at its place.
    mutating func takeFin<Sink: ConversationSink & ~Copyable>(
        at sequence: SequenceNumber, place: Place, into conversation: inout Conversation, sink: inout Sink
    ) {
        if !isBegun { begin(midstream: sequence, of: &conversation) }
        guard !isFinished else { return }
        guard sequence.distance(from: next) >= 0 else {
            findIgnoredFin(at: sequence, place: place, into: &conversation, sink: &sink)
            return
        }
        if let fin, fin != sequence {
            if let otherFin, otherFin != sequence { findIgnoredFin(at: otherFin, place: place, into: &conversation, sink: &sink) }
            otherFin = fin
        }
        if !isAtFin || fin != sequence {
            // Sent again it acknowledges what came since it was sent first.
            let received = fin == sequence ? finPlace.received : place.received
            finPlace = place
            finPlace.received = received
        }
        fin = sequence
        noteAcknowledgedFin(sequence)
        watchFin()
        release(at: place.time, into: &conversation, sink: &sink)
    }

    /// Tells a FIN whose number the bytes of its own side contradict.
    ///
    /// - Parameter end: where those bytes are; the next one unless told.
    func findIgnoredFin<Sink: ConversationSink & ~Copyable>(
        at sequence: SequenceNumber, beside end: SequenceNumber? = nil, place: Place, into conversation: inout Conversation,
        sink: inout Sink
    ) {
        conversation.find(
            .tcpFinIgnored, a: UInt64(sequence.distance(from: end ?? next).magnitude), direction: direction, offset: offset, place: place,
            sink: &sink)
    }
}
