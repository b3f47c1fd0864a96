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

    mutating func tellPadding<Sink: ConversationSink & ~Copyable>(
        _ bytes: Int, place: Place, into conversation: inout Conversation, sink: inout Sink
    ) {
        guard !hasToldPadding else { return }
        hasToldPadding = true
        conversation.find(.tcpAckPadding, a: UInt64(clamping: bytes), direction: direction, offset: offset, place: place, sink: &sink)
    }
}
