/// What is wrong between requests and answers.
extension FindingRow {
    package static let httpResponseUnasked = FindingRow(
        id: "http.response-unasked", severity: .violation, reference: "RFC 9112 9.2",
        detail: "a response without a request",
        explanation: """
            A client takes it for the response to its next request, or closes the connection.
            """, zeekName: "unmatched_HTTP_reply")

    package static let httpRequestUnanswered = FindingRow(
        id: "http.request-unanswered", severity: .note, reference: "",
        detail: "requests without a response: {a}",
        explanation: """
            The server closed the connection, or the capture ends before it responded.
            """)

    package static let httpTLSAlert = FindingRow(
        id: "http.tls-alert", severity: .warning, reference: "RFC 8446 6",
        detail: "the server sent a TLS alert instead of an HTTP response",
        explanation: """
            The port speaks TLS, and the client sent a request in plaintext: it was given http: or ws: instead of https: or wss:, \
            or the wrong port.
            """)

    package static let httpPendingLimit = FindingRow(
        id: "http.pending-limit", severity: .note, reference: "",
        detail: "{a} requests are waiting for a response",
        explanation: """
            More are read, but no longer matched to their responses.
            """, zeekName: "HTTP_excessive_pipelining")

    package static let httpBytesAfterClose = FindingRow(
        id: "http.bytes-after-close", severity: .violation, reference: "RFC 9112 9.6",
        detail: "unexpected bytes after a message with Connection: close",
        explanation: """
            A receiver does not have to read them.
            """)

    package static let httpInformationalTo10 = FindingRow(
        id: "http.informational-to-1.0", severity: .violation, reference: "RFC 9110 15.2",
        detail: "{a} response to an HTTP/1.0 client",
        explanation: """
            A client of HTTP/1.0 takes it for the final response.
            """)

    package static let httpChallengeMissing = FindingRow(
        id: "http.challenge-missing", severity: .violation, reference: "RFC 9110 15.5",
        detail: "{a} response without a challenge",
        explanation: """
            401 needs WWW-Authenticate and 407 needs Proxy-Authenticate: the client does not know how to log in.
            """)

    package static let httpAllowMissing = FindingRow(
        id: "http.allow-missing", severity: .violation, reference: "RFC 9110 15.5.6",
        detail: "405 response without an Allow header",
        explanation: "")

    package static let httpContentRangeMissing = FindingRow(
        id: "http.content-range-missing", severity: .violation, reference: "RFC 9110 15.3.7",
        detail: "206 response without a Content-Range header",
        explanation: """
            The client does not know which part it got. Several parts come as multipart/byteranges instead.
            """)

    package static let httpUpgradeWithoutConnection = FindingRow(
        id: "http.upgrade-without-connection", severity: .violation, reference: "RFC 9110 7.8",
        detail: "an Upgrade header without Connection: upgrade",
        explanation: """
            A proxy that follows the rules passes Upgrade on, although it is meant for one connection only; a server \
            may ignore it.
            """)

    package static let httpUpgradeIn10 = FindingRow(
        id: "http.upgrade-in-1.0", severity: .warning, reference: "RFC 9110 7.8",
        detail: "Upgrade in an HTTP/1.0 request",
        explanation: """
            A server ignores it.
            """)

    package static let httpSwitchingUnasked = FindingRow(
        id: "http.switching-unasked", severity: .violation, reference: "RFC 9110 7.8",
        detail: "101 response to a request that did not ask for an upgrade",
        explanation: "")

    package static let httpSwitchingWithoutUpgrade = FindingRow(
        id: "http.switching-without-upgrade", severity: .violation, reference: "RFC 9110 15.2.2",
        detail: "101 response without an Upgrade header",
        explanation: """
            Which protocol follows is not said.
            """)

    package static let httpSwitchingElsewhere = FindingRow(
        id: "http.switching-elsewhere", severity: .violation, reference: "RFC 9110 7.8",
        detail: "the server switches to {text}, which was not offered",
        explanation: "")

    package static let httpUpgradeRequiredMissing = FindingRow(
        id: "http.upgrade-required-missing", severity: .violation, reference: "RFC 9110 15.5.22",
        detail: "426 response without an Upgrade header",
        explanation: """
            The client does not know which protocol it has to use.
            """)

    /// The rows of this file.
    static let http1ExchangeRows: [FindingRow] = [
        .httpResponseUnasked, .httpRequestUnanswered, .httpTLSAlert, .httpPendingLimit, .httpBytesAfterClose, .httpInformationalTo10,
        .httpChallengeMissing, .httpAllowMissing, .httpContentRangeMissing, .httpUpgradeWithoutConnection,
        .httpUpgradeIn10, .httpSwitchingUnasked, .httpSwitchingWithoutUpgrade, .httpSwitchingElsewhere,
        .httpUpgradeRequiredMissing,
    ]
}
