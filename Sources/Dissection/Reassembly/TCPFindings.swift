/// What can be found about a TCP connection itself (RFC 9293).
extension FindingRow {
    package static let tcpOverlapConflict = FindingRow(
        id: "tcp.overlap-conflict", severity: .violation, reference: "RFC 9293 3.10.7.4",
        detail: "the same stream bytes were sent twice with different content, first difference at offset {a}; the first are shown",
        explanation: """
            A segment repeats bytes that were already sent, but says something else. The receiver keeps one of the two and \
            nobody outside can know which. Seen with injected packets (a middlebox or an attacker answering before the \
            server), with broken offload, and in tests of intrusion detection.
            """,
        zeekName: "rexmit_inconsistency")

    package static let tcpDataAfterFin = FindingRow(
        id: "tcp.data-after-fin", severity: .violation, reference: "RFC 9293 3.10.4",
        detail: "{a} bytes were sent behind the FIN; they are left out",
        explanation: "A side that sent FIN has said that nothing follows. A receiver drops such bytes.")

    package static let tcpResetOutsideWindow = FindingRow(
        id: "tcp.reset-outside-window", severity: .note, reference: "RFC 9293 3.10.7.4",
        detail: "a RST whose sequence number lies {a} bytes from the next expected one; a receiver ignores it, and so do we",
        explanation: "An injected RST, or one that belongs to an earlier connection between the same ports.")

    package static let tcpZeroWindow = FindingRow(
        id: "tcp.zero-window", severity: .note, reference: "RFC 9293 3.8.6",
        detail: "the receive window closed: the other side has to stop sending until it opens",
        explanation: """
            The program on this side does not read fast enough, so its kernel's buffer is full. What looks like a slow \
            network is a slow reader. Told once each time the window closes.
            """)

    package static let tcpPortReused = FindingRow(
        id: "tcp.port-reused", severity: .note, reference: "RFC 9293 3.6.1",
        detail: "a new connection between the same ports begins; the end of this one was not seen",
        explanation: "The close was not captured, or one of the hosts forgot the connection (a reboot, a NAT that timed out).",
        zeekName: "SYN_inside_connection")

    package static let tcpSimultaneousOpen = FindingRow(
        id: "tcp.simultaneous-open", severity: .note, reference: "RFC 9293 3.5",
        detail: "both sides sent a SYN of their own; the first is taken for the client",
        explanation: "Legal and rare: hole punching, or two programs that dial each other from fixed ports.")

    package static let tcpBeforeBeginning = FindingRow(
        id: "tcp.before-beginning", severity: .note, reference: "",
        detail: "{a} bytes came that lie before the first byte seen; they are left out",
        explanation: """
            The capture has no beginning of this connection, and a segment from before its first one came late: sent again, or \
            out of order at the very start. Told once a direction.
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
        tcpOverlapConflict, tcpDataAfterFin, tcpResetOutsideWindow, tcpZeroWindow, tcpPortReused, tcpSimultaneousOpen,
        tcpBeforeBeginning, tcpProxyHeader,
    ]
}
