// What is held back for a second packet to bear it out, and how that is decided; see `CandidateSegments`.
extension TCPDirection {
    // MARK: - What a side says of itself

    /// Notes the number of a packet of this side without payload: all before it was sent, so at the end of the capture it is missing.
    ///
    /// - Parameter window: the receive window of the other side, in bytes.
    mutating func noteSent<Sink: ConversationSink & ~Copyable>(
        _ number: SequenceNumber, window: Int, place: Place, into conversation: inout Conversation, sink: inout Sink
    ) {
        guard isBegun, !isFinished else { return }
        if !suspects.isEmpty, suspects[0].finPatience != nil { meetFin(number, into: &conversation, sink: &sink) }
        if !suspects.isEmpty, let known = suspects[0].sent {
            // A lower one after it: either may be forged or late. A probe lies one before (RFC 9293, section 3.8.4).
            if number.distance(from: known) < -1 { suspects[0].sent = nil }
            if number.distance(from: known) <= 0 { return evictCandidates() }
        }
        let ahead = number.distance(from: next)
        guard ahead > max(1, seenAhead), ahead <= min(window, Self.mostMissingAtEnd) else { return }
        if suspects.isEmpty { suspects.append(CandidateSegments()) }
        suspects[0].sent = number
    }

    /// Numbers this far ahead at most are taken for what is missing at the end.
    static var mostMissingAtEnd: Int { 1 << 24 }

    /// Takes what the packets without payload have said for true, because nothing more will come that could refute it.
    private mutating func believeSent() {
        guard !suspects.isEmpty, let sent = suspects[0].sent else { return }
        suspects[0].sent = nil
        if sent.distance(from: next) > 0 { noteAcknowledged(sent) }
        evictCandidates()
    }

    // MARK: - Segments

    /// Looks whether a segment bears out what is held back, or refutes it. Called before it is taken.
    mutating func matchCandidates<Sink: ConversationSink & ~Copyable>(
        at sequence: SequenceNumber, payload: RawSpan, length: Int, hasFin: Bool, window: Int, place: Place,
        into conversation: inout Conversation, sink: inout Sink
    ) {
        if !suspects.isEmpty, let claim = suspects[0].claim, !claim.isContradicted, claim.isPossible,
            (0...window).contains(sequence.distance(from: claim.number)), sequence.distance(from: next) > 0
        {
            // The bytes that the other side has acknowledged are followed by these.
            suspects[0].claim = nil
            noteAcknowledged(claim.number)
            evictCandidates()
        }
        if !suspects.isEmpty, let sent = suspects[0].sent, sent.distance(from: next) <= 0 {
            suspects[0].sent = nil
            evictCandidates()
        }
        guard !suspects.isEmpty, var run = suspects[0].run else { return }
        if run.isEarly {
            guard isBegun else { return }
            // The SYN of its side has come. As data it was too early all the same: a receiver without a connection drops it.
            let ahead = run.start.distance(from: next)
            run.isEarly = false
            run.distance = Int(ahead.magnitude)
            run.isFar = !(0...window).contains(ahead)
            run.isBehind = ahead < 0
            run.mayBeLate = run.standsUnlessRefuted && ahead > 0 && !run.isFar
            run.standsUnlessRefuted = run.standsUnlessRefuted && ahead == 0
            suspects[0].run = run
        }
        if run.mayBeLate {
            meetLate(run, at: sequence, payload: payload, length: length, hasFin: hasFin, place: place, into: &conversation, sink: &sink)
            return
        }
        if sequence == run.end, run.start == next || !run.isFar || run.isAcknowledged, length > 0 || hasFin || run.isPadding {
            follow(run, at: place.time, into: &conversation, sink: &sink)
            return
        }
        if run.isPadding {
            // Bytes of the stream at its place, or an acknowledgement without any there, say what it was.
            let isHere = sequence.distance(from: run.end) < 0 && sequence.distance(from: run.start) + length > 0
            guard isHere || sequence == run.start, !run.isRepeated(payload, length: length, at: sequence) else { return }
            return drop(run, isTold: true, into: &conversation, sink: &sink)
        }
        let isAtNext = sequence.distance(from: next) <= 0 && sequence.distance(from: next) + length > 0
        guard isAtNext || (hasFin && sequence == next) else { return }
        var isSame = false
        if isAtNext, run.start == next, sequence == next {
            var segments = run.segments
            // The very bytes, sent again in a segment that is in order: then nothing is left out.
            isSame = run.bytes <= length && segments.insert(payload, length: length, at: sequence, place: place) == nil
        }
        drop(run, isTold: !isSame, into: &conversation, sink: &sink)
    }

