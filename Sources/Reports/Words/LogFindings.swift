import Dissection

/// What can be found about a log that is read again.
extension FindingRow {
    package static let recordFindingUnknown = FindingRow(
        id: "log.finding-unknown", severity: .note, reference: "",
        detail: "the log has a finding that this version does not know: {text}",
        explanation: """
            A log was read that another version of Unmask wrote. The id, the severity and the sentence of the finding are those of the log.
            """)

    /// The rows of this file.
    package static let logRows: [FindingRow] = [recordFindingUnknown]
}
