/// One TCP connection: segments in, stream events into its conversation (RFC 9293).
///
/// What a segment does, in this order: its SYN begins a direction; its acknowledgement ends the waiting of the other
/// direction; its payload is delivered, kept, or known already; its FIN or RST ends a direction.
///
/// Each of these is done as a receiver does it (RFC 9293, section 3.10.7; RFC 5961): what a receiver would throw away or
/// ask back about is held until later packets bear it out or refute it, because whoever watches may have missed what the
/// receiver knows. `CandidateSegments` has it for payload, FIN and acknowledgements, `FlowHypotheses` for SYN and RST.
struct Flow {
    var conversation: Conversation
    var first: TCPDirection
    var second: TCPDirection
    /// None or one; apart, because hardly a connection has any.
    var doubts: [FlowHypotheses] = []
    /// How it stands with a `WaitClock`.
    var clock = WaitClock.Hand.none

    init(conversation: Conversation, limits: Limits) {
        self.conversation = conversation
        first = TCPDirection(.first, limits: limits)
        second = TCPDirection(.second, limits: limits)
    }

    /// Bytes of memory that a connection takes before it holds anything, its place in the heap included.
    static var ownBytes: Int { MemoryLayout<Flow>.size + 64 }

    /// Bytes of buffers that this connection was last counted with against `Limits.totalBytes`.
    private(set) var countedBytes = 0

    /// What a segment has changed that concerns all connections.
    struct Aftermath {
        /// Both directions have ended, or one was reset.
        var isOver: Bool
        /// By how much the bytes of buffers have grown.
        var heldChange: Int
        /// It waits for packets that may have been captured late, which time bounds as well.
        var isPatient = false
        /// Something is held that one packet alone said.
        var hasHypotheses = false
    }

    /// Whether it waits for packets that may have been captured late.
    var isPatient: Bool { first.isPatient || second.isPatient || (doubts.first?.reset?.isExact ?? false) || isAfterReset }

    /// Whether both sides have ended and the other has acknowledged it.
    var isEndAcknowledged: Bool { first.isEndAcknowledged && second.isEndAcknowledged }

    /// Waits no longer for packets that may have been captured late.
    mutating func expire<Sink: ConversationSink & ~Copyable>(at now: Timestamp?, sink: inout Sink) -> Aftermath {
        if isAfterReset { return Aftermath(isOver: true, heldChange: 0) }
        if doubts.first?.reset?.isExact ?? false {
            if !doubtReset() { flush(at: now, sink: &sink) }
        } else {
            // One for each side: that of one may have held back the other.
            for _ in 0..<2 where isPatient {
                if !first.losses.isEmpty { first.losses[0].expire() }
                if !second.losses.isEmpty { second.losses[0].expire() }
                first.release(at: now, into: &conversation, sink: &sink)
                second.release(at: now, into: &conversation, sink: &sink)
                Self.settle(&first, &second, at: now, into: &conversation, sink: &sink)
            }
        }
        return Aftermath(isOver: conversation.isOver, heldChange: countHeld(), isPatient: isPatient)
    }

    /// Counts the bytes of buffers anew. Returns by how much they have grown since they were last counted.
    @inline(__always)
    mutating func countHeld() -> Int {
        let held = conversation.heldBytes + first.heldBytes + second.heldBytes + (doubts.isEmpty ? 0 : doubts[0].heldBytes)
        let change = held - countedBytes
        countedBytes = held
        return change
    }

    /// Counts no bytes any more, because the connection is given up. Returns the change.
    mutating func discount() -> Int {
        let change = -countedBytes
        countedBytes = 0
        return change
    }

    /// What is kept of each direction after the close.
    var remnants: (FlowTable.Remnant.Stream, FlowTable.Remnant.Stream) { (first.remnant, second.remnant) }

    /// Whether a segment may be the first one of the second direction: it acknowledges what the first one sent.
    func isAnswered(by header: borrowing SegmentHeader) -> Bool {
        guard !second.isBegun, first.isBegun, header.flags.contains(.ack) else { return false }
        return first.distance(of: SequenceNumber(header.acknowledgement)).magnitude <= 1 << 24
    }

