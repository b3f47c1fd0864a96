/// A connection of which nothing but its handshake was seen, or acknowledgements: all that is kept of one until it speaks.
///
/// Most of a port scan, of a SYN flood, and of connections kept open for later never carry a byte. Such a connection is
/// the few segments that came, at most three, instead of a conversation. They are chosen so that nothing is to be told of
/// them but `opened`: when anything else comes the connection is woken, which means that these segments go the way of all
/// segments, and the state is what it would have been.
struct QuietConnection {
    /// One segment without payload.
    ///
    /// In an order that leaves no room between the parts.
    struct Segment {
        let packet: UInt64
        let time: Timestamp?
        let flags: TCPFlags
        let window: UInt16
        let sequence: UInt32
        let acknowledgement: UInt32
        let windowScale: WindowScale

        /// Nothing where the segment may say more than that it came: a payload, a reset, a shut window, several packets.
        init?(_ header: borrowing SegmentHeader) {
            guard header.payloadLength == 0, let packets = header.place.packets, packets.lowest == packets.highest else { return nil }
            let flags = header.flags
            guard !flags.contains(.rst), !flags.isSuperset(of: [.syn, .fin]) else { return nil }
            guard header.window > 0 || !flags.isDisjoint(with: [.syn, .fin]) else { return nil }
            time = header.place.time
            self.flags = flags
            window = header.window
            sequence = header.sequence
            acknowledgement = header.acknowledgement
            windowScale = header.windowScale
            packet = packets.lowest
        }

        var place: Place { Place(time: time, packets: PacketRange(packet)) }

        /// What kind of segment it is.
        var kind: TCPFlags { flags.intersection([.syn, .ack, .fin]) }

        /// Whether it is the same segment sent again.
        func repeats(_ other: Segment) -> Bool {
            sequence == other.sequence && acknowledgement == other.acknowledgement && flags == other.flags && window == other.window
                && windowScale == other.windowScale
        }
    }

    /// The number of its conversation.
    let number: UInt64
    let opener: Segment
    /// What the other side sent.
    private(set) var answer: Segment?
    /// What the first side sent last.
    private(set) var last: Segment?
    /// The lower endpoint of the key sent the first segment.
    let firstIsLower: Bool

    /// Nothing where the first segment alone makes it more than a quiet one.
    init?(number: UInt64, first header: borrowing SegmentHeader, sourceIsLower: Bool) {
        guard let opener = Segment(header) else { return nil }
        self.number = number
        firstIsLower = sourceIsLower
        self.opener = opener
    }

    /// Whether `opened` has been told: who is the client is known from a SYN alone.
    var isTold: Bool { opener.flags.contains(.syn) }

    /// Takes a further segment, if the connection stays a quiet one with it.
    mutating func take(_ header: borrowing SegmentHeader, sourceIsLower: Bool) -> Bool {
        guard let segment = Segment(header) else { return false }
        return sourceIsLower == firstIsLower ? takeFromFirst(segment) : takeFromSecond(segment)
    }

    private mutating func takeFromFirst(_ segment: Segment) -> Bool {
        if let last, segment.repeats(last) { return true }
        if segment.repeats(opener) { return true }
        if let last, last.flags.contains(.fin) { return false }
        switch opener.kind {
        case .syn:
            // The handshake's end, or a FIN in its place: exactly what follows from what came.
            guard let answer, segment.kind == .ack || segment.kind == [.ack, .fin], segment.sequence == opener.sequence &+ 1,
                segment.acknowledgement == answer.sequence &+ 1
            else { return false }
            last = segment
            return true
        case .ack:
            guard segment.kind == .ack, segment.sequence == opener.sequence else { return false }
            if SequenceNumber(segment.acknowledgement).distance(from: SequenceNumber((last ?? opener).acknowledgement)) > 0 {
                last = segment
            }
            return true
        default: return false
        }
    }

    private mutating func takeFromSecond(_ segment: Segment) -> Bool {
        if let answer, segment.repeats(answer) { return true }
        switch opener.kind {
        case .syn:
            guard answer == nil, segment.kind == [.syn, .ack], segment.acknowledgement == opener.sequence &+ 1 else { return false }
        case [.syn, .ack]:
            guard answer == nil, segment.kind == .ack, segment.acknowledgement == opener.sequence &+ 1,
                segment.sequence == opener.acknowledgement
            else { return false }
        case .ack:
            guard segment.kind == .ack else { return false }
            if let answer {
                guard segment.sequence == answer.sequence else { return false }
                let ahead = SequenceNumber(segment.acknowledgement).distance(from: SequenceNumber(answer.acknowledgement))
                if ahead <= 0 { return true }
            }
        default: return false
        }
        answer = segment
        return true
    }

