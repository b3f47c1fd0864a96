/// What can be found about the input itself; such a finding belongs to no conversation.
extension FindingRow {
    package static let linkTypeUnknown = FindingRow(
        id: "capture.link-type-unknown", severity: .warning, reference: "",
        detail: "packets of link type {a} are not understood and are left out",
        explanation: """
            The number is a LINKTYPE_ of the registry at tcpdump.org. Told once for each link type; the packets are \
            counted in the last record under `linkType`.
            """)

    package static let fragmentConflict = FindingRow(
        id: "capture.fragment-conflict", severity: .violation, reference: "RFC 5722 4",
        detail: "two fragments of one IPv{b} datagram overlap and differ, first at byte {a} of the datagram",
        explanation: """
            Nobody outside can know which of the two the receiver took, so this is how something is carried past a device \
            that watches. An IPv6 datagram of that kind is thrown away whole, as the RFC wants it. For IPv4 no document says \
            what to do, and systems differ: the bytes that came first are read. Told once a datagram.
            """)

    /// The rows of this file.
    package static let inputRows: [FindingRow] = [linkTypeUnknown, fragmentConflict]
}
