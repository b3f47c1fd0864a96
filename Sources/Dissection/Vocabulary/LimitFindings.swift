/// What was given up to stay within `Limits`.
extension FindingRow {
    package static let assemblyCut = FindingRow(
        id: "limits.assembly-cut", severity: .note, reference: "",
        detail: "a message or body under assembly was cut to stay within the memory limit",
        explanation: """
            All conversations together held more than the memory limit allows, so the largest element that was being put \
            together lost the bytes that were kept of it. Its record says `truncated` and has its true length.
            """)

    /// The rows of this file.
    package static let limitRows: [FindingRow] = [assemblyCut]
}
