// What the other side acknowledges, and how much of it is believed; see `CandidateSegments.Claim`.
extension TCPDirection {
    /// Notes an acknowledgement by the other side. False where it is impossible: of bytes that its sender's window had no
    /// room for, or from before the beginning (RFC 5961, section 5).
    ///
    /// One of bytes that were not seen is believed when a second packet says the same, or when the bytes behind it come.
    ///
    /// - Parameters:
    ///   - isBare: the packet has nothing else that is held back with it.
    ///   - isFar: the packet lies outside the window itself, so a receiver does not even look at what it acknowledges (RFC 9293, section 3.10.7.4).
    ///   - sent: its own number, where that says how much its side had sent before.
    @inline(__always)
    mutating func acknowledge<Sink: ConversationSink & ~Copyable>(
        _ number: SequenceNumber, window: Int, by peerOffset: UInt64, isBare: Bool, isFar: Bool, at sent: SequenceNumber?, place: Place,
        into conversation: inout Conversation, sink: inout Sink
    ) -> Bool {
        if hasCompeting { settleCompeting(acknowledged: number) }
        let ahead = number.distance(from: next)
        if isBegun, suspects.isEmpty, ahead <= 0, ahead >= -(1 << 16) || UInt64(ahead.magnitude) <= offset {
            noteAcknowledged(number)
            return true
        }
        return acknowledgeOutOfRange(
            number, ahead: ahead, window: window, by: peerOffset, isBare: isBare, isFar: isFar, at: sent, place: place,
            into: &conversation, sink: &sink)
    }

    /// Looks whether a packet of the other side, which is its next one, was sent after the one that has acknowledged a hole, and
    /// acknowledges less: no receiver takes back what it has acknowledged, so that one was not its own, and the hole is waited for.
    ///
    /// - Parameters:
    ///   - sequence: its number, which is the next one of its side.
    ///   - isBare: two bare packets of one number have no order.
    mutating func matchEvidence<Sink: ConversationSink & ~Copyable>(
        _ number: SequenceNumber, at sequence: SequenceNumber, isBare: Bool, by peerOffset: UInt64, place: Place,
        into conversation: inout Conversation, sink: inout Sink
    ) {
        guard !losses.isEmpty, let witness = losses[0].witness else { return }
        let missing = holeEnd.map { $0.distance(from: next) } ?? 0
        guard missing > 0, witness.number.distance(from: next) >= missing else {
            losses[0].witness = nil
            return
        }
        let later = sequence.distance(from: witness.sent)
        guard later > 0 || (later == 0 && !isBare), (-(1 << 30)..<missing).contains(number.distance(from: next)) else { return }
        losses[0].witness = nil
        losses[0].stopWaiting()
        acknowledged = number
        conversation.find(
            .tcpAckIgnored, a: UInt64(missing), direction: direction.other, offset: peerOffset, place: place, sink: &sink)
    }

    @inline(__always)
    mutating func noteAcknowledged(_ number: SequenceNumber) {
        if let acknowledged, number.distance(from: acknowledged) <= 0 { return }
        acknowledged = number
        let missing = UInt64(max(0, next.distance(from: number)))
        history.forget(before: offset > missing ? offset &- missing : 0)
    }

    /// Believes an acknowledgement of a FIN that was captured before the FIN.
    mutating func noteAcknowledgedFin(_ sequence: SequenceNumber) {
        guard !suspects.isEmpty, let claim = suspects[0].claim, claim.number.distance(from: sequence) == 1 else { return }
        suspects[0].claim = nil
        noteAcknowledged(claim.number)
        evictCandidates()
    }