    /// Takes one segment. `payload` is what was captured of it.
    mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, payload: RawSpan, direction: Direction, sink: inout Sink
    ) -> Aftermath {
        // An acknowledgement alone holds nothing more, and frees only what waits for it, and what was kept until it came.
        var mayHaveChanged = header.payloadLength > 0
        if !header.flags.isDisjoint(with: [.syn, .fin, .rst]) { mayHaveChanged = true }
        if first.isWaiting { mayHaveChanged = true }
        if second.isWaiting { mayHaveChanged = true }
        let kept = mayHaveChanged ? 0 : first.history.heldBytes &+ second.history.heldBytes
        take(header, payload: payload, direction: direction, sink: &sink)
        if !mayHaveChanged, first.history.heldBytes &+ second.history.heldBytes != kept { mayHaveChanged = true }
        var after = Aftermath(
            isOver: conversation.isOver, heldChange: mayHaveChanged ? countHeld() : 0, isPatient: false, hasHypotheses: !doubts.isEmpty)
        if after.hasHypotheses || !first.losses.isEmpty || !second.losses.isEmpty { after.isPatient = isPatient }
        return after
    }

    @inline(__always)
    private mutating func take<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, payload: RawSpan, direction: Direction, sink: inout Sink
    ) {
        switch direction {
        case .first: Self.take(header, payload: payload, from: &first, to: &second, &doubts, into: &conversation, sink: &sink)
        case .second: Self.take(header, payload: payload, from: &second, to: &first, &doubts, into: &conversation, sink: &sink)
        }
        // Another RST or the end may decide about one that was doubtful.
        if !doubts.isEmpty {
            if doubts[0].rivals != nil { settleAllCompeting(isLast: false, sink: &sink) }
            if doubts.first?.reset != nil { settleReset(header, direction: direction, sink: &sink) }
        }
    }

    /// - Parameters:
    ///   - sender: the direction in which the segment was sent.
    ///   - receiver: the other one, whose bytes it acknowledges.
    private static func take<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, payload: RawSpan, from sender: inout TCPDirection, to receiver: inout TCPDirection,
        _ doubts: inout [FlowHypotheses], into conversation: inout Conversation, sink: inout Sink
    ) {
        let flags = header.flags
        var place = header.place
        if flags.contains(.ack) { place.received = receiver.position(of: SequenceNumber(header.acknowledgement)) }
        var sequence = SequenceNumber(header.sequence)
        if flags.contains(.syn) {
            let known = sender.initial
            guard synchronise(header, sender: &sender, receiver: receiver, into: &conversation, sink: &sink) else { return }
            if let known, known != sequence, sender.hasCompeting, doubts.first?.rivals == nil {
                if doubts.isEmpty { doubts.append(FlowHypotheses()) }
                doubts[0].rivals = FlowHypotheses.Competing(direction: sender.direction, first: known, second: sequence, place: place)
            }
            // A SYN takes one number of its own; data in it follows (RFC 7413).
            sequence = sequence.advanced(by: 1)
        }
        if flags.contains(.rst) {
            reset(header, sender: &sender, receiver: &receiver, &doubts, into: &conversation, sink: &sink)
            return
        }
        sender.advertised.note(header.window)
        let length = header.payloadLength
        let hasFin = flags.contains(.fin)
        var isPossible = true
        var mayEnd = false
        if flags.contains(.ack) {
            let isFar =
                sequence != sender.next
                && sender.isFar(sequence, length: length, window: receiver.advertised.bytes(beside: sender.advertised.scale))
            isPossible = receiver.acknowledge(
                SequenceNumber(header.acknowledgement), window: sender.advertised.bytes(beside: receiver.advertised.scale),
                by: sender.offset, isBare: length == 0 && !hasFin, isFar: isFar, at: flags.contains(.syn) ? nil : sequence, place: place,
                into: &conversation, sink: &sink)
            if receiver.isWaiting {
                if flags.contains(.syn) { receiver.beginEarlier(whereAnswered: SequenceNumber(header.acknowledgement), of: &conversation) }
                if !receiver.losses.isEmpty {
                    receiver.losses[0].notePacket()
                    if sequence == sender.next, !flags.contains(.syn) {
                        receiver.matchEvidence(
                            SequenceNumber(header.acknowledgement), at: sequence, isBare: length == 0 && !hasFin, by: sender.offset,
                            place: place, into: &conversation, sink: &sink)
                    }
                }
                // What is released is judged by what was seen of this side, not by what holds for its own bytes.
                conversation.note(sender.sight, of: sender.direction)
                receiver.release(at: place.time, into: &conversation, sink: &sink)
                mayEnd = true
            }
            if flags.contains(.syn) { receiver.meetAnswer(SequenceNumber(header.acknowledgement)) }
            if length > 0 || hasFin, isPossible { receiver.meetOrder(SequenceNumber(header.acknowledgement), of: sender, place: place) }
        }
        if sender.isHeldBack || receiver.isHeldBack {
            if !sender.losses.isEmpty { sender.losses[0].noteDebtPacket(isBegun: sender.isBegun) }
            if !receiver.losses.isEmpty { receiver.losses[0].noteDebtPacket(isBegun: receiver.isBegun) }
            mayEnd = true
        }
        // The number of a packet without payload says how much its side has sent.
        if length == 0, !hasFin, sequence != sender.next || !sender.suspects.isEmpty, !flags.contains(.syn) {
            sender.noteSent(
                sequence, window: receiver.advertised.bytes(beside: sender.advertised.scale), place: place, into: &conversation, sink: &sink
            )
        }
        if length > 0 || hasFin {
            conversation.note(receiver.sight, of: receiver.direction)
            conversation.note(sender.ownSight, of: sender.direction)
        }
        if isPossible, !hasFin, sender.isPlainlyNext(sequence), receiver.losses.isEmpty || !receiver.isPatient,
            length > SegmentHeader.mostPadding || flags.contains(.psh)
        {
            sender.deliver(payload, length: length, place: place, into: &conversation, sink: &sink)
        } else if length > 0 || hasFin || !sender.suspects.isEmpty {
            receiveUnusual(
                header, payload: payload, at: sequence, isPossible: isPossible, place: place, sender: &sender, receiver: &receiver,
                into: &conversation, sink: &sink)
            mayEnd = true
        }
        if mayEnd { settle(&sender, &receiver, at: place.time, into: &conversation, sink: &sink) }
        // With its FIN a side may say so because it reads no more.
        let isShut = header.window == 0 && !flags.contains(.syn) && !hasFin
        if sender.noteWindow(isShut: isShut) {
            conversation.find(.tcpZeroWindow, direction: sender.direction, offset: sender.offset, place: place, sink: &sink)
        }
    }

    /// Does what concerns both directions, after a segment that was not simply the next one.
    private static func settle<Sink: ConversationSink & ~Copyable>(
        _ sender: inout TCPDirection, _ receiver: inout TCPDirection, at now: Timestamp?, into conversation: inout Conversation,
        sink: inout Sink
    ) {
        // Nothing comes any more that could fill a hole, but for what was captured in another order than sent.
        let isEnd = sender.isEndAcknowledged && receiver.isEndAcknowledged && !sender.isPatient && !receiver.isPatient
        let isReceiverAfter = receiver.isHeldBack
        conversation.note(sender.sight, of: sender.direction)
        conversation.note(receiver.sight, of: receiver.direction)
        if sender.isHeldBack || receiver.isHeldBack || sender.turn != .max || receiver.turn != .max {
            keepOrder(&sender, &receiver, isEnd: isEnd, at: now, into: &conversation, sink: &sink)
        }
        if isEnd {
            receiver.flushWaiting(at: now, into: &conversation, sink: &sink)
            sender.flushWaiting(at: now, into: &conversation, sink: &sink)
            return
        }
        // Both have sent all up to their FIN: nothing is left to bear either out.
        if sender.hasEnded, receiver.hasEnded {
            if isReceiverAfter { sender.endAtFin(into: &conversation, sink: &sink) }
            receiver.endAtFin(into: &conversation, sink: &sink)
            sender.endAtFin(into: &conversation, sink: &sink)
        }
    }

    /// Delivers what waits in both directions in the order in which it came, as far as no hole is in the way.
    ///
    /// - Parameter isEnd: nothing more comes: holes become gaps.
    private static func keepOrder<Sink: ConversationSink & ~Copyable>(
        _ one: inout TCPDirection, _ other: inout TCPDirection, isEnd: Bool, at now: Timestamp?, into conversation: inout Conversation,
        sink: inout Sink
    ) {
        // Of each two rounds one delivers a segment or ends a hole; what was forged may bring neither, and is not waited for.
        var idle = 0
        while one.isHeldBack || other.isHeldBack {
            let before = (one.offset, other.offset, one.hasEnded, other.hasEnded)
            defer { idle = before == (one.offset, other.offset, one.hasEnded, other.hasEnded) ? idle + 1 : 0 }
            if idle > 4 {
                (one.isHeldBack, other.isHeldBack) = (false, false)
                break
            }
            let goesOn =
                one.isHeldBack
                ? letGo(&one, after: &other, isEnd: isEnd, at: now, into: &conversation, sink: &sink)
                : letGo(&other, after: &one, isEnd: isEnd, at: now, into: &conversation, sink: &sink)
            if !goesOn { return }
        }
        (one.turn, other.turn) = (.max, .max)
        (one.reach, other.reach) = (nil, nil)
        one.release(at: now, into: &conversation, sink: &sink)
        other.release(at: now, into: &conversation, sink: &sink)
    }

    /// Delivers of a direction that is held back what came before the next of the other one, which is then held back in its turn.
    /// False where the other one waits for a hole.
    private static func letGo<Sink: ConversationSink & ~Copyable>(
        _ held: inout TCPDirection, after other: inout TCPDirection, isEnd: Bool, at now: Timestamp?,
        into conversation: inout Conversation, sink: inout Sink
    ) -> Bool {
        if isEnd, other.isPatient {
            other.losses[0].expire()
            other.release(at: now, into: &conversation, sink: &sink)
        }
        other.settleDebt(before: held.firstWaitingPacket ?? .max, at: now, into: &conversation, sink: &sink)
        let isPatient = other.isPatient
        held.isHeldBack = false
        other.reach = nil
        // What is released is judged by what was seen of the other side then, which may have spoken meanwhile.
        conversation.note(other.sight, of: other.direction)
        held.turn = isPatient ? other.lastPacketBeforeWait : other.nextWaitingPacket ?? .max
        // What was sent after more of the other side comes after that, though it was captured before it.
        held.reach = isPatient || other.nextWaitingPacket != nil ? other.reached : nil
        held.release(at: now, into: &conversation, sink: &sink)
        held.reach = nil
        if !isPatient {
            other.isHeldBack = other.nextWaitingPacket != nil
            return true
        }
        held.turn = .max
        held.isHeldBack = held.firstWaitingPacket != nil
        other.turn = held.firstWaitingPacket ?? .max
        other.reach = held.isHeldBack ? held.reached : nil
        return isEnd || !held.isHeldBack
    }

    /// Payload or FIN of a segment that is not simply the next one.
    private static func receiveUnusual<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, payload: RawSpan, at sequence: SequenceNumber, isPossible: Bool, place: Place,
        sender: inout TCPDirection, receiver: inout TCPDirection, into conversation: inout Conversation, sink: inout Sink
    ) {
        let length = header.payloadLength
        let hasFin = header.flags.contains(.fin)
        let window = receiver.advertised.bytes(beside: sender.advertised.scale)
        if !sender.suspects.isEmpty {
            sender.matchCandidates(
                at: sequence, payload: payload, length: length, hasFin: hasFin, window: window, place: place, into: &conversation,
                sink: &sink)
        }
        guard length > 0 || hasFin else { return }
        if !sender.losses.isEmpty { sender.losses[0].notePacket() }
        if sender.hasCompeting, isPossible { sender.settleCompeting(sequence) }
        let ahead = sequence.distance(from: sender.next)
        let isOld = ahead + length <= 0 && UInt64(ahead.magnitude) <= sender.offset
        // What waits goes on from the stream's own zeros.
        let isPadding = header.isLikePadding(payload) && sender.waiting.firstStart != sequence.advanced(by: length)
        if isPadding {
            if !sender.isBegun, receiver.initial == nil { sender.begin(midstream: sequence, of: &conversation) }
            // Where bytes of the stream have come it says nothing about them.
            if sender.isBegun, sequence.distance(from: sender.next) < 0 {
                sender.passOver(padding: payload, length: length, at: sequence, place: place, into: &conversation, sink: &sink)
                return
            }
        }
        if sender.isFar(sequence, length: length, window: window) || (!isPossible && sender.isBegun && !isOld) || isPadding
            || sender.isUnfounded(sequence, peerHasBegun: receiver.initial != nil)
        {
            sender.hold(
                payload, length: length, at: sequence, hasFin: hasFin, isPadding: isPadding, isAnswering: isPossible, window: window,
                peerIsSilent: !receiver.isBegun, place: place, into: &conversation, sink: &sink)
            return
        }
        if header.mayBeProbe, !sender.isBegun, receiver.initial == nil {
            return sender.begin(behindProbe: payload, at: sequence, place: place, into: &conversation, sink: &sink)
        }
        // What the other side has acknowledged and was not seen is lost; a byte from there alone is a probe.
        if header.mayBeProbe, ahead >= 0, sender.isBegun, let acknowledged = sender.acknowledged, acknowledged.distance(from: sequence) > 0
        {
            return
        }
        if !sender.isBegun, receiver.isHeldBack {
            // Where its first bytes are what the other side had received, they come first; otherwise that does.
            sender.begin(midstream: sequence, of: &conversation)
            keepOrder(&sender, &receiver, isEnd: false, at: place.time, into: &conversation, sink: &sink)
        }
        if receiver.isHeldBack, !sender.isHeldBack, let packet = receiver.packetBehindHole(upTo: SequenceNumber(header.acknowledgement)) {
            // Each waits for the other: what waits there was sent after this one, and this one after what is missing there.
            (receiver.isHeldBack, receiver.turn, receiver.reach) = (false, packet &- 1, sender.reached)
            sender.isHeldBack = true
            receiver.release(at: place.time, into: &conversation, sink: &sink)
        } else if receiver.isPatient, !receiver.isHeldBack, !sender.isHeldBack {
            sender.isHeldBack = true
            (receiver.turn, receiver.reach) = (place.packets?.highest ?? 0, sender.reached)
        }
        if length > 0 {
            sender.take(
                payload, length: length, at: sequence, mayBeProbe: header.mayBeProbe, place: place, into: &conversation, sink: &sink)
        }
        if hasFin { sender.takeFin(at: sequence.advanced(by: length), place: place, into: &conversation, sink: &sink) }
    }

    /// Tells everything that waits, with gaps before it, because nothing more will come.
    mutating func flush<Sink: ConversationSink & ~Copyable>(at now: Timestamp?, sink: inout Sink) {
        settleAllCompeting(isLast: true, sink: &sink)
        Self.flush(&first, &second, at: now, into: &conversation, sink: &sink)
        followReset(sink: &sink)
    }

    static func flush<Sink: ConversationSink & ~Copyable>(
        _ first: inout TCPDirection, _ second: inout TCPDirection, at now: Timestamp?, into conversation: inout Conversation,
        sink: inout Sink
    ) {
        if first.isHeldBack || second.isHeldBack { keepOrder(&first, &second, isEnd: true, at: now, into: &conversation, sink: &sink) }
        first.flush(at: now, into: &conversation, sink: &sink)
        second.flush(at: now, into: &conversation, sink: &sink)
        first.showPadding(into: &conversation, sink: &sink)
        second.showPadding(into: &conversation, sink: &sink)
    }

    /// Gives up what repeated segments are compared with, to stay within `Limits.totalBytes`.
    mutating func dropHistory() {
        first.history.drop()
        second.history.drop()
    }

    /// Tells that a new connection between the same ports replaces this one.
    mutating func replace<Sink: ConversationSink & ~Copyable>(direction: Direction, place: Place, sink: inout Sink) {
        flush(at: place.time, sink: &sink)
        let offset = direction == .first ? first.offset : second.offset
        conversation.find(.tcpPortReused, direction: direction, offset: offset, place: place, sink: &sink)
        conversation.close(.timeout, sink: &sink)
    }
}
