// What a SYN and a RST do to a connection.
extension Flow {
    // MARK: - SYN

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
        if let initial = receiver.initial {
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
        if doubts.isEmpty { doubts.append(FlowDoubts()) }
        doubts[0].syn = FlowDoubts.Synchronisation(
            header: copy header, payload: copy, direction: direction, distance: sender.distance(of: sequence),
            bytes: first.offset &+ second.offset)
        return false
    }

    /// Whether both sides of the known connection were seen.
    var isAnsweredAtAll: Bool { first.isBegun && second.isBegun }

    /// Whether the SYN that is held begins a new connection without anything that bears it out: a client tries again where no
    /// server has answered. An answer alone shows nothing.
    var isHeldSynEnough: Bool {
        doubts.first?.syn != nil && !isAnsweredAtAll && !isHeldSynAnswer
    }

    /// Whether the SYN that is held has an ACK.
    var isHeldSynAnswer: Bool { doubts.first?.syn?.header.flags.contains(.ack) ?? false }

    /// Whether a segment shows that a held SYN has begun a new connection: the other side acknowledges it, or its own side
    /// goes on from it, at a number that means nothing in the known connection.
    func bearsOutSyn(_ header: borrowing SegmentHeader, direction: Direction) -> Bool {
        let flags = header.flags
        guard let syn = doubts.first?.syn, !flags.contains(.rst) else { return false }
        let isAnswer = direction != syn.direction
        guard flags.contains(.ack), isAnswer || !flags.contains(.syn) else { return false }
        let number = SequenceNumber(isAnswer ? header.acknowledgement : header.sequence)
        let start = SequenceNumber(syn.header.sequence).advanced(by: 1)
        guard (0...syn.header.payloadLength).contains(number.distance(from: start)) else { return false }
        if flags.contains(.syn) { return !syn.header.flags.contains(.ack) }
        // Both numbers of the third packet of a handshake: the client's next one is then that of the new connection.
        if isAnswer, syn.header.flags.contains(.ack), header.sequence == syn.header.acknowledgement,
            SequenceNumber(header.sequence) != (direction == .first ? first : second).end
        {
            return true
        }
        let known = syn.direction == .first ? first : second
        let ahead = known.distance(of: number)
        return ahead > 1 << 16 || (ahead < 0 && UInt64(ahead.magnitude) > known.offset &+ 1)
    }

