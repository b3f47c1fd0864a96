/// What can be found about a TCP connection itself (RFC 9293).
extension FindingRow {
    package static let tcpOverlapConflict = FindingRow(
        id: "tcp.overlap-conflict", severity: .violation, reference: "RFC 9293 3.10.7.4",
        detail: "the same stream bytes were sent twice with different content, first difference at offset {a}; the first are shown",
        explanation: """
            A segment repeats bytes that were already sent, but says something else. The receiver keeps one of the two and \
            an observer cannot know which. What the other side has acknowledged is not compared: a later copy changes nothing \
            there. Seen with injected packets (a middlebox or an attacker responding before the \
            server), with broken offload, and in tests of intrusion detection. What this side says from there on may be somebody \
            else's words, so no other rule is held against it.
            """,
        zeekName: "rexmit_inconsistency")

    package static let tcpDataAfterFin = FindingRow(
        id: "tcp.data-after-fin", severity: .note, reference: "RFC 9293 3.10.7.4",
        detail: "{a} {a|byte|bytes} in the place of the FIN or after it: shown as data, and not read",
        explanation: """
            A side that sent FIN has said that nothing follows, and a receiver drops such bytes; or the FIN was not its own. Reported \
            for bytes after a FIN that the other side has acknowledged or answered with its own, or that nothing contradicts but one \
            segment; with more the FIN itself is ignored: tcp.fin-ignored. The bytes stand in a record behind the end.
            """)

    package static let tcpResetIgnored = FindingRow(
        id: "tcp.reset-outside-window", severity: .note, reference: "RFC 5961 3.2",
        detail: "a RST whose sequence number is {a} {a|byte|bytes} away from the expected one; a receiver ignores it, and so does Unmask",
        explanation: """
            An injected RST, or one that belongs to an earlier connection between the same ports. A RST in the window that is \
            not exact is held until its side goes on, which refutes it; where nothing more comes, it was the end.
            """)

    package static let tcpResetData = FindingRow(
        id: "tcp.reset-data", severity: .note, reference: "RFC 9293 3.5.3",
        detail: "a RST carries {a} {a|byte; it is|bytes; they are} not part of the stream and {a|is|are} left out",
        explanation: "Some systems put a sentence for people into a RST (RFC 1122 4.2.2.12), and so do injected ones.")

    package static let tcpSynIgnored = FindingRow(
        id: "tcp.syn-ignored", severity: .note, reference: "RFC 5961 4.2",
        detail: "a SYN whose sequence number is {a} away from this connection's; no other packet confirms it, and it is ignored",
        explanation: """
            A receiver answers such a SYN with an acknowledgement of what it has, and goes on. It was injected, or belongs to \
            another connection between the same ports: a capture on both sides of a device that changes sequence numbers has \
            each connection twice. Also reported of one of two answers to the same SYN, once it is clear which one the client took.
            """)

    package static let tcpSegmentIgnored = FindingRow(
        id: "tcp.segment-ignored", severity: .warning, reference: "RFC 9293 3.10.7.4",
        detail:
            "a segment of {a} {a|byte|bytes}, {b} {b|byte|bytes} away from the expected sequence number; no receiver accepts it, and it is left out",
        explanation: """
            It lies outside the window, acknowledges what was never sent, or lies behind the FIN that came later, and no other packet \
            bears it out. A receiver drops it. It was injected, damaged, or belongs to another connection between the same ports. Its bytes stand in no record.
            """)

    package static let tcpAckIgnored = FindingRow(
        id: "tcp.ack-ignored", severity: .note, reference: "RFC 9293 3.10.7.4",
        detail: "{a} {a|byte|bytes} beyond everything seen {a|is|are} acknowledged; no other packet confirms this, and it is ignored",
        explanation: """
            Bytes may have been sent that the capture lacks, or the packet was injected. With a second packet that says the same \
            the bytes count as missing.
            """)

    package static let tcpFinIgnored = FindingRow(
        id: "tcp.fin-ignored", severity: .note, reference: "RFC 9293 3.10.7.4",
        detail: "a FIN whose sequence number is {a} {a|byte|bytes} away from the end of its side's data; it is ignored",
        explanation: """
            The side went on sending at and after the number of this FIN, or ended elsewhere: the FIN was not its own. A FIN that \
            is the next in order is held until the other side acknowledges it or ends as well. Where it acknowledges bytes after \
            the FIN instead, or where two segments in sequence follow, the bytes are shown and the FIN is ignored. Nothing can be \
            held where only one side was captured.
            """)

    package static let tcpJumpFollowed = FindingRow(
        id: "tcp.jump-followed", severity: .note, reference: "",
        detail: "the stream goes on {a} {a|byte|bytes} ahead, further than the window reaches; later packets confirm it",
        explanation: """
            Packets that far ahead are ignored where the stream goes on at the place that was expected; here the other side \
            acknowledges them, or nothing more comes but what goes on from them. Most often the capture lacks a long part of the connection, which is reported as a gap.
            """)

