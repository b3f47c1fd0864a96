import Dissection

/// Where a log ended whose run may go on in the next one: a proxy's log is rotated (SIGHUP), and the next file says `"continued":true`.
struct LoggedPart {
    /// What the log says that it was made of.
    let source: CaptureSource?
    /// What the numbers of the log are counted on from.
    let before: (conversations: UInt64, packets: UInt64)
    /// What those of its last run are.
    let conversations: UInt64
    let packets: UInt64
    let ended: Totals
    let run: LoggedRun
    /// What the log's numbers amount to.
    let numbers: Totals
    /// What the logs before it amount to.
    let allLogs: LogTotals

    /// Whether the next log follows at once, with these numbers before it.
    func isFollowed(by next: (conversations: UInt64, packets: UInt64)) -> Bool {
        before.conversations.clampedSum(numbers.conversations) == next.conversations
            && before.packets.clampedSum(numbers.packets) == next.packets
    }

    /// Whether the log is of the same proxy.
    func isOf(_ other: CaptureSource) -> Bool { source?.name == other.name && source?.kind == other.kind }
}
