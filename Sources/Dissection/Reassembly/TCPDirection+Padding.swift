// Zeros that fill an acknowledgement up to the least frame, see `SegmentHeader.isLikePadding`.
extension TCPDirection {
    /// Takes padding in the place of bytes that have come: those stand, whatever came first.
    mutating func passOver<Sink: ConversationSink & ~Copyable>(
        padding: RawSpan, length: Int, at sequence: SequenceNumber, place: Place, into conversation: inout Conversation, sink: inout Sink
    ) {
        let old = UInt64(sequence.distance(from: next).magnitude)
        guard old <= offset, history.firstDifference(from: padding, at: offset &- old) != nil || old < UInt64(length) else { return }
        tellPadding(length, place: place, into: &conversation, sink: &sink)
    }

    /// Shows the zeros that came last: whether they are the stream's or fill an acknowledgement nobody can tell any more. Where the path
    /// is known to fill acknowledgements they are left out.
    mutating func showPadding<Sink: ConversationSink & ~Copyable>(into conversation: inout Conversation, sink: inout Sink) {
        guard let run = takePadding(), !hasToldPadding, !isFinished else { return }
        if !isBegun { begin(midstream: run.start, of: &conversation) }
        let ahead = run.start.distance(from: next)
        guard ahead >= 0, ahead <= Self.mostMissingAtEnd else { return }
        // It was sent behind them.
        if ahead > 0 { skip(to: run.start, at: run.place.time, into: &conversation, sink: &sink) }
        var segments = run.segments
        while let segment = segments.popFirst() {
            conversation.show(
                unread: segment.bytes.rawBytes, length: segment.length, direction: direction, place: segment.place, sink: &sink)
            next = next.advanced(by: segment.length)
            offset &+= UInt64(segment.length)
        }
    }

    /// Begins behind a byte that may be a keep-alive probe: it is shown, and not read. One that was acknowledged before is one for certain.
    mutating func begin<Sink: ConversationSink & ~Copyable>(
        behindProbe payload: RawSpan, at sequence: SequenceNumber, place: Place, into conversation: inout Conversation, sink: inout Sink
    ) {
        let isKnown = [acknowledged, firstAcknowledged].contains { ($0?.distance(from: sequence) ?? 0) > 0 }
        begin(midstream: isKnown ? sequence.advanced(by: 1) : sequence, of: &conversation)
        guard !isKnown else { return }
        if next != sequence { skip(to: sequence, at: place.time, into: &conversation, sink: &sink) }
        next = next.advanced(by: 1)
        offset &+= 1
        conversation.show(first: payload, direction: direction, place: place, sink: &sink)
    }

    mutating func tellPadding<Sink: ConversationSink & ~Copyable>(
        _ bytes: Int, place: Place, into conversation: inout Conversation, sink: inout Sink
    ) {
        guard !hasToldPadding else { return }
        hasToldPadding = true
        conversation.find(.tcpAckPadding, a: UInt64(clamping: bytes), direction: direction, offset: offset, place: place, sink: &sink)
    }
}

extension SegmentHeader {
    /// Whether it may be a keep-alive probe, which repeats the last byte and puts there what it likes (RFC 9293, section 3.8.4).
    var mayBeProbe: Bool { flags == .ack && payloadLength == 1 }

    /// The most bytes by which something on the way fills an acknowledgement up to the least frame of Ethernet.
    static let mostPadding = 6
    /// The same where the frame has a VLAN tag as well.
    private static let paddingBesideTag = 2

    /// Whether the payload looks like what fills a bare acknowledgement up to the least frame, and was put inside the IP
    /// packet: zeros, just as many as such a frame lacks (46 bytes, or 42 beside a tag, less the 40 of the two headers), and nothing
    /// that asks for their delivery. A zero that is alone is what somebody has sent.
    func isLikePadding(_ payload: RawSpan) -> Bool {
        guard flags == .ack, payloadLength == Self.mostPadding || payloadLength == Self.paddingBesideTag else { return false }
        for index in 0..<payload.byteCount where payload[index] != 0 { return false }
        return true
    }
}
