import Dissection

/// Findings that come after their conversation has closed.
enum LateFinding {
    /// Rows of closed conversations among which that of one is looked for: the dissector keeps no more of them in mind.
    static let mostRows = 4_096
}

extension ConversationEvent {
    /// What it finds of a conversation that has closed, whose `closed` went before it; nil for every other event. Nothing that remembers open
    /// conversations begins one for it.
    var lateFinding: Finding? {
        guard kind == .finding, conversation != 0, case .finding(let finding) = fact else { return nil }
        return finding.row.isAfterClose ? finding : nil
    }
}

extension FindingRow {
    fileprivate var isAfterClose: Bool {
        let late = FindingRow.tcpDataAfterClose.idText
        return idText.utf8CodeUnitCount == late.utf8CodeUnitCount && id == late.description
    }
}
