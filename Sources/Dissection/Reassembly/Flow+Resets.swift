// What a RST does to a connection.
extension Flow {
    /// Takes a RST: an exact one ends the connection, one in the window is held, any other is told and ignored.
    static func reset<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, sender: inout TCPDirection, receiver: inout TCPDirection, _ doubts: inout [FlowHypotheses],
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
        var reset = FlowHypotheses.Reset(
            sequence: sequence, direction: sender.direction, distance: distance, place: place, acknowledged: acknowledged)
        reset.isFirst = sender.isUnseen && receiver.isUnseen
        if !receiver.isBegun, receiver.firstAcknowledged == nil { receiver.firstAcknowledged = acknowledged }
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
                    acknowledged, window: window, by: sender.offset, isBare: true, isFar: false, at: sequence, place: place,
                    into: &conversation,
                    sink: &sink)
            }
            if doubts.isEmpty { doubts.append(FlowHypotheses()) }
            doubts[0].reset = reset
        case .exact:
            switch sender.direction {
            case .first: flush(&sender, &receiver, at: place.time, into: &conversation, sink: &sink)
            case .second: flush(&receiver, &sender, at: place.time, into: &conversation, sink: &sink)
            }
            conversation.receive(.reset, direction: sender.direction, place: place, sink: &sink)
        case .doubtful:
            if doubts.isEmpty { doubts.append(FlowHypotheses()) }
            doubts[0].reset = reset
        case .outside:
            findIgnored(reset, offset: sender.offset, into: &conversation, sink: &sink)
        }
    }

    /// Whether something was sent before a RST that was not seen.
    private static func isEarly(_ reset: FlowHypotheses.Reset, sender: borrowing TCPDirection, receiver: borrowing TCPDirection) -> Bool {
        if reset.isFirst {
            if !sender.isBegun, !receiver.isBegun { return true }
            // One without ACK takes its number from what it answers; one with it had something of the other side.
            if !sender.isBegun, sender.acknowledged == nil, reset.acknowledged == nil { return true }
            if !receiver.isBegun, reset.acknowledged != nil { return true }
            if let end = sender.seenEnd, reset.sequence.distance(from: end) > 0 { return true }
        }
        if sender.isMissing || receiver.isMissing || receiver.lacks(upTo: reset.acknowledged) { return true }
        guard !sender.isBegun, let known = sender.acknowledged else { return false }
        return (1...AdvertisedWindow.unknownBytes).contains(reset.sequence.distance(from: known))
    }

    private static func findIgnored<Sink: ConversationSink & ~Copyable>(
        _ reset: FlowHypotheses.Reset, offset: UInt64, into conversation: inout Conversation, sink: inout Sink
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
            let isEarly = Self.isEarly(reset, sender: sender, receiver: receiver)
            if isEarly, reset.patience <= 1, doubtReset() { return }
            if !isEarly || reset.patience <= 1 { flush(at: header.place.time, sink: &sink) }
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

    /// Whether a segment is of another connection than a RST of which nothing else was seen.
    func refutesFirstReset(_ header: borrowing SegmentHeader, direction: Direction) -> Bool {
        guard let reset = doubts.first?.reset, reset.isFirst, !first.isBegun, !second.isBegun, !header.flags.contains(.rst) else {
            return false
        }
        let flags = header.flags
        let acknowledged = flags.contains(.ack) ? SequenceNumber(header.acknowledgement) : nil
        // What a side has sent after it had the RST's packet says as little as that it was captured later.
        let (before, around) = (0...AdvertisedWindow.unknownBytes, -(1 << 16)...AdvertisedWindow.unknownBytes)
        if direction == reset.direction {
            let taken = header.payloadLength + (flags.contains(.syn) ? 1 : 0) + (flags.contains(.fin) ? 1 : 0)
            let end = SequenceNumber(header.sequence).advanced(by: taken)
            if !before.contains(reset.sequence.distance(from: end)) { return true }
            guard let number = reset.acknowledged, let acknowledged else { return false }
            return !around.contains(number.distance(from: acknowledged))
        }
        if let number = reset.acknowledged, !around.contains(number.distance(from: SequenceNumber(header.sequence))) { return true }
        guard let acknowledged else { return reset.acknowledged == nil }
        // The number of a refusal is 0.
        return reset.sequence.value != 0 && !before.contains(reset.sequence.distance(from: acknowledged))
    }

    /// Takes a RST that was captured ahead of everything else, and that nothing has reached since, for a doubtful one: either its side has
    /// yet to reach it, or it was none of this connection.
    mutating func doubtReset() -> Bool {
        guard let reset = doubts.first?.reset, reset.isFirst, first.isBegun || second.isBegun else { return false }
        let sender = reset.direction == .first ? first : second
        doubts[0].reset?.isExact = false
        doubts[0].reset?.isFirst = false
        doubts[0].reset?.patience = LostBytes.mostPackets
        doubts[0].reset?.distance = sender.distance(of: reset.sequence)
        return true
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
