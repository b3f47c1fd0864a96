extension Dissector {
    /// Takes which process the packet with this number belongs to, which comes next; nil where the source does not say it. A conversation has the
    /// process of its first packet.
    public mutating func note(_ process: PacketProcess?, ofPacket number: UInt64) { noted = process.map { ($0, number) } }

    /// The process that the last packet of a segment belongs to, where the source has said so.
    func process(of header: borrowing SegmentHeader) -> PacketProcess? {
        guard let noted, noted.packet == header.place.packets?.highest else { return nil }
        return noted.process
    }

    /// Reports that the connection has come into sight which a SYN begins.
    func tellOpened<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, _ process: PacketProcess?, sink: inout Sink
    ) {
        let isServer = Conversation.sideOfFirst(header.flags) == .server
        var opening = Opening(
            client: isServer ? header.destination : header.source, server: isServer ? header.source : header.destination,
            start: .handshake, roles: .handshake)
        var names = openingNotes?.add(to: &opening) ?? []
        process?.add(to: &opening, &names)
        opening.tell(number: totals.conversations, place: header.place, names: names.rawBytes, sink: &sink)
    }
}
