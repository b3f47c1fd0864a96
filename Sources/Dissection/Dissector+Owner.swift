/// To which conversation a packet belongs, for those who keep packets.
package struct PacketOwner: Hashable, Sendable {
    /// The number of the conversation; 0 where the packet belongs to none.
    package var conversation: UInt64
    /// The packet, with the earlier fragments of its datagram: packets of that datagram and perhaps others lie between.
    package var packets: PacketRange
    /// It is a fragment that waits for the others of its datagram.
    package var isFragment = false
}

extension Dissector {
    /// The conversation of the packet that was taken last. A fragment that waits for others belongs to none yet. What the headers of other packets than
    /// the plainest say has to have been noted (`notesSegments`).
    ///
    /// A packet that may begin another connection counts as one of the old connection until something bears it out: `opened` names the packet
    /// then.
    package func owner(of packet: borrowing CapturedPacket) -> PacketOwner {
        let none = PacketOwner(conversation: 0, packets: PacketRange(packet.number), isFragment: notedFragment == packet.number)
        if let plain = PlainSegment(packet) { return owner(of: plain.header(of: packet)) ?? none }
        guard let header = notedSegment, header.place.packets?.highest == packet.number else { return none }
        return owner(of: header) ?? none
    }

    private func owner(of header: SegmentHeader) -> PacketOwner? {
        let (key, sourceIsLower) = FlowKey.make(header)
        var index = flows.find(key, hash: flows.hash(of: key))
        if index == FlowTable.none { index = twins.slot(for: key, header, sourceIsLower: sourceIsLower, in: flows) }
        guard index != FlowTable.none, let packets = header.place.packets else { return nil }
        return PacketOwner(conversation: conversation(at: index), packets: packets)
    }

    /// The number of the conversation at a place of the table, open or lately closed.
    private func conversation(at index: Int32) -> UInt64 {
        switch flows.slots[Int(index)].state {
        case .quiet(let connection): connection.number
        case .remnant(let remnant): remnant.conversation
        case .none: flows.entries[Int(index)]?.flow.conversation.context.number ?? 0
        }
    }
}
