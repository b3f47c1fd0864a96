// What a SYN does to a connection.
extension Flow {
    /// Whether a SYN, with or without ACK, seems to be of another connection than this one.
    func isAnother(syn header: borrowing SegmentHeader, direction: Direction) -> Bool {
        let (sender, receiver) = direction == .first ? (first, second) : (second, first)
        let sequence = SequenceNumber(header.sequence)
        if !header.flags.contains(.ack) {
            if let initial = sender.initial { return initial != sequence }
            // Without a SYN of this side: the second of a simultaneous open, or the one of the bytes that came before it.
            return sender.isBegun && !sender.mayBegin(at: sequence)
        }
        // With no number known before it may still be the one, which the other side will acknowledge. Where bytes of that were seen and
        // not its SYN, the answer to it acknowledges what lies just before them.
        guard sender.isBegun else {
            let answered = SequenceNumber(header.acknowledgement).advanced(by: -1)
            return receiver.isBegun && receiver.initial == nil && !receiver.mayBegin(at: answered)
        }
        guard sender.initial != sequence else { return false }
        let nearby = -(1 << 26)...1 << 20
        if sender.initial == nil, nearby.contains(sender.distance(of: sequence)) { return false }
        // It answers the other side's SYN, and perhaps data in it (RFC 9293, section 3.10.7.3). Then it is one of two answers.
        let answered = SequenceNumber(header.acknowledgement)
        // Without its SYN, what the first answer acknowledged says what that was.
        if let initial = receiver.initial ?? (sender.beganByAnswer ? receiver.firstAcknowledged?.advanced(by: -1) : nil) {
            let sent = Int(min(receiver.offset, 1 << 30)) + receiver.seenAhead + 1
            return !(0...sent).contains(answered.distance(from: initial))
        }
        if receiver.isBegun { return !nearby.contains(receiver.distance(of: answered)) }
        // Nothing of the other side was captured: what was acknowledged to it begins where its SYN was.
        guard let known = receiver.acknowledged else { return sender.offset > 0 }
        return !(-(1 << 20)...0).contains(answered.distance(from: known))
    }

