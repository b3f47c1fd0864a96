import Dissection

/// What the logs of a run amount to, beside what is dissected in the same run.
///
/// The dissector numbers its conversations and packets on after those of the logs. A log may be a part of what was recorded (one of the files of a
/// proxy that was told to begin a new one, or records that somebody picked), and then its numbers have gone further than it has conversations.
///
/// A log may claim anything: a sum that does not fit stays at the most that there is.
struct LogTotals: Sendable {
    private var amounts = Totals()
    /// What the dissector has counted for the sake of the numbers.
    private var numbered = Totals()

    /// Adds a log that was read to its end.
    mutating func add(_ log: Totals, numbers: Totals) {
        amounts.addClamped(log)
        numbered.addClamped(numbers)
    }

    /// The totals of a run.
    ///
    /// - Parameter dissected: what the dissector has counted, the numbers of the logs among it.
    func joined(with dissected: Totals) -> Totals {
        var totals = dissected
        totals.conversations -= min(numbered.conversations, totals.conversations)
        totals.packets -= min(numbered.packets, totals.packets)
        totals.addClamped(amounts)
        return totals
    }
}

extension Totals {
    /// Adds other totals, all of them.
    mutating func addClamped(_ other: Totals) {
        packets = packets.clampedSum(other.packets)
        conversations = conversations.clampedSum(other.conversations)
        ignored = ignored.clampedSum(other.ignored)
        messages = messages.clampedSum(other.messages)
        findings = findings.clampedSum(other.findings)
        bytes = bytes.clampedSum(other.bytes)
        for index in skipped.indices where index < other.skipped.count {
            skipped[index] = skipped[index].clampedSum(other.skipped[index])
        }
    }
}

extension UInt64 {
    /// The sum, or the largest number there is where it does not fit.
    func clampedSum(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