    private mutating func acknowledgeOutOfRange<Sink: ConversationSink & ~Copyable>(
        _ number: SequenceNumber, ahead: Int, window: Int, by peerOffset: UInt64, isBare: Bool, isFar: Bool, at sent: SequenceNumber?,
        place: Place, into conversation: inout Conversation, sink: inout Sink
    ) -> Bool {
        guard isBegun else {
            if firstAcknowledged == nil { firstAcknowledged = number }
            noteAcknowledged(number)
            if let run = suspects.first?.run, run.isCovered(by: number) { follow(run, at: place.time, into: &conversation, sink: &sink) }
            return true
        }
        if !suspects.isEmpty, let run = suspects[0].run {
            if run.isCovered(by: number), !isFar || run.segmentCount > 1 {
                if run.isFar, !run.isAcknowledged {
                    suspects[0].run?.isAcknowledged = true
                    return true
                }
                follow(run, at: place.time, into: &conversation, sink: &sink)
                noteAcknowledged(number)
                return true
            }
            // It has not received it by then.
            if run.isFar, ahead <= seenAhead { suspects[0].run?.segmentCount = 1 }
        }
        if !suspects.isEmpty, let claim = suspects[0].claim {
            if claim.number.distance(from: next) <= 0 {
                // Its bytes have come.
                suspects[0].claim = nil
                evictCandidates()
            } else if number.distance(from: claim.number) < 0, !isBare || acknowledged.map({ number.distance(from: $0) > 0 }) ?? true {
                // One that was sent before may be late, or come again; but there are not many of those.
                var isEarlier = false
                if let sent, let known = claim.sent {
                    // Two bare ones of the same number have no order.
                    let later = sent.distance(from: known)
                    isEarlier = later < 0 || (isBare && later == 0)
                }
                suspects[0].claim?.patience = max(1, claim.patience) - 1
                suspects[0].claim?.isContradicted = claim.isContradicted || !isEarlier || claim.patience <= 1
            }
        }
        // It has been believed before.
        if ahead > 0, let acknowledged, number.distance(from: acknowledged) <= 0 { return true }
        if ahead <= seenAhead {
            let slack = UInt64(initial == nil ? AdvertisedWindow.unknownBytes : 1 << 16)
            if ahead < 0, UInt64(ahead.magnitude) > offset &+ slack { return false }
            if ahead > 0, let sent, let end = holeEnd, !waiting.isEmpty, number.distance(from: end) >= 0 {
                if losses.isEmpty { losses.append(LostBytes()) }
                losses[0].witness = LostBytes.Evidence(number: number, sent: sent)
            }
            noteAcknowledged(number)
            return true
        }
        if isFar { return false }
        return claim(
            number, ahead: ahead, window: window, by: peerOffset, isBare: isBare, at: sent, place: place, into: &conversation, sink: &sink)
    }

    /// Notes an acknowledgement of what was not seen, or takes it for borne out by an earlier one.
    private mutating func claim<Sink: ConversationSink & ~Copyable>(
        _ number: SequenceNumber, ahead: Int, window: Int, by peerOffset: UInt64, isBare: Bool, at sent: SequenceNumber?, place: Place,
        into conversation: inout Conversation, sink: inout Sink
    ) -> Bool {
        let isPossible = ahead <= window + max(0, acknowledged?.distance(from: next) ?? 0)
        if let known = suspects.first?.claim {
            let further = number.distance(from: known.number)
            if (0...window).contains(further), ahead < 1 << 30 {
                suspects[0].claim = nil
                noteAcknowledged(number)
                evictCandidates()
                return true
            }
            if (-window..<0).contains(further), ahead < 1 << 30 {
                // Both say so of the bytes up to here; the higher one waits for another that says the same.
                noteAcknowledged(number)
                return true
            }
            dropClaim(into: &conversation, sink: &sink)
        }
        if suspects.isEmpty { suspects.append(CandidateSegments()) }
        suspects[0].claim = CandidateSegments.Claim(
            number: number, ahead: ahead, sent: sent, offset: peerOffset, isPossible: isPossible,
            isTold: ahead == 1 || (!isBare && !isPossible), place: place)
        return isPossible
    }

    mutating func dropClaim<Sink: ConversationSink & ~Copyable>(into conversation: inout Conversation, sink: inout Sink) {
        guard !suspects.isEmpty, let claim = suspects[0].claim else { return }
        suspects[0].claim = nil
        evictCandidates()
        // One byte is the FIN, which the capture lacks. The acknowledgement came from the other side.
        // What it acknowledged may have come since: the capture only had them the other way round.
        guard !claim.isTold, claim.number.distance(from: next) > 0 else { return }
        conversation.find(
            .tcpAckIgnored, a: UInt64(clamping: claim.ahead), direction: direction.other, offset: claim.offset, place: claim.place,
            sink: &sink)
    }
}
