// What comes for a connection after it has closed.
extension Dissector {
    /// How long after a close a packet between the same ports may belong to it without saying so by its numbers: twice the maximum
    /// segment lifetime of RFC 9293, section 3.4.2.
    private static let remnantNanoseconds: Int64 = 240_000_000_000

    /// Whether a segment belongs to the connection that has closed, and so says nothing new. A segment whose numbers lie
    /// far from where that one ended is of another, whose SYN was not captured.
    mutating func belongsToRemnant<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, payload: RawSpan, _ index: Int32, sourceIsLower: Bool, sink: inout Sink
    ) -> Bool {
        guard case .remnant(let remnant) = flows.slots[Int(index)].state else { return false }
        let (sender, receiver) = sourceIsLower ? (remnant.lower, remnant.higher) : (remnant.higher, remnant.lower)
        let isSyn = header.flags.contains(.syn)
        let isSame = isSyn ? sender.initial?.value == header.sequence : false
        if isSyn {
            // The same SYN is late or was sent twice; where it is answered it may begin a connection after all.
            let isAnswer = header.flags.contains(.ack)
            guard isSame || (isAnswer && !remnant.isAskedAgain) else { return false }
            if isAnswer {
                guard receiver.isAcknowledged(by: header.acknowledgement) else { return false }
            } else {
                flows.noteAskedAgain(index)
            }
        } else if header.payloadLength > 0, let end = sender.end {
            guard FlowTable.Remnant.nearby.contains(SequenceNumber(header.sequence).distance(from: end)) else { return false }
        }
        if !isSame, let closed = remnant.closedAt, let now = header.place.time, now.nanoseconds(since: closed) > Self.remnantNanoseconds {
            guard sender.hasSent(header), receiver.mayBeAcknowledged(by: header) else { return false }
        }
        if isSyn || !repeated.isEmpty, repeated.note(header, at: index, of: remnant, sourceIsLower: sourceIsLower) { return false }
        guard header.payloadLength > 0 else { return true }
        totals.skipped[SkipReason.afterClose.index] &+= 1
        guard !header.isLikePadding(payload) else { return true }
        if late.isFull { for account in late.takeAll() { tell(account, sink: &sink) } }
        late.note(header, at: index, of: remnant, sourceIsLower: sourceIsLower)
        return true
    }

    /// Begins the connection of a handshake that came once more, if a segment goes on from it. False where there is none.
    mutating func reopen<Sink: ConversationSink & ~Copyable>(
        _ index: Int32, before header: borrowing SegmentHeader, sink: inout Sink
    ) -> Bool {
        guard !repeated.isEmpty, case .remnant(let remnant) = flows.slots[Int(index)].state,
            let segments = repeated.take(at: index, of: remnant, before: header)
        else { return false }
        let key = flows.slots[Int(index)].key
        for (position, segment) in segments.enumerated() {
            if position == 0 {
                _ = open(
                    segment, key: key, hash: flows.hash(of: key), sourceIsLower: FlowKey.make(segment).sourceIsLower, at: index,
                    sink: &sink)
            } else {
                receiveAgain(segment, payload: RawSpan(), sink: &sink)
            }
        }
        return true
    }

    /// Tells what came for a conversation after it had closed.
    mutating func tell<Sink: ConversationSink & ~Copyable>(_ account: LateData.Account, sink: inout Sink) {
        totals.findings &+= 1
        sink.receive(
            ConversationEvent(
                conversation: account.conversation, from: nil, place: account.place, offset: nil,
                fact: .finding(Finding(.tcpDataAfterClose, a: account.bytes, b: account.packets)), content: RawSpan()))
    }

    /// Tells what came late for the conversation whose place is taken by another.
    mutating func tellLate<Sink: ConversationSink & ~Copyable>(at index: Int32, sink: inout Sink) {
        if !late.isEmpty, let account = late.take(at: index) { tell(account, sink: &sink) }
    }
}

extension FlowTable.Remnant {
    /// How far from its end what comes late of a closed connection may lie.
    static let nearby = -(1 << 26)...1 << 20
}

extension FlowTable.Remnant.Stream {
    /// How far from the end a number may lie that says of itself that it is of this stream, whenever it comes.
    private static let certain = -(1 << 16)...1

    /// Whether everything that a segment has was sent before the close, a FIN counted.
    func hasSent(_ header: borrowing SegmentHeader) -> Bool {
        guard let end, !header.flags.contains(.syn) else { return false }
        let last = SequenceNumber(header.sequence).advanced(by: header.payloadLength + (header.flags.contains(.fin) ? 1 : 0))
        return Self.certain.contains(last.distance(from: end))
    }

    /// Whether what a segment acknowledges, if it does, is the end of this stream or lies shortly before it. Where nothing of the
    /// stream was seen anything may.
    func mayBeAcknowledged(by header: borrowing SegmentHeader) -> Bool {
        guard let end, header.flags.contains(.ack) else { return true }
        return Self.certain.contains(SequenceNumber(header.acknowledgement).distance(from: end))
    }

    /// Whether a SYN and ACK answers the SYN of this stream, or acknowledges what followed it.
    func isAcknowledged(by number: UInt32) -> Bool {
        guard let end else { return false }
        let ahead = SequenceNumber(number).distance(from: end)
        guard let initial else { return FlowTable.Remnant.nearby.contains(ahead) }
        return ahead <= 1 && SequenceNumber(number).distance(from: initial) > 0
    }
}
