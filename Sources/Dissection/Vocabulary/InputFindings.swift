/// What can be found about the input itself; such a finding belongs to no conversation.
extension FindingRow {
    package static let linkTypeUnknown = FindingRow(
        id: "capture.link-type-unknown", severity: .warning, reference: "",
        detail: "packets of link type {a} are not understood and are left out",
        explanation: """
            The number is a LINKTYPE_ of the registry at tcpdump.org. Reported once for each link type; the packets are \
            counted in the last record under `linkType`.
            """)

    package static let fragmentConflict = FindingRow(
        id: "capture.fragment-conflict", severity: .violation, reference: "RFC 5722 4",
        detail: "two fragments of one IPv{b} datagram overlap and differ, first at byte {a} of the datagram",
        explanation: """
            An observer cannot know which of the two the receiver took, so this is how something is carried past a device \
            that watches. An IPv6 datagram of that kind is thrown away whole, as the RFC wants it. For IPv4 no document says \
            what to do, and systems differ: the bytes that came first are read. Reported once for each datagram.
            """)

    package static let fragmentsMissing = FindingRow(
        id: "capture.fragments-missing", severity: .note, reference: "RFC 791 3.2",
        detail: "fragments of incomplete IP datagrams, left out: {a}",
        explanation: """
            Others of the same datagrams are not in the capture, or too many waited at once. Whether they carried TCP is unknown: only \
            the first fragment of a datagram says so. Reported once, at the end; they are counted in the last record under `fragment`.
            """)

    package static let capturePacketsDropped = FindingRow(
        id: "capture.packets-dropped", severity: .warning, reference: "draft-ietf-opsawg-pcapng 4.6",
        detail: "while this was captured, {a} {a|packet was|packets were} dropped by the system and {b} by the interface",
        explanation: """
            The capture says so itself, in the statistics of an interface. What those packets carried is missing: look for gaps, and for \
            conversations without a beginning or an end. A larger buffer, a filter or a smaller snapshot length leaves the system less to drop.
            """)

    package static let captureComment = FindingRow(
        id: "capture.comment", severity: .note, reference: "draft-ietf-opsawg-pcapng 3.5",
        detail: "comment: {text}",
        explanation: """
            This was written into the capture: about the packet that is named, or about the capture as a whole. What the proxy writes \
            into its own recordings is read back and not reported as a comment.
            """)

    package static let captureCommentCut = FindingRow(
        id: "capture.comment-cut", severity: .note, reference: "draft-ietf-opsawg-pcapng 3.5",
        detail: "the comment before this has {b} bytes; the first {a} are shown",
        explanation: "No more than 4,096 bytes are shown of one comment. All of it stands in the capture.")

    package static let captureCommentsUnread = FindingRow(
        id: "capture.comments-unread", severity: .note, reference: "draft-ietf-opsawg-pcapng 3.5",
        detail: "one packet of this recording has more than {b} comments by the proxy; {a} {a|is|are} not read",
        explanation: """
            In a recording of the proxy comments say what happened to the conversation of their packet, and the first 64 of one packet are \
            read. The proxy writes fewer, so somebody else wrote these. What the others say about TLS, findings and the close is missing from \
            the records.
            """)

    package static let captureTimesOmitted = FindingRow(
        id: "capture.times-omitted", severity: .warning, reference: "draft-ietf-opsawg-pcapng 4.3",
        detail: "{a} {a|packet has a time|packets have times} outside the years 1677 to 2262, and {a|is|are} shown without one",
        explanation: """
            Times are kept as nanoseconds since 1970 in 64 bits, which reach no further. Most often the capture names another \
            resolution for its times than its writer used. Reported once for each file, at its end.
            """)

    /// The rows of this file.
    package static let inputRows: [FindingRow] = [
        linkTypeUnknown, fragmentConflict, fragmentsMissing, capturePacketsDropped, captureComment, captureCommentCut, captureTimesOmitted,
        captureCommentsUnread,
    ]
}