    /// Looks whether a segment goes on from one that was captured before the SYN of its side, or says something else at its place.
    private mutating func meetLate<Sink: ConversationSink & ~Copyable>(
        _ run: CandidateSegments.Run, at sequence: SequenceNumber, payload: RawSpan, length: Int, hasFin: Bool, place: Place,
        into conversation: inout Conversation, sink: inout Sink
    ) {
        let end = sequence.advanced(by: length)
        if sequence == run.end, length > 0 || hasFin, !run.hasFin {
            follow(run, at: place.time, into: &conversation, sink: &sink)
            return
        }
        let isBefore = end.distance(from: run.start) <= 0 && !(hasFin && end != run.end)
        guard length > 0 || hasFin, !isBefore, sequence.distance(from: run.end) < (run.hasFin ? 1 : 0) else { return }
        var segments = run.segments
        let isSame = segments.insert(payload, length: length, at: sequence, place: place) == nil && (!run.hasFin || end == run.end)
        guard isSame else { return drop(run, isTold: true, into: &conversation, sink: &sink) }
        follow(run, at: place.time, into: &conversation, sink: &sink)
    }

    /// Holds a segment back, or takes it for borne out together with one that is held already.
    ///
    /// - Parameters:
    ///   - isAnswering: it acknowledges what the other side has sent.
    ///   - peerIsSilent: nothing of the other side was captured, so it cannot bear anything out.
    mutating func hold<Sink: ConversationSink & ~Copyable>(
        _ payload: RawSpan, length: Int, at sequence: SequenceNumber, hasFin: Bool, isPadding: Bool, isAnswering: Bool, window: Int,
        peerIsSilent: Bool, place: Place, into conversation: inout Conversation, sink: inout Sink
    ) {
        if suspects.isEmpty { suspects.append(CandidateSegments()) }
        if var run = suspects[0].run {
            let further = sequence.distance(from: run.end)
            if sequence == run.start, length == run.bytes {
                // The same once more bears nothing out.
                suspects[0].run?.place.extend(by: place)
                return
            }
            if !run.isPadding, !isPadding, (0...window).contains(further), run.segments.heldBytes <= outOfOrderBytes,
                CandidateSegments.Run.mayReach(from: run.start, to: sequence.advanced(by: length))
            {
                _ = run.segments.insert(payload, length: length, at: sequence, place: place)
                run.end = sequence.advanced(by: length)
                run.hasFin = hasFin
                run.place.extend(by: place)
                run.segmentCount += 1
                // Further than any window reaches, or back, segments are nothing beside a side that acknowledges none of them.
                let isNear = run.distance < 1 << 30 && (!run.isBehind || offset == 0)
                run.mayStandAlone = isNear || peerIsSilent
                suspects[0].run = run
                let isMany = run.segmentCount >= CandidateSegments.Run.manySegments || run.segments.heldBytes > outOfOrderBytes
                if run.isFar ? run.isAcknowledged || (run.isGoneOnFrom && isMany) : run.mayStandAlone {
                    follow(run, at: place.time, into: &conversation, sink: &sink)
                }
                return
            }
            if run.isEarly {
                let before = run.start.distance(from: sequence.advanced(by: length))
                if (0...window).contains(before), CandidateSegments.Run.mayReach(from: sequence, to: run.end) {
                    _ = run.segments.insert(payload, length: length, at: sequence, place: place)
                    run.start = sequence
                    run.place.extend(by: place)
                    follow(run, at: place.time, into: &conversation, sink: &sink)
                    return
                }
                run.distance = Int(further.magnitude)
            }
            drop(run, isTold: true, into: &conversation, sink: &sink)
            if suspects.isEmpty { suspects.append(CandidateSegments()) }
        }
        var run = CandidateSegments.Run(
            start: sequence, end: sequence.advanced(by: length), hasFin: hasFin,
            distance: isBegun ? Int(sequence.distance(from: next).magnitude) : 0, isBehind: isBegun && sequence.distance(from: next) < 0,
            isFar: isFar(sequence, length: length, window: window),
            isPadding: isPadding, isEarly: !isBegun, standsUnlessRefuted: !isBegun && isAnswering && !isPadding, place: place)
        if length > 0 { _ = run.segments.insert(payload, length: length, at: sequence, place: place) }
        suspects[0].run = run
        if let claim = suspects[0].claim,
            run.isCovered(by: claim.number) || (!isPadding && (0...window).contains(sequence.distance(from: claim.number)))
        {
            if run.isFar {
                suspects[0].run?.isAcknowledged = true
            } else {
                follow(run, at: place.time, into: &conversation, sink: &sink)
            }
        }
    }