    /// Tells a held SYN that came to nothing if the known connection has gone on since.
    mutating func dropRefutedSyn<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        guard let syn = doubts.first?.syn, first.offset &+ second.offset != syn.bytes else { return }
        findIgnoredSyn(sink: &sink)
    }

    /// Tells that a held SYN came to nothing.
    mutating func findIgnoredSyn<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        guard let syn = takeSyn() else { return }
        let offset = syn.direction == .first ? first.offset : second.offset
        conversation.find(
            .tcpSynIgnored, a: UInt64(syn.distance.magnitude), direction: syn.direction, offset: offset, place: syn.header.place,
            sink: &sink)
    }

    /// Tells that a SYN that was held begins a new connection between the same ports.
    mutating func findReplaced<Sink: ConversationSink & ~Copyable>(by syn: FlowDoubts.Synchronisation, sink: inout Sink) {
        let offset = syn.direction == .first ? first.offset : second.offset
        conversation.find(.tcpPortReused, direction: syn.direction, offset: offset, place: syn.header.place, sink: &sink)
    }

    /// The SYN that is held, which is held no longer.
    mutating func takeSyn() -> FlowDoubts.Synchronisation? {
        guard !doubts.isEmpty, let syn = doubts[0].syn else { return nil }
        doubts[0].syn = nil
        if doubts[0].isEmpty { doubts = [] }
        return syn
    }

    /// Tells which of two SYNs of one side was not the one, once that is decided.
    mutating func settleRivals<Sink: ConversationSink & ~Copyable>(isLast: Bool, sink: inout Sink) {
        guard let rivals = doubts.first?.rivals else { return }
        let sender = rivals.direction == .first ? first : second
        guard isLast || !sender.hasRival || sender.offset > 0 else { return }
        doubts[0].rivals = nil
        if doubts[0].isEmpty { doubts = [] }
        let isSecond = sender.initial == rivals.first
        guard isSecond || sender.initial == rivals.second else { return }
        let distance = sender.distance(of: isSecond ? rivals.second : rivals.first).magnitude
        conversation.find(
            .tcpSynIgnored, a: UInt64(distance), direction: rivals.direction, offset: sender.offset,
            place: isSecond ? rivals.place : Place(time: rivals.place.time), sink: &sink)
    }

    // MARK: - RST

    /// Takes a RST: an exact one ends the connection, one in the window is held, any other is told and ignored.
    static func reset<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, sender: inout TCPDirection, receiver: inout TCPDirection, _ doubts: inout [FlowDoubts],
        into conversation: inout Conversation, sink: inout Sink
    ) {
        let place = header.place
        if header.payloadLength > 0 {
            conversation.find(
                .tcpResetData, a: UInt64(header.payloadLength), direction: sender.direction, offset: sender.offset, place: place,
                sink: &sink)
        }
        let sequence = SequenceNumber(header.sequence)
        var verdict = sender.judge(resetAt: sequence, window: receiver.advertised.bytes(beside: sender.advertised.scale))
        var distance = sender.distance(of: sequence)
        let acknowledged = header.flags.contains(.ack) ? SequenceNumber(header.acknowledgement) : nil
        if !sender.isBegun, let initial = receiver.initial, sequence != sender.acknowledged {
            // A refusal says which SYN it refuses (RFC 9293, section 3.10.7.3).
            let sent = Int(min(receiver.offset, 1 << 30)) + receiver.seenAhead + 1
            verdict = .doubtful
            if let acknowledged {
                distance = acknowledged.distance(from: initial)
                // What it acknowledges beyond that may be late.
                if !(0...sent + 0xFFFF).contains(distance) { verdict = .outside } else if distance <= sent { verdict = .exact }
            }
        } else if !sender.isBegun, let expected = sender.acknowledged {
            distance = sequence.distance(from: expected)
        }
        if !receiver.isBegun, receiver.firstAcknowledged == nil { receiver.firstAcknowledged = acknowledged }
        var reset = FlowDoubts.Reset(
            sequence: sequence, direction: sender.direction, distance: distance, place: place, acknowledged: acknowledged)
        if let held = doubts.first?.reset {
            // The same once more, or one for each packet that came after the close.
            if held.direction == reset.direction, held.isExact || held.sequence == sequence, verdict != .outside { return }
            if verdict != .exact {
                findIgnored(reset, offset: sender.offset, into: &conversation, sink: &sink)
                return
            }
            findIgnored(
                held, offset: held.direction == sender.direction ? sender.offset : receiver.offset, into: &conversation, sink: &sink)
            doubts[0].reset = nil
            if doubts[0].isEmpty { doubts = [] }
        }
        switch verdict {
        case .exact where isEarly(reset, sender: sender, receiver: receiver):
            reset.isExact = true
            let window = sender.advertised.bytes(beside: receiver.advertised.scale)
            if let acknowledged, (2...max(2, window)).contains(receiver.distance(of: acknowledged)) {
                _ = receiver.acknowledge(
                    acknowledged, window: window, by: sender.offset, isBare: true, at: sequence, place: place, into: &conversation,
                    sink: &sink)
            }
            if doubts.isEmpty { doubts.append(FlowDoubts()) }
            doubts[0].reset = reset
        case .exact:
            switch sender.direction {
            case .first: flush(&sender, &receiver, at: place.time, into: &conversation, sink: &sink)
            case .second: flush(&receiver, &sender, at: place.time, into: &conversation, sink: &sink)
            }
            conversation.receive(.reset, direction: sender.direction, place: place, sink: &sink)
        case .doubtful:
            if doubts.isEmpty { doubts.append(FlowDoubts()) }
            doubts[0].reset = reset
        case .outside:
            findIgnored(reset, offset: sender.offset, into: &conversation, sink: &sink)
        }
    }

    /// Whether something was sent before a RST that was not seen.
    private static func isEarly(_ reset: FlowDoubts.Reset, sender: borrowing TCPDirection, receiver: borrowing TCPDirection) -> Bool {
        if sender.isMissing || receiver.isMissing || receiver.lacks(upTo: reset.acknowledged) { return true }
        guard !sender.isBegun, let known = sender.acknowledged else { return false }
        return (1...AdvertisedWindow.unknownBytes).contains(reset.sequence.distance(from: known))
    }

    private static func findIgnored<Sink: ConversationSink & ~Copyable>(
        _ reset: FlowDoubts.Reset, offset: UInt64, into conversation: inout Conversation, sink: inout Sink
    ) {
        conversation.find(
            .tcpResetIgnored, a: UInt64(reset.distance.magnitude), direction: reset.direction, offset: offset, place: reset.place,
            sink: &sink)
    }

    /// Looks what a segment makes of a RST that is held.
    mutating func settleReset<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, direction: Direction, sink: inout Sink
    ) {
        guard let reset = doubts.first?.reset, !conversation.isOver else { return }
        let (sender, receiver) = reset.direction == .first ? (first, second) : (second, first)
        let (flags, length) = (header.flags, header.payloadLength)
        if reset.isExact {
            // Bytes from before it may still come; what is of after it is not waited for.
            doubts[0].reset?.patience = reset.patience - 1
            if reset.patience <= 1 || !Self.isEarly(reset, sender: sender, receiver: receiver) {
                flush(at: header.place.time, sink: &sink)
            }
            return
        }
        // Of its own side only what was sent before it may still come, and not much. What the other sends says nothing: it may not have
        // had the RST yet.
        guard direction == reset.direction, !flags.contains(.rst) else { return }
        let end = SequenceNumber(header.sequence).advanced(by: length + (flags.contains(.fin) ? 1 : 0))
        let behind = end.distance(from: reset.sequence)
        var isAfter = !(-AdvertisedWindow.unknownBytes...0).contains(behind) || (flags.contains(.fin) && behind != 0)
        // What came before, again.
        if length > 0, sender.isBegun, end.distance(from: sender.next) < 0 { return }
        if flags.contains(.ack), let acknowledged = reset.acknowledged {
            let further = SequenceNumber(header.acknowledgement).distance(from: acknowledged)
            // It was sent before, or it was sent after.
            if further < 0, !isAfter { return }
            if further > 0 { isAfter = true }
        }
        doubts[0].reset?.isBesideOthers = true
        doubts[0].reset?.patience = reset.patience - 1
        if isAfter || reset.patience <= 1 || !sender.isBegun { findIgnoredReset(sink: &sink) }
    }

    /// Tells that a held RST came to nothing.
    private mutating func findIgnoredReset<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        guard let reset = doubts.first?.reset else { return }
        doubts[0].reset = nil
        if doubts[0].isEmpty { doubts = [] }
        Self.findIgnored(reset, offset: reset.direction == .first ? first.offset : second.offset, into: &conversation, sink: &sink)
    }

    /// Nothing more came after a RST that is held: it was the end.
    mutating func followReset<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        guard let reset = doubts.first?.reset else { return }
        // Both sides have ended without it.
        guard !conversation.isOver || reset.isExact else { return findIgnoredReset(sink: &sink) }
        let sender = reset.direction == .first ? first : second
        // What its side has sent since does not reach it.
        if reset.isBesideOthers, !sender.reaches(reset.sequence) { return findIgnoredReset(sink: &sink) }
        doubts[0].reset = nil
        if doubts[0].isEmpty { doubts = [] }
        // A RST has the number of the next byte (RFC 9293, section 3.10.7.4): what lies before it was sent, and is missing.
        switch reset.direction {
        case .first: first.tellMissing(before: reset, into: &conversation, sink: &sink)
        case .second: second.tellMissing(before: reset, into: &conversation, sink: &sink)
        }
        conversation.receive(.reset, direction: reset.direction, place: reset.place, sink: &sink)
    }
}
