/// What can be found about the input itself; such a finding belongs to no conversation.
extension FindingRow {
    package static let linkTypeUnknown = FindingRow(
        id: "capture.link-type-unknown", severity: .warning, reference: "",
        detail: "packets of link type {a} are not understood and are left out",
        explanation: """
            The number is a LINKTYPE_ of the registry at tcpdump.org. Told once for each link type; the packets are \
            counted in the last record under `linkType`.
            """)

    /// The rows of this file.
    package static let inputRows: [FindingRow] = [linkTypeUnknown]
}
