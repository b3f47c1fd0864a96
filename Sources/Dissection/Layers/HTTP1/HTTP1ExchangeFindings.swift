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

    package static let httpKeepAliveRace = FindingRow(
        id: "http.keep-alive-race", severity: .warning, reference: "RFC 9112 9.5",
        detail: "the server closed the connection without a response to request {a}, which came after {text} of silence",
        explanation: """
            The server's keep-alive timeout had probably passed, and the request crossed its FIN or reached a closed socket. Apps see \
            NSURLErrorDomain -1005 ("The network connection was lost"), ECONNRESET or "socket hang up". It is not a fault of this request: a client \
            may send it again on a new connection if that does no harm, and should keep connections for a shorter time than the server does. \
            Reported where a connection had served a request before, was silent for 1 s or longer, and was then closed before the server had received \
            the request, or was reset within 0.5 s after it. A first request, one without such a silence and a later RST may have \
            failed for another reason, and are reported as `http.request-unanswered`.
            """)

    package static let httpContinueMissing = FindingRow(
        id: "http.continue-missing", severity: .warning, reference: "RFC 9110 10.1.1",
        detail: "the client waited {text} for 100 Continue, then sent the body without it",
        explanation: """
            The request has Expect: 100-continue, and the server neither asked for the body nor refused it. curl waits 1 s with each such \
            request. The server, or a proxy before it, does not know the header; a client can leave it out (`curl -H Expect:`). Less than 0.5 s \
            is not reported: some clients send the body without waiting.
            """)

    package static let httpPreflightRefused = FindingRow(
        id: "http.preflight-refused", severity: .warning, reference: "Fetch 4.8",
        detail: "the server refused the CORS preflight for {text}",
        explanation: """
            Before a script of another origin may send such a request, a browser asks with OPTIONS, and needs a response with a status from 200 \
            to 299 and Access-Control-Allow-Origin. The script gets a network error, and the request itself is never sent. The origin has \
            to be allowed where the server handles CORS; often an OPTIONS without credentials is refused before that.
            """)

    package static let httpUpgradeLost = FindingRow(
        id: "http.upgrade-lost", severity: .warning, reference: "RFC 6455 4.2.1",
        detail: "the request has a Sec-WebSocket-Key header and no Upgrade header; {text}",
        explanation: """
            A client that sends the key requests a WebSocket, and sends Upgrade: websocket with it. Upgrade is meant for one connection, so a \
            proxy that does not know WebSockets removes it (SocketRocket issue 66), and the server takes the request for an ordinary one. \
            nginx sends HTTP/1.0 upstream and no Upgrade header unless it is told `proxy_http_version 1.1`, `proxy_set_header Upgrade $http_upgrade` \
            and `proxy_set_header Connection "upgrade"`.
            """)

    package static let httpEventUnterminated = FindingRow(
        id: "http.event-unterminated", severity: .warning, reference: "HTML 9.2.6",
        detail: "the stream ended inside an event, without the blank line after it",
        explanation: """
            A client of server-sent events dispatches an event at the blank line that ends it, and drops one that the end of the stream cuts. The \
            server has to send two line ends after the last line of each event; where it sends one, all that it sends is a single event that never ends.
            """)

    package static let httpTLSAlert = FindingRow(
        id: "http.tls-alert", severity: .warning, reference: "RFC 8446 6",
        detail: "the server sent a TLS alert instead of an HTTP response",
        explanation: """
            The port speaks TLS, and the client sent a request in plaintext, of HTTP/1 or HTTP/2: it was given http: or ws: instead of https: or \
            wss:, "plaintext" where it uses gRPC (grpc-java issue 4063), or the wrong port.
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
        .httpResponseUnasked, .httpRequestUnanswered, .httpKeepAliveRace, .httpContinueMissing, .httpPreflightRefused, .httpUpgradeLost,
        .httpEventUnterminated, .httpEventStreamType, .httpLengthInCharacters, .httpEngineIORefused,
        .httpEngineIOTooLarge, .httpSignalRRefused, .httpTLSAlert,
        .httpPendingLimit,
        .httpBytesAfterClose, .httpInformationalTo10,
        .httpChallengeMissing, .httpAllowMissing, .httpContentRangeMissing, .httpUpgradeWithoutConnection,
        .httpUpgradeIn10, .httpSwitchingUnasked, .httpSwitchingWithoutUpgrade, .httpSwitchingElsewhere,
        .httpUpgradeRequiredMissing,
    ]
}
