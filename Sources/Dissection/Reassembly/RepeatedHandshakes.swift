/// Handshakes of connections that have closed, captured once more.
///
/// ```
/// SYN ─▶ SYN and ACK ─▶ the client's ACK ─┬─ the first bytes of a side once more ─▶ a connection that had the same numbers
///  the very numbers of a closed one       └─ nothing ─▶ late copies, which say nothing
/// ```
///
/// A tap that sees a packet twice, or a host that sends it again, makes copies of one or two of them. A whole handshake with the first
/// bytes behind it is a conversation that was played again.
struct RepeatedHandshakes {
    private struct Handshake {
        let slot: Int32
        /// The number of the conversation that had it first.
        let conversation: UInt64
        let clientIsLower: Bool
        /// SYN, SYN and ACK, ACK, as far as they came.
        var segments: [SegmentHeader]
    }

    /// Of the closed connections whose SYN came again, the last ones.
    private static let most = 64

    private var handshakes: [Handshake] = []

    var isEmpty: Bool { handshakes.isEmpty }

    /// Notes a segment of a closed connection. True where it is no copy alone: it goes on from a handshake that came once more.
    mutating func note(
        _ header: borrowing SegmentHeader, at slot: Int32, of remnant: FlowTable.Remnant, sourceIsLower: Bool
    ) -> Bool {
        let kind = header.flags.intersection([.syn, .ack, .fin, .rst])
        if kind == .syn {
            guard header.payloadLength == 0 else { return false }
            handshakes.removeAll { $0.slot == slot }
            if handshakes.count >= Self.most { handshakes.removeFirst() }
            handshakes.append(
                Handshake(
                    slot: slot, conversation: remnant.conversation, clientIsLower: sourceIsLower, segments: [copy header]))
            return false
        }
        guard let index = handshakes.firstIndex(where: { $0.slot == slot }), handshakes[index].conversation == remnant.conversation
        else { return false }
        let isClient = handshakes[index].clientIsLower == sourceIsLower
        let segments = handshakes[index].segments
        if kind == [.syn, .ack] {
            if !isClient, segments.count == 1, header.payloadLength == 0, header.acknowledgement == segments[0].sequence &+ 1 {
                handshakes[index].segments.append(copy header)
            }
            return false
        }
        guard kind == .ack || kind == [.ack, .fin], segments.count >= 2 else { return false }
        // Both numbers of the third packet; that of the client may bring its first bytes.
        let (own, other) = isClient ? (segments[0].sequence, segments[1].sequence) : (segments[1].sequence, segments[0].sequence)
        guard header.sequence == own &+ 1 else { return false }
        if isClient, segments.count == 2, header.acknowledgement == other &+ 1, header.payloadLength == 0 {
            handshakes[index].segments.append(copy header)
            return false
        }
        guard header.payloadLength > 0 else { return false }
        return isClient ? header.acknowledgement == other &+ 1 : segments.count == 3
    }

    /// Takes out the handshake that a segment goes on from: what `note` said so of, or another answer to its SYN.
    mutating func take(
        at slot: Int32, of remnant: FlowTable.Remnant, before header: borrowing SegmentHeader
    ) -> [SegmentHeader]? {
        guard let index = handshakes.firstIndex(where: { $0.slot == slot }) else { return nil }
        let known = handshakes.remove(at: index)
        guard known.conversation == remnant.conversation else { return nil }
        let isNewAnswer = header.flags.isSuperset(of: [.syn, .ack])
        if isNewAnswer { return header.acknowledgement == known.segments[0].sequence &+ 1 ? [known.segments[0]] : nil }
        guard known.segments.count >= 2, header.payloadLength > 0, !header.flags.contains(.syn) else { return nil }
        return known.segments
    }
}
