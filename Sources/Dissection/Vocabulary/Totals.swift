/// What a whole run amounted to: the log's `end` record.
public struct Totals: Sendable {
    public var packets: UInt64 = 0
    public var conversations: UInt64 = 0
    /// Those of them that were left out because the user does not want to see them.
    public var ignored: UInt64 = 0
    public var messages: UInt64 = 0
    public var findings: UInt64 = 0
    /// Captured bytes of packets.
    public var bytes: UInt64 = 0
    /// Packets with nothing for TCP, in the order of `SkipReason.allCases`.
    public var skipped: [UInt64] = Array(repeating: 0, count: SkipReason.allCases.count)

    public init() {}
}

extension Totals {
    /// Adds those of another part of a run.
    public mutating func add(_ other: Totals) {
        packets &+= other.packets
        conversations &+= other.conversations
        messages &+= other.messages
        findings &+= other.findings
        bytes &+= other.bytes
        for index in skipped.indices where index < other.skipped.count { skipped[index] &+= other.skipped[index] }
    }
}