    /// Begins the direction of a SYN. False where it belongs to no connection that the other side knows of.
    static func synchronise<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, sender: inout TCPDirection, receiver: borrowing TCPDirection,
        into conversation: inout Conversation, sink: inout Sink
    ) -> Bool {
        let sequence = SequenceNumber(header.sequence)
        let flags = header.flags
        // Where the answer to this SYN was captured before it, the other side is the server.
        if sender.direction == .second, !flags.contains(.ack), receiver.initial != nil, !sender.isBegun,
            !receiver.beganByAnswer
        {
            conversation.find(.tcpSimultaneousOpen, direction: sender.direction, offset: 0, place: header.place, sink: &sink)
        }
        if sender.offset == 0, !sender.isFinished {
            sender.begin(initial: sequence)
            sender.beganByAnswer = flags.contains(.ack)
        } else if sender.initial.map({ $0 != sequence }) ?? !sender.mayBegin(at: sequence) {
            conversation.find(
                .tcpSynIgnored, a: UInt64(sender.distance(of: sequence).magnitude), direction: sender.direction, offset: sender.offset,
                place: header.place, sink: &sink)
            return false
        } else {
            sender.confirm(initial: sequence)
        }
        if sender.initial == sequence {
            conversation.learnRoles(sideOfSyn: flags.contains(.ack) ? .server : .client, direction: sender.direction, sink: &sink)
        }
        sender.advertised.note(header.windowScale)
        return true
    }

    /// Holds a SYN that names another number. True where one is held already that counts now, because it came from a client and
    /// nobody has answered the known connection: the one handed in is not held then.
    mutating func hold<Sink: ConversationSink & ~Copyable>(
        syn header: borrowing SegmentHeader, payload: RawSpan, direction: Direction, sink: inout Sink
    ) -> Bool {
        let sequence = SequenceNumber(header.sequence)
        if let known = doubts.first?.syn {
            if known.header.sequence == sequence.value {
                doubts[0].syn?.header.place.extend(by: header.place)
                return false
            }
            if isHeldSynEnough { return true }
            findIgnoredSyn(sink: &sink)
        }
        let sender = direction == .first ? first : second
        var copy: [UInt8] = []
        copy.append(copying: payload)
        if doubts.isEmpty { doubts.append(FlowHypotheses()) }
        doubts[0].syn = FlowHypotheses.Synchronisation(
            header: copy header, payload: copy, direction: direction, distance: sender.distance(of: sequence),
            bytes: first.offset &+ second.offset)
        return false
    }

    /// Whether both sides of the known connection were seen.
    var isAnsweredAtAll: Bool { first.isBegun && second.isBegun }

    /// Whether the SYN that is held begins a new connection without anything more that bears it out: a client tries again where no
    /// server has answered, and what was answered is the last that came. An answer alone shows nothing.
    var isHeldSynEnough: Bool {
        guard let syn = doubts.first?.syn else { return false }
        return syn.partner != nil || (!isAnsweredAtAll && !isHeldSynAnswer)
    }

    /// Whether the SYN that is held has an ACK.
    var isHeldSynAnswer: Bool {
        guard let syn = doubts.first?.syn else { return false }
        return syn.partner == nil && syn.header.flags.contains(.ack)
    }

    /// Holds more of a handshake of which one packet is held: the other SYN, or the acknowledgement of both. False for what may come after.
    mutating func hold(handshake header: borrowing SegmentHeader) -> Bool {
        guard let syn = doubts.first?.syn, header.payloadLength == 0 else { return false }
        if header.flags.contains(.syn) {
            doubts[0].syn?.partner = copy header
        } else if syn.partner != nil, header.flags == .ack {
            if syn.third == nil { doubts[0].syn?.third = copy header }
        } else {
            return false
        }
        return true
    }

    /// Whether a segment goes on from a handshake that is held, by both its numbers, and not from the known connection.
    private func goesOn(_ header: borrowing SegmentHeader, from syn: FlowHypotheses.Synchronisation, direction: Direction) -> Bool {
        guard let partner = syn.partner, !header.flags.contains(.syn) else { return false }
        let isOwn = direction == syn.direction
        let (own, ownLength) = isOwn ? (syn.header.sequence, syn.header.payloadLength) : (partner.sequence, 0)
        let (other, otherLength) = isOwn ? (partner.sequence, 0) : (syn.header.sequence, syn.header.payloadLength)
        let sequence = SequenceNumber(header.sequence)
        guard (0...ownLength).contains(sequence.distance(from: SequenceNumber(own).advanced(by: 1))),
            sequence != (direction == .first ? first : second).end
        else {
            return false
        }
        if header.flags.contains(.rst) { return true }
        let acknowledged = SequenceNumber(header.acknowledgement).distance(from: SequenceNumber(other).advanced(by: 1))
        return header.flags.contains(.ack) && (0...otherLength).contains(acknowledged)
    }

    /// Whether a segment shows that a held SYN has begun a new connection: the other side acknowledges it or what follows it, its own side
    /// goes on from it, or it is the SYN that the held one answers. Its number has to mean nothing in the known connection.
    func bearsOutSyn(_ header: borrowing SegmentHeader, direction: Direction) -> Bool {
        let flags = header.flags
        guard let syn = doubts.first?.syn else { return false }
        if goesOn(header, from: syn, direction: direction) { return true }
        guard !flags.contains(.rst) else { return false }
        let isAnswer = direction != syn.direction
        let isHeldAnswer = syn.header.flags.contains(.ack)
        if flags.contains(.syn), !flags.contains(.ack) {
            // The two of one handshake, captured the wrong way round.
            return isAnswer && isHeldAnswer ? header.sequence &+ 1 == syn.header.acknowledgement : false
        }
        guard flags.contains(.ack), isAnswer || !flags.contains(.syn) else { return false }
        let number = SequenceNumber(isAnswer ? header.acknowledgement : header.sequence)
        let start = SequenceNumber(syn.header.sequence).advanced(by: 1)
        let behind = number.distance(from: start)
        if flags.contains(.syn) { return !isHeldAnswer && (0...syn.header.payloadLength).contains(behind) }
        guard (0...0xFFFF).contains(behind) else { return false }
        // Both numbers of the third packet of a handshake: the client's next one is then that of the new connection.
        if isAnswer, isHeldAnswer, behind == 0, header.sequence == syn.header.acknowledgement,
            SequenceNumber(header.sequence) != (direction == .first ? first : second).end
        {
            return true
        }
        let (known, peer) = syn.direction == .first ? (first, second) : (second, first)
        let ahead = known.distance(of: number)
        if ahead > 1 << 16 || (ahead < 0 && UInt64(ahead.magnitude) > known.offset &+ 1) { return true }
        // So near it may be of the known connection, unless the other number of the packet means nothing there either.
        let other = SequenceNumber(isAnswer ? header.sequence : header.acknowledgement)
        return behind == 0 && ahead > known.seenAhead && peer.isForeign(other)
    }

    /// Tells a held SYN that came to nothing if the known connection has gone on since.
    mutating func dropRefutedSyn<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        guard let syn = doubts.first?.syn, first.offset &+ second.offset != syn.bytes else { return }
        findIgnoredSyn(sink: &sink)
    }

    /// Tells that a held SYN came to nothing.
    mutating func findIgnoredSyn<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        guard let syn = takeSyn() else { return }
        let (sender, other) = syn.direction == .first ? (first, second) : (second, first)
        conversation.find(
            .tcpSynIgnored, a: UInt64(syn.distance.magnitude), direction: syn.direction, offset: sender.offset, place: syn.header.place,
            sink: &sink)
        guard let partner = syn.partner else { return }
        conversation.find(
            .tcpSynIgnored, a: UInt64(other.distance(of: SequenceNumber(partner.sequence)).magnitude), direction: other.direction,
            offset: other.offset, place: partner.place, sink: &sink)
    }

    /// Tells that a SYN that was held begins a new connection between the same ports.
    mutating func findReplaced<Sink: ConversationSink & ~Copyable>(by syn: FlowHypotheses.Synchronisation, sink: inout Sink) {
        let offset = syn.direction == .first ? first.offset : second.offset
        conversation.find(.tcpPortReused, direction: syn.direction, offset: offset, place: syn.header.place, sink: &sink)
    }

    /// The SYN that is held, which is held no longer.
    mutating func takeSyn() -> FlowHypotheses.Synchronisation? {
        guard !doubts.isEmpty, let syn = doubts[0].syn else { return nil }
        doubts[0].syn = nil
        if doubts[0].isEmpty { doubts = [] }
        return syn
    }

    /// Tells which of two SYNs of one side was not the one, once that is decided.
    mutating func settleAllCompeting<Sink: ConversationSink & ~Copyable>(isLast: Bool, sink: inout Sink) {
        guard let rivals = doubts.first?.rivals else { return }
        let sender = rivals.direction == .first ? first : second
        guard isLast || !sender.hasCompeting || sender.offset > 0 else { return }
        doubts[0].rivals = nil
        if doubts[0].isEmpty { doubts = [] }
        let isSecond = sender.initial == rivals.first
        guard isSecond || sender.initial == rivals.second else { return }
        let distance = sender.distance(of: isSecond ? rivals.second : rivals.first).magnitude
        conversation.find(
            .tcpSynIgnored, a: UInt64(distance), direction: rivals.direction, offset: sender.offset,
            place: isSecond ? rivals.place : Place(time: rivals.place.time), sink: &sink)
    }
}
