import Dissection
import Reports

/// What `finding` has.
enum FindingField: String, CaseIterable, Sendable {
    case id, severity, reference, detail, latin1

    func visit(_ event: borrowing ConversationEvent, _ finding: Finding, _ take: ValueVisitor) -> Bool {
        switch self {
        case .id: take(.text(finding.row.idText.bytes))
        case .severity: hand(finding.row.severity.word, finding.row.severity.rawValue, take)
        case .reference: finding.row.referenceText.utf8CodeUnitCount == 0 ? false : take(.text(finding.row.referenceText.bytes))
        case .detail: hand(made: finding.sentence(about: event.content), take)
        case .latin1: handFlag(finding.names(event.content), take)
        }
    }
}

extension Finding {
    /// Whether the sentence names text that is no UTF-8.
    fileprivate func names(_ content: RawSpan) -> Bool {
        guard !content.isUTF8 else { return false }
        return isWorded || row.detail.contains("{text}")
    }
}
