/// One TCP connection: segments in, stream events into its conversation (RFC 9293).
///
/// What a segment does, in this order: its SYN begins a direction; its acknowledgement ends the waiting of the other
/// direction; its payload is delivered, kept, or known already; its FIN or RST ends a direction.
struct Flow {
    var conversation: Conversation
    private var first: TCPDirection
    private var second: TCPDirection

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
    }

    /// Counts the bytes of buffers anew. Returns by how much they have grown since they were last counted.
    @inline(__always)
    mutating func countHeld() -> Int {
        let held = conversation.heldBytes + first.heldBytes + second.heldBytes
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

    /// The number of the next byte of each direction; none where nothing of it was seen.
    var ends: (SequenceNumber?, SequenceNumber?) { (first.end, second.end) }

    /// Whether a SYN with this sequence number begins another connection than this one.
    func isAnother(syn sequence: SequenceNumber, direction: Direction) -> Bool {
        let (initial, isBegun) = direction == .first ? (first.initial, first.isBegun) : (second.initial, second.isBegun)
        if let initial { return initial != sequence }
        // Without a SYN of this side: the second of a simultaneous open, unless bytes of it were seen.
        return isBegun
    }

    /// Whether a segment may be the first one of the second direction: it acknowledges what the first one sent.
    func isAnswered(by header: borrowing SegmentHeader) -> Bool {
        guard !second.isBegun, first.isBegun, header.flags.contains(.ack) else { return false }
        return first.distance(of: SequenceNumber(header.acknowledgement)).magnitude <= 1 << 24
    }

    /// Takes one segment. `payload` is what was captured of it.
    mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, payload: RawSpan, direction: Direction, sink: inout Sink
    ) -> Aftermath {
        // An acknowledgement alone holds nothing more, and frees only what waits for it.
        let (flags, length) = (header.flags, header.payloadLength)
        let mayHaveChanged = length > 0 || !flags.isDisjoint(with: [.syn, .fin, .rst]) || first.isHolding || second.isHolding
        take(header, payload: payload, direction: direction, sink: &sink)
        return Aftermath(isOver: conversation.isOver, heldChange: mayHaveChanged ? countHeld() : 0)
    }

    @inline(__always)
    private mutating func take<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, payload: RawSpan, direction: Direction, sink: inout Sink
    ) {
        let flags = header.flags
        let place = header.place
        var sequence = SequenceNumber(header.sequence)
        if flags.contains(.syn) {
            synchronise(sequence, flags: flags, direction: direction, place: place, sink: &sink)
            // A SYN takes one number of its own; data in it follows (RFC 7413).
            sequence = sequence.advanced(by: 1)
        }
        if flags.contains(.ack) {
            acknowledge(SequenceNumber(header.acknowledgement), by: direction, at: place.time, sink: &sink)
        }
        if flags.contains(.rst) {
            reset(sequence, direction: direction, place: place, sink: &sink)
            return
        }
        if header.payloadLength > 0 {
            switch direction {
            case .first:
                first.take(payload, length: header.payloadLength, at: sequence, place: place, into: &conversation, sink: &sink)
            case .second:
                second.take(payload, length: header.payloadLength, at: sequence, place: place, into: &conversation, sink: &sink)
            }
        }
        // With its FIN a side may say so because it reads no more.
        let isShut = header.window == 0 && !flags.contains(.syn) && !flags.contains(.fin)
        if direction == .first ? first.noteWindow(isShut: isShut) : second.noteWindow(isShut: isShut) {
            let offset = direction == .first ? first.offset : second.offset
            conversation.find(.tcpZeroWindow, direction: direction, offset: offset, place: place, sink: &sink)
        }
        if flags.contains(.fin) {
            let end = sequence.advanced(by: header.payloadLength)
            switch direction {
            case .first: first.takeFin(at: end, place: place, into: &conversation, sink: &sink)
            case .second: second.takeFin(at: end, place: place, into: &conversation, sink: &sink)
            }
        }
    }

    /// Tells everything that waits, with gaps before it, because nothing more will come.
    mutating func flush<Sink: ConversationSink & ~Copyable>(at now: Timestamp?, sink: inout Sink) {
        first.flush(at: now, into: &conversation, sink: &sink)
        second.flush(at: now, into: &conversation, sink: &sink)
    }

    /// Tells that a new connection between the same ports replaces this one.
    mutating func replace<Sink: ConversationSink & ~Copyable>(direction: Direction, place: Place, sink: inout Sink) {
        flush(at: place.time, sink: &sink)
        let offset = direction == .first ? first.offset : second.offset
        conversation.find(.tcpPortReused, direction: direction, offset: offset, place: place, sink: &sink)
        conversation.close(.timeout, sink: &sink)
    }

    @inline(__always)
    private mutating func acknowledge<Sink: ConversationSink & ~Copyable>(
        _ number: SequenceNumber, by direction: Direction, at now: Timestamp?, sink: inout Sink
    ) {
        switch direction {
        case .first:
            second.acknowledge(number)
            if second.isWaiting { second.release(at: now, into: &conversation, sink: &sink) }
        case .second:
            first.acknowledge(number)
            if first.isWaiting { first.release(at: now, into: &conversation, sink: &sink) }
        }
    }

    private mutating func synchronise<Sink: ConversationSink & ~Copyable>(
        _ sequence: SequenceNumber, flags: TCPFlags, direction: Direction, place: Place, sink: inout Sink
    ) {
        if direction == .second, !flags.contains(.ack), first.initial != nil, !second.isBegun {
            conversation.find(.tcpSimultaneousOpen, direction: direction, offset: 0, place: place, sink: &sink)
        }
        switch direction {
        case .first: if first.offset == 0, !first.isFinished { first.begin(initial: sequence) }
        case .second: if second.offset == 0, !second.isFinished { second.begin(initial: sequence) }
        }
    }

    private mutating func reset<Sink: ConversationSink & ~Copyable>(
        _ sequence: SequenceNumber, direction: Direction, place: Place, sink: inout Sink
    ) {
        guard direction == .first ? first.acceptsReset(at: sequence) : second.acceptsReset(at: sequence) else {
            let distance = direction == .first ? first.distance(of: sequence) : second.distance(of: sequence)
            let offset = direction == .first ? first.offset : second.offset
            conversation.find(
                .tcpResetOutsideWindow, a: UInt64(distance.magnitude), direction: direction, offset: offset, place: place, sink: &sink)
            return
        }
        flush(at: place.time, sink: &sink)
        conversation.receive(.reset, direction: direction, place: place, sink: &sink)
    }
}