    package static let tcpAckPadding = FindingRow(
        id: "tcp.ack-padding", severity: .note, reference: "",
        detail: "acknowledgements have {a} {a|zero|zeros} that their headers count as payload; these and later ones are left out",
        explanation: """
            Something on the way filled a bare acknowledgement up to the least length of a frame and put the filling inside the IP \
            packet. The bytes that follow begin at the same number, so the zeros were never part of the stream. Zeros that come last \
            and that nothing follows are left out as well once this was seen, and are `connection.doubtful-bytes` otherwise. Reported \
            once for each direction.
            """)

    package static let tcpBeforeSyn = FindingRow(
        id: "tcp.before-syn", severity: .violation, reference: "RFC 9293 3.4",
        detail: "{a} {a|byte is|bytes are} numbered from the SYN or before it, where no byte can be; {a|it is|they are} left out",
        explanation: """
            The SYN takes the first number, and the first byte the next one. A segment that begins on the SYN's number loses its \
            first byte at the receiver. Seen with traffic that a program made up. What follows lacks its beginning then, so nothing else that \
            its side sends is reported as a violation.
            """)

    package static let tcpDataAfterClose = FindingRow(
        id: "tcp.data-after-close", severity: .note, reference: "RFC 9293 3.10.7.1",
        detail: "{a} {a|byte|bytes} in {b} {b|packet|packets} came after this conversation had closed; no record has {a|it|them}",
        explanation: """
            What one side went on sending because the RST was not its peer's, or what was captured very late. Reported when nothing more \
            can come, so after `closed`. Bytes sent again are not counted. What comes within a second of a RST, because it was on its way, \
            is no finding: it is a record `data` with `afterClose`.
            """,
        zeekName: "data_after_reset")

    package static let tcpDataAfterGap = FindingRow(
        id: "tcp.data-after-gap", severity: .note, reference: "",
        detail:
            "{a} {a|byte|bytes} in {b} {b|packet|packets} came after {a|it|they} had been reported as missing; no record has {a|it|them}",
        explanation: """
            The other side had acknowledged them, and so they were reported as a gap when a few more packets of the connection had \
            come without them; or more waited for them than is kept. A capture that has packets in another order than they were \
            sent does that. Reported at the end of the conversation, with the place of the first of these bytes. Each byte is counted \
            once.
            """)

    package static let tcpZeroWindow = FindingRow(
        id: "tcp.zero-window", severity: .note, reference: "RFC 9293 3.8.6",
        detail: "the receive window closed: the other side has to stop sending until it opens",
        explanation: """
            The program on this side does not read fast enough, so its kernel's buffer is full. What looks like a slow \
            network is a slow reader. Reported once each time the window closes.
            """)

    package static let tcpPortReused = FindingRow(
        id: "tcp.port-reused", severity: .note, reference: "RFC 9293 3.5.1",
        detail: "a new connection between the same ports begins; the end of this one was not seen",
        explanation: """
            The close was not captured, or one of the hosts forgot the connection (a reboot, a NAT that timed out). A SYN of the \
            client says so, or the server's answer to one that was not captured; either, and both together, only with a later packet \
            that goes on from them, or as the last that come.
            """,
        zeekName: "SYN_inside_connection")

    package static let tcpSimultaneousOpen = FindingRow(
        id: "tcp.simultaneous-open", severity: .note, reference: "RFC 9293 3.5",
        detail: "both sides sent a SYN of their own; the first is taken for the client",
        explanation: "Legal and rare: hole punching, or two programs that dial each other from fixed ports.")

    package static let tcpBeforeBeginning = FindingRow(
        id: "tcp.before-beginning", severity: .note, reference: "",
        detail: "{a} {a|byte|bytes} came that {a|lies|lie} before the first byte seen; {a|it is|they are} left out",
        explanation: """
            The capture has no beginning of this connection, and a segment from before its first one came late: sent again, or \
            out of order at the very start. Reported once for each direction.
            """)

    package static let tcpProxyHeader = FindingRow(
        id: "tcp.proxy-protocol", severity: .note, reference: "proxy-protocol.txt 2",
        detail: "PROXY protocol version {a}: {text}",
        explanation: """
            A load balancer or proxy opened this connection and named the client that it speaks for, and the address that \
            the client asked for, in a header before the client's bytes. Without addresses it speaks for itself, such as for a \
            health check. The header itself is shown as `data`.
            """)

    /// The rows of this file.
    package static let tcpRows: [FindingRow] = [
        tcpOverlapConflict, tcpDataAfterFin, tcpResetIgnored, tcpResetData, tcpSynIgnored, tcpSegmentIgnored, tcpAckIgnored,
        tcpFinIgnored, tcpJumpFollowed, tcpAckPadding, tcpZeroWindow, tcpPortReused, tcpSimultaneousOpen, tcpBeforeBeginning,
        tcpBeforeSyn, tcpDataAfterClose, tcpDataAfterGap, tcpProxyHeader,
    ]
}