    /// Whether a segment may be the first one of the other side: it acknowledges the SYN, or what lies little behind it.
    func isAnswered(by header: borrowing SegmentHeader) -> Bool {
        guard answer == nil, opener.flags.contains(.syn), header.flags.contains(.ack) else { return false }
        let next = SequenceNumber(opener.sequence &+ 1)
        return SequenceNumber(header.acknowledgement).distance(from: next).magnitude <= 1 << 24
    }

    /// The connection as one that speaks, as if it had never been quiet.
    ///
    /// - Parameter sink: Is told nothing, as long as these segments say no more than that they came.
    func wake<Sink: ConversationSink & ~Copyable>(
        _ key: FlowKey, limits: Limits, rules: [DecodeRule], layers: LayerTable, sink: inout Sink
    ) -> Flow {
        let (lower, higher) = key.endpoints
        let (first, second) = firstIsLower ? (lower, higher) : (higher, lower)
        var conversation = Conversation(
            number: number, first: first, second: second, startingWith: opener.flags, rules: rules, layers: layers, limits: limits,
            place: opener.place)
        conversation.isOpened = isTold
        conversation.open(sink: &sink)
        var flow = Flow(conversation: consume conversation, limits: limits)
        replay(opener, .first, from: first, to: second, key, &flow, sink: &sink)
        if let answer { replay(answer, .second, from: second, to: first, key, &flow, sink: &sink) }
        if let last { replay(last, .first, from: first, to: second, key, &flow, sink: &sink) }
        return flow
    }

    private func replay<Sink: ConversationSink & ~Copyable>(
        _ segment: Segment, _ direction: Direction, from source: Endpoint, to destination: Endpoint, _ key: FlowKey,
        _ flow: inout Flow, sink: inout Sink
    ) {
        let header = SegmentHeader(
            source: source, destination: destination, scope: key.scope, sequence: segment.sequence,
            acknowledgement: segment.acknowledgement, flags: segment.flags, window: segment.window,
            windowScale: segment.windowScale, payload: ByteRange(0..<0),
            payloadLength: 0, place: segment.place)
        _ = flow.receive(header, payload: RawSpan(), direction: direction, sink: &sink)
    }
}

extension FlowKey {
    /// The two ends.
    var endpoints: (lower: Endpoint, higher: Endpoint) {
        (
            Endpoint(
                address: FlowKey.address(high: lowHigh, low: lowLow, family: ports >> 2 & 3), port: UInt16(truncatingIfNeeded: ports >> 32)),
            Endpoint(
                address: FlowKey.address(high: highHigh, low: highLow, family: ports & 3), port: UInt16(truncatingIfNeeded: ports >> 16))
        )
    }

    private static func address(high: UInt64, low: UInt64, family: UInt64) -> IPAddress {
        switch IPAddress.Family(rawValue: UInt8(truncatingIfNeeded: family)) {
        case .ipv4: IPAddress(ipv4: UInt32(truncatingIfNeeded: low))
        case .ipv6: IPAddress(ipv6High: high, low: low)
        case Optional.none, .some(.none): IPAddress()
        }
    }
}

extension Conversation {
    /// A conversation out of packets, as its first segment shows it.
    init(
        number: UInt64, first: Endpoint, second: Endpoint, startingWith flags: TCPFlags, rules: [DecodeRule], layers: LayerTable,
        limits: Limits,
        place: Place
    ) {
        self.init(
            number: number, first: first, second: second, sideOfFirst: Conversation.sideOfFirst(flags),
            start: flags.contains(.syn) ? .handshake : .midstream,
            forced: rules.rule(for: first.port, second.port), layers: layers, limits: limits, place: place)
    }

    /// A SYN comes from the client, SYN and ACK from the server.
    static func sideOfFirst(_ flags: TCPFlags) -> Side? { flags.contains(.syn) ? (flags.contains(.ack) ? .server : .client) : nil }
}
