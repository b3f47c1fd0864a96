import Dissection

/// What a run amounts to of which a log tells, as its records are counted.
struct LoggedRun {
    /// As the log numbers them; 0 where there was none.
    private(set) var highestConversation: UInt64 = 0
    private(set) var highestPacket: UInt64 = 0
    private var lowestConversation = UInt64.max
    private var lowestPacket = UInt64.max
    private var seen = SeenNumbers()
    /// A conversation came without its `opened`.
    private var hasUnopened = false
    private var counted = Totals()

    /// Whether the run had a conversation of this number.
    func has(_ number: UInt64) -> Bool { seen.contains(number) }

    /// As far as was counted.
    var totals: Totals {
        var totals = counted
        // Before the first packet that a conversation names there may have been others, unless the log begins later.
        let isFromStart = !hasUnopened && lowestConversation <= 1
        totals.packets = isFromStart || highestPacket == 0 ? highestPacket : highestPacket - lowestPacket + 1
        return totals
    }

    /// - Parameters:
    ///   - number: of the conversation in the log; 0 where the record has none.
    ///   - isNew: the conversation was not open before.
    ///   - packets: of the record, as they are numbered on after `base`.
    mutating func note(_ fact: Fact, of number: UInt64, isNew: Bool, packets: PacketRange?, after base: UInt64) {
        if number > 0 {
            highestConversation = max(highestConversation, number)
            lowestConversation = min(lowestConversation, number)
            seen.insert(number)
            switch fact {
            // It may concern one that has closed.
            case .finding: break
            case .opened: counted.conversations &+= 1
            case _ where isNew:
                counted.conversations &+= 1
                hasUnopened = true
            case _: break
            }
        }
        if let packets {
            highestPacket = max(highestPacket, packets.highest - min(base, packets.highest))
            lowestPacket = min(lowestPacket, packets.lowest - min(base, packets.lowest))
        }
        switch fact {
        case .message: counted.messages &+= 1
        case .finding: counted.findings &+= 1
        case .closed(let closing):
            counted.bytes = counted.bytes.clampedSum(closing.client.bytes).clampedSum(closing.server.bytes)
        case _: return
        }
    }

    /// What an `end` says; as far as was counted where it does not.
    func said(by end: JSONValue) -> Totals {
        let counted = totals
        var said = Totals()
        said.packets = end["packets"]?.unsigned ?? counted.packets
        said.conversations = end["conversations"]?.unsigned ?? counted.conversations
        said.ignored = end["ignored"]?.unsigned ?? 0
        said.messages = end["messages"]?.unsigned ?? counted.messages
        said.findings = end["findings"]?.unsigned ?? counted.findings
        said.bytes = end["bytes"]?.unsigned ?? counted.bytes
        guard let skipped = end["skipped"], case .object(let members) = skipped else { return said }
        for (index, reason) in SkipReason.allCases.enumerated() {
            said.skipped[index] = members.first { String(decoding: $0.name, as: UTF8.self) == reason.rawValue }?.value.unsigned ?? 0
        }
        return said
    }

    /// Whether the log has a part only of the conversations that its `end` counts: it is one file of several, or somebody picked from it. A log
    /// that has none at all holds the totals alone.
    func isPart(of said: Totals) -> Bool {
        counted.conversations > 0 && (hasUnopened || counted.conversations.clampedSum(said.ignored) < said.conversations)
    }
}