    /// Goes on at what was held back: it was real. What waits before it comes first, and the hole becomes a gap.
    mutating func follow<Sink: ConversationSink & ~Copyable>(
        _ run: CandidateSegments.Run, at now: Timestamp?, into conversation: inout Conversation, sink: inout Sink
    ) {
        suspects[0].run = nil
        if let claim = suspects[0].claim, claim.number.distance(from: run.start) >= 0 {
            suspects[0].claim = nil
            noteAcknowledged(claim.number)
        }
        evictCandidates()
        // Nothing comes after an end that was acknowledged: these are of another connection.
        guard !isFinished || run.start.distance(from: next) <= 1 else {
            drop(run, isTold: true, into: &conversation, sink: &sink)
            return
        }
        // It came before the SYN of its side, and perhaps before what it answers: that decides when it is told.
        if run.isEarly || run.mayBeLate || run.standsUnlessRefuted { isHeldBack = true }
        if run.isFar, run.isBehind, offset == 0, waiting.isEmpty, !isFinished {
            // The SYN that was seen is not the one of these bytes.
            conversation.find(
                .tcpSynIgnored, a: UInt64(clamping: run.distance), direction: direction, offset: 0, place: run.place, sink: &sink)
            restart(at: run.start)
            conversation.note(beginning: beginning, of: direction)
        } else if run.isFar, run.start != next {
            // The side that sends has gone on beyond its FIN.
            while fin != nil, !isFinished { giveUpFin(place: finPlace, into: &conversation, sink: &sink) }
            flushWaiting(at: now, into: &conversation, sink: &sink)
            guard !isFinished else {
                drop(run, isTold: true, into: &conversation, sink: &sink)
                return
            }
            // What waited may have reached it, or gone beyond.
            if run.isBehind || run.start.distance(from: next) > 0 {
                conversation.find(
                    .tcpJumpFollowed, a: UInt64(run.start.value &- next.value), direction: direction, offset: offset, place: run.place,
                    sink: &sink)
                skip(to: run.start, at: now, into: &conversation, sink: &sink)
            }
            if let known = acknowledged, known.distance(from: next) < 0 || known.distance(from: next) > 1 << 30 { acknowledged = nil }
        }
        var segments = run.segments
        while let segment = segments.popFirst() {
            take(
                segment.bytes.rawBytes, length: segment.length, at: segment.start, place: segment.place, into: &conversation, sink: &sink)
        }
        if run.hasFin { takeFin(at: run.end, place: run.place, into: &conversation, sink: &sink) }
    }

    /// Leaves out what nothing has borne out, because nothing more will come.
    mutating func dropCandidates<Sink: ConversationSink & ~Copyable>(into conversation: inout Conversation, sink: inout Sink) {
        guard !suspects.isEmpty else { return }
        if let run = suspects[0].run {
            if run.isPadding, !hasToldPadding {
                // Shown behind all that both sides have said.
            } else if !run.isPadding, run.standsAtEnd || (run.mayBeLate && run.start == next) {
                // The first that came of its side, or all that has come of it since.
                follow(run, at: run.place.time, into: &conversation, sink: &sink)
            } else {
                drop(run, isTold: true, into: &conversation, sink: &sink)
            }
        }
        // The last word of the other side, which nothing contradicts: the end of what was sent is missing here.
        if !suspects.isEmpty, let claim = suspects[0].claim, claim.isPossible, !claim.isContradicted, fin == nil, knowsBeginning,
            claim.ahead > 1
        {
            suspects[0].claim = nil
            noteAcknowledged(claim.number)
            evictCandidates()
        }
        believeSent()
        dropClaim(into: &conversation, sink: &sink)
    }

    private mutating func drop<Sink: ConversationSink & ~Copyable>(
        _ run: CandidateSegments.Run, isTold: Bool, into conversation: inout Conversation, sink: inout Sink
    ) {
        if !suspects.isEmpty { suspects[0].run = nil }
        evictCandidates()
        guard isTold else { return }
        if run.bytes == 0 {
            findIgnoredFin(at: run.start, place: run.place, into: &conversation, sink: &sink)
            return
        }
        if run.isPadding { return tellPadding(run.bytes, place: run.place, into: &conversation, sink: &sink) }
        conversation.find(
            .tcpSegmentIgnored, a: UInt64(clamping: run.bytes), b: UInt64(clamping: run.distance), direction: direction, offset: offset,
            place: run.place,
            sink: &sink)
    }

    /// Takes out the zeros that nothing has borne out or refuted.
    mutating func takePadding() -> CandidateSegments.Run? {
        guard !suspects.isEmpty, let run = suspects[0].run, run.isPadding else { return nil }
        suspects[0].run = nil
        evictCandidates()
        return run
    }

    mutating func evictCandidates() {
        if !suspects.isEmpty, suspects[0].isEmpty { suspects = [] }
    }
}
