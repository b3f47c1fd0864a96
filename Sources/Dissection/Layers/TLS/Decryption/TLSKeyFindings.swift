/// What can be found about TLS where there are keys.
extension FindingRow {
    package static let tlsRecordNotAuthentic = FindingRow(
        id: "tls.record-not-authentic", severity: .warning, reference: "RFC 8446 5.2",
        detail: "a record of {a} {a|byte|bytes} that the keys of its session do not open",
        explanation: """
            Its tag, or its MAC or padding, is wrong. Either it was changed on its way, and the receiver ends the connection with the alert \
            "bad record mac"; or the key log has another session's secret for this one; or packets are missing without a trace. Where packets \
            are known to be missing before it, `tls.record-sealed` says so instead. The record is told by type and size, and its content is a gap in what is inside.
            """)

    package static let tlsRecordSealed = FindingRow(
        id: "tls.record-sealed", severity: .note, reference: "",
        detail: "a record stays sealed, although there are keys for the session: {text}",
        explanation: """
            Told once for each side. Where records were lost, keys may have changed in them (a renegotiation up to TLS 1.2, whose hellos say \
            which secret holds), or more are missing than are searched for. Key logs that begin late, or that were cut, lack some of the secrets of a session: TLS 1.3 has one for \
            each side of the handshake, and one for each side of what follows it.
            """)

    package static let tlsKeyAwaited = FindingRow(
        id: "tls.key-awaited", severity: .note, reference: "",
        detail: "{a} {a|byte|bytes} waited for a key that did not come in time",
        explanation: """
            While a key log may still grow, a session whose secrets are not known yet waits for them, for at most two seconds and 64 KiB. What \
            waited is then told sealed, as without keys. Secrets that come later open what follows them.
            """)

    package static let tlsSecretsUnfit = FindingRow(
        id: "tls.secrets-unfit", severity: .note, reference: "",
        detail: "the keys have secrets for this connection that do not open its records",
        explanation: """
            Reported once, with the first record that the keys should open and do not, although nothing is missing before it. The secrets are \
            probably those of another connection, such as the other leg of a proxy, or a line of the key log was changed. A record that was \
            changed on its way looks the same; the receiver then ends the connection with the alert "bad record mac".
            """)

    package static let tlsEarlyData = FindingRow(
        id: "tls.early-data", severity: .note, reference: "RFC 8446 8",
        detail: "the client begins with early data (0-RTT), and the server took it",
        explanation: """
            A client that resumes a session may send a request with its first hello. An attacker who recorded it can send it once more, and the \
            server may take it again: early data is safe only for requests that change nothing, such as GET. It is shown like what follows it.
            """)

    package static let tlsEarlyDataRefused = FindingRow(
        id: "tls.early-data-refused", severity: .note, reference: "RFC 8446 4.2.10",
        detail: "the server did not take {a} {a|byte|bytes} of early data",
        explanation: """
            A client that resumes a session may send its request with its first hello. A server need not take it: it passes such records over, \
            and the client sends the same once more. They are told by type and size, not as a request of their own.
            """)

    /// The rows of this file.
    static let keyRows: [FindingRow] = [
        tlsRecordNotAuthentic, tlsRecordSealed, tlsSecretsUnfit, tlsKeyAwaited, tlsEarlyData, tlsEarlyDataRefused,
    ]
}
