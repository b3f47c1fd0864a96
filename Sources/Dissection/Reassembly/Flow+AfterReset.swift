// What comes of a connection after a RST.
//
// The side that did not send the RST goes on until it has it: what was under way then is in the capture, and no receiver takes it
// (RFC 9293, section 3.10.7.1). So the connection stays for a second, or up to two where such packets come. They are shown as `data` after
// the close, and change nothing else.
extension Flow {
    /// Whether the connection was reset and stays to show what comes yet.
    var isAfterReset: Bool { doubts.first?.isAfterReset ?? false }

    /// The connection is over. True where a RST has ended it and bytes of the other side may be under way: then it stays, and its layers are
    /// told that no more comes.
    mutating func stayAfterReset<Sink: ConversationSink & ~Copyable>(sink: inout Sink) -> Bool {
        guard conversation.wasCutOff, doubts.isEmpty, first.offset > 0 || second.offset > 0 else { return false }
        doubts.append(FlowHypotheses(isAfterReset: true))
        conversation.finishOpenSides(sink: &sink)
        return true
    }

    /// Takes a segment of the connection after its RST. False where it belongs to another one.
    mutating func receiveAfterReset<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, payload: RawSpan, direction: Direction, sink: inout Sink
    ) -> Bool {
        guard header.payloadLength > 0, !header.isLikePadding(payload) else { return true }
        switch direction {
        case .first: return first.show(afterReset: payload, of: header, into: &conversation, sink: &sink)
        case .second: return second.show(afterReset: payload, of: header, into: &conversation, sink: &sink)
        }
    }
}

extension TCPDirection {
    /// Shows what a segment has beyond all that came before it.
    fileprivate mutating func show<Sink: ConversationSink & ~Copyable>(
        afterReset payload: RawSpan, of header: borrowing SegmentHeader, into conversation: inout Conversation, sink: inout Sink
    ) -> Bool {
        let (sequence, length) = (SequenceNumber(header.sequence), header.payloadLength)
        let ahead = sequence.distance(from: next)
        guard isBegun, FlowTable.Remnant.nearby.contains(ahead) else { return false }
        let old = max(0, -ahead)
        if old > 0, !losses.isEmpty { noteOld(length, old, place: header.place) }
        guard length > old else { return true }
        let start = offset &+ UInt64(max(0, ahead))
        conversation.show(
            afterReset: payload.suffix(from: min(old, payload.byteCount)), at: start, direction: direction, place: header.place,
            sink: &sink)
        next = sequence.advanced(by: length)
        offset = start &+ UInt64(length - old)
        return true
    }
}
