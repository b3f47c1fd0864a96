/// Finds the connection of a segment that comes by another virtual network than the other direction.
///
/// A mirrored port on the path between two VLANs shows what one side sends with the tag of one and what the other side
/// sends with the tag of the other. A segment of a direction that was not seen yet therefore also fits a connection
/// between the same ends in another scope, if it acknowledges what was sent there. A connection that is seen twice, once
/// in each scope, stays two: there each scope has its own SYN or its own first segment of that direction.
struct ScopeTwins: Sendable {
    /// Open or lately closed connections that were first seen in a scope, the last one between two ends.
    private var slots: [UInt64: Int32] = [:]
    private let bound: Int

    /// Bytes that an open or lately closed connection takes here; the place of each is found by the hash of its two ends.
    private static let bytesPerTwin = 48

    init(limits: Limits) { bound = max(1_024, min(limits.conversations, limits.totalBytes / 16 / ScopeTwins.bytesPerTwin)) }

    /// Bytes that this takes.
    var heldBytes: Int { slots.count * ScopeTwins.bytesPerTwin }

    mutating func note(_ key: FlowKey, at slot: Int32, in flows: borrowing FlowTable) {
        guard key.scope != 0 else { return }
        // Those that are forgotten here are at worst told as two connections of one direction each.
        if slots.count >= bound { slots.removeAll(keepingCapacity: true) }
        slots[flows.hash(of: key.withoutScope)] = slot
    }

    /// The connection whose other direction a segment with this key is, though the table has no such key.
    func slot(for key: FlowKey, _ header: borrowing SegmentHeader, sourceIsLower: Bool, in flows: borrowing FlowTable) -> Int32 {
        // Only an answer can join, so a SYN never does.
        guard header.flags.contains(.ack) else { return FlowTable.none }
        let bare = key.withoutScope
        let hash = flows.hash(of: bare)
        if let index = slots[hash], accepts(index, bare, header, sourceIsLower: sourceIsLower, in: flows) { return index }
        guard key.scope != 0 else { return FlowTable.none }
        let index = flows.find(bare, hash: hash)
        guard index != FlowTable.none, accepts(index, bare, header, sourceIsLower: sourceIsLower, in: flows) else { return FlowTable.none }
        return index
    }

    private func accepts(
        _ index: Int32, _ bare: FlowKey, _ header: borrowing SegmentHeader, sourceIsLower: Bool, in flows: borrowing FlowTable
    ) -> Bool {
        guard Int(index) < flows.slots.count, flows.slots[Int(index)].key.withoutScope == bare else { return false }
        if let quiet = flows.slots[Int(index)].quiet {
            guard quiet.firstIsLower != sourceIsLower else { return false }
            return quiet.isAnswered(by: header)
        }
        guard let entry = flows.entries[Int(index)], entry.firstIsLower != sourceIsLower else { return false }
        if let scope = entry.answerScope { return scope == header.scope }
        return entry.flow.isAnswered(by: header)
    }
}

extension FlowKey {
    /// The same ends in no virtual network.
    var withoutScope: FlowKey {
        FlowKey(lowHigh: lowHigh, lowLow: lowLow, highHigh: highHigh, highLow: highLow, ports: ports, scope: 0)
    }
}
