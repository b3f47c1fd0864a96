import Dissection

/// What the proxy has to say about itself: what it could not do, and what it changed because it was told to.
///
/// `{text}` is the reason in words, from the system, from TLS or from the peer.
extension FindingRow {
    package static let proxyConnectFailed = FindingRow(
        id: "proxy.connect-failed", severity: .warning, reference: "",
        detail: "the server could not be reached: {text}",
        explanation: """
            No connection to the server came about: its name has no address, nothing listens there, or it did not respond in time. The \
            client got an error in its own protocol, or was reset.
            """)

    package static let proxyTLSFailed = FindingRow(
        id: "proxy.tls-failed", severity: .warning, reference: "",
        detail: "TLS could not be established: {text}",
        explanation: """
            The handshake with the server or with the client failed; the text says with whom and why. Where the server's \
            certificate was not trusted, `--upstream-ca` adds an authority and `--insecure` goes without.
            """)

    package static let proxyCertificateUnverified = FindingRow(
        id: "proxy.certificate-unverified", severity: .note, reference: "",
        detail: "--insecure accepted a certificate that would have been refused: {text}",
        explanation: """
            The client sees the proxy's own certificate and cannot notice. That the server's CA is not trusted is not reported, since \
            that is what `--insecure` is for; weak keys and signatures, dates, names and purposes are.
            """)

    package static let proxyClientCertificateMissing = FindingRow(
        id: "proxy.client-certificate-missing", severity: .note, reference: "RFC 8446 4.3.2",
        detail: "the server {text} asked for a client certificate and got none; give one with --client-cert",
        explanation: """
            The proxy makes a TLS connection of its own to the server, and cannot show it the client's certificate, whose key it does not have. \
            A server that requires a certificate ends the connection then, or refuses the requests (400 “No required SSL certificate was sent” \
            of nginx, 403); one to which it is optional serves the client without. `--client-cert` gives the proxy a certificate. Reported \
            once a run for each server.
            """)

    package static let proxyClientRefusedCertificate = FindingRow(
        id: "proxy.client-refused-certificate", severity: .warning, reference: "RFC 8446 6.2",
        detail: "{text}",
        explanation: """
            A client that sends a TLS alert about the certificate does not trust the local CA, or pins the server's certificate. One \
            that closes the connection in the midst of the handshake may do so for the same reason; that is a guess, and is not made \
            where the same client has used TLS to the host before. One that closes right after the handshake without having sent anything \
            may do either too (OkHttp where it pins, programs with GnuTLS where they do not trust the CA); since browsers also close connections that they opened ahead of need, it is \
            reported at the third such connection in a row of one address to a host and port that no client has used yet, and not where the \
            server has sent the client data other than over HTTP/2, whose servers begin by themselves. `unmask ca` shows how to make a client trust the local CA; \
            `--passthrough` passes the host through without opening its TLS, and `--passthrough-on-failure` does so after these failures.
            """)

    package static let proxyHeaderRewritten = FindingRow(
        id: "proxy.header-rewritten", severity: .note, reference: "",
        detail: "the proxy changed the request: {text}",
        explanation: """
            The records show the bytes as their sender sent them, with `***` in place of the proxy's own password; the text has `***` \
            for a user and password in `Host`. The other side received them changed, because `--rewrite-host` or `--rewrite-origin` \
            asked for it or because RFC 9112 makes a proxy do so: `Host` has to agree with the URL, `Content-Length` beside \
            `Transfer-Encoding` and what is meant for the proxy are removed.
            """)

    package static let proxyHeaderKept = FindingRow(
        id: "proxy.header-kept", severity: .warning, reference: "",
        detail: "--rewrite-host or --rewrite-origin changes nothing from here on: {text}",
        explanation: """
            The proxy changes a request only where it can read the whole head, 64 KiB at most. What it cannot read is passed on as it \
            came, and so is all that follows on the connection.
            """)

    package static let proxyHostRefused = FindingRow(
        id: "proxy.host-refused", severity: .note, reference: "RFC 9110 7.4",
        detail: "the server may refuse requests that name the proxy: {text}",
        explanation: """
            In reverse mode the client's URL has the address of the proxy, and so have the `Host` and `Origin` that it sends. A \
            server that serves its own names alone, or checks where a page comes from, responds with 421, 403 or 404. Only 421 \
            says so; the others often have another cause. It is reported once a run for each upstream: at 421; at 403 whose \
            request has an `Origin` that names the proxy, before the server has taken one; at 404 to a WebSocket with such an \
            `Origin`, before it has taken any request; and at 403 and 404 where `Host` alone names the proxy, before the server \
            has taken such a request, unless `Host` and the upstream have the same name or both name this machine. An `Origin` of \
            a third site is what the server may refuse, and keeps 403 and 404 from being reported. `--rewrite-host` and \
            `--rewrite-origin` send the names of the server.
            """)

    package static let proxyUnaskedUpgrade = FindingRow(
        id: "proxy.unasked-upgrade", severity: .warning, reference: "RFC 9110 7.8",
        detail: "the server switched protocols (101) without an offer in a complete request: {text}",
        explanation: """
            The request had offered no upgrade, or its end had not come yet. A tunnel would take the client's next request, which \
            may be for another server and have passwords and cookies in it, to this server. So none is opened.
            """)

    package static let proxyExcessResponse = FindingRow(
        id: "proxy.excess-response", severity: .warning, reference: "RFC 9112 6.3",
        detail: "the server sent more than it was asked for: {text}",
        explanation: """
            Data came after the response to the last request: a second response, or the body of a response that has none. The \
            client could take it for the response of the next server that it asks on the same connection.
            """)

    package static let proxyResponseWithheld = FindingRow(
        id: "proxy.response-withheld", severity: .warning, reference: "RFC 9112 6.3",
        detail: "a response was not passed on, because clients may disagree about where it ends: {text}",
        explanation: """
            A plain request in http mode may be followed by one for another server on the same connection. Where the client sees the \
            end of a response before its real end, it takes the rest for the response of the next server. RFC 9112 has a proxy \
            respond with 502 in its place, and close the connections. In a tunnel and in the other modes such responses are passed on.
            """)

    package static let proxyRequestWithheld = FindingRow(
        id: "proxy.request-withheld", severity: .warning, reference: "",
        detail: "a request of the client was not sent to this server: {text}",
        explanation: """
            What followed on the client's connection would have gone to a server that it was not, or may not have been, meant \
            for; or it waited for the response to a request before it, which did not come; or TLS with the server had failed after \
            the proxy had opened a tunnel, and the proxy answered with 502 in place of the server. The connection was closed, so \
            that the client asks again on a new one.
            """)

    package static let proxyClientRefused = FindingRow(
        id: "proxy.client-refused", severity: .warning, reference: "",
        detail: "the client was refused: {text}",
        explanation: """
            The client reached the proxy, but no conversation with a server began, or no further one on the same connection: it \
            speaks another protocol than this listener, asks for something that the proxy does not do, or has not the right \
            password. The text has the proxy's response, and why.
            """)

    package static let proxyClientLeft = FindingRow(
        id: "proxy.client-left", severity: .note, reference: "",
        detail: "the client left before it had asked for a server: {text}",
        explanation: """
            Browsers open connections in advance, and port scanners and health checks only look whether a port is open.
            """)

    package static let proxyLoop = FindingRow(
        id: "proxy.loop", severity: .warning, reference: "RFC 9110 7.6.3",
        detail: "the proxy was asked to connect to itself: {text}",
        explanation: "It would have gone round for ever, so the connection was closed.")

    package static let proxyTimedOut = FindingRow(
        id: "proxy.timed-out", severity: .warning, reference: "",
        detail: "timed out after {text}",
        explanation: "Connecting, a TLS handshake and the first bytes have a limit of time; an idle conversation has none.")

    package static let proxyLimitReached = FindingRow(
        id: "proxy.limit-reached", severity: .warning, reference: "",
        detail: "the proxy closed the conversation because a limit was reached: {text}",
        explanation: "What a peer can make the proxy keep before a conversation is under way is bounded.")

    package static let proxyHelloCut = FindingRow(
        id: "proxy.hello-cut", severity: .note, reference: "",
        detail: "the proxy's ClientHello to the server could not repeat: {text}",
        explanation: """
            The proxy makes a TLS connection of its own to the server, with the name and the application protocols that the client asked \
            for. What its TLS library cannot say is left out, and the server may respond otherwise than it would have responded to the client. \
            Each thing that is left out is reported once a run, on the first connection that had it.
            """)

    package static let proxyTLSUnwrapped = FindingRow(
        id: "proxy.tls-unwrapped", severity: .note, reference: "",
        detail: "TLS is spoken on one side of the proxy only: {text}",
        explanation: """
            In reverse mode the scheme of the upstream URL says whether the proxy speaks TLS to the server (`wss`, `https`, `tls`) or not \
            (`ws`, `http`, `tcp`), and the client may do otherwise: the proxy then adds TLS or takes it away, and what fails without the \
            proxy works with it. Where that is not meant, change the scheme of the upstream or of the client's URL. It is reported once a \
            run for each upstream.
            """)

    package static let proxyHTTP2Withheld = FindingRow(
        id: "proxy.http2-withheld", severity: .note, reference: "RFC 7301 3.1",
        detail: "--http1 left HTTP/2 out of the TLS handshake: {text}",
        explanation: """
            With `--http1` the proxy offers the server what the client offered without `h2`, and selects the server's choice with the \
            client, so that the requests can be shown. A client that offers nothing but `h2` gets no answer to its offer, and many end the \
            connection then. HTTP/2 in plaintext is not agreed on in TLS, and is passed on.
            """)

    package static let proxyStrayBytes = FindingRow(
        id: "proxy.stray-bytes", severity: .warning, reference: "RFC 8446 6.1",
        detail: "the {text} sent TLS bytes after its close_notify; they are dropped",
        explanation: """
            After close_notify nothing of that side means anything, and the receiver ignores it. A client or server that goes on \
            to speak has closed too early, or takes close_notify for something else.
            """)

    package static let proxyShutDown = FindingRow(
        id: "proxy.shut-down", severity: .note, reference: "",
        detail: "the proxy ended the conversation because it was stopped: {text}",
        explanation: "Conversations that are open when the proxy is stopped have until the end of `--grace` to come to theirs.")

    package static let proxyOutOfFiles = FindingRow(
        id: "proxy.out-of-files", severity: .warning, reference: "",
        detail: "the proxy ran out of file descriptors and paused accepting: {text}",
        explanation: "Each conversation takes two. `ulimit -n` shows the limit, which the proxy raises as far as it may.")

    package static let proxyUrgentByte = FindingRow(
        id: "proxy.urgent-byte", severity: .note, reference: "RFC 9293 3.8.5",
        detail: "an urgent (out-of-band) byte was passed on as an ordinary byte at its place: {text}",
        explanation: """
            The proxy passes urgent bytes on as urgent where it relays TCP as it is. It cannot where the other side speaks TLS, or where \
            requests are rewritten on their way.
            """)

    package static let proxyRecordsLost = FindingRow(
        id: "proxy.records-lost", severity: .warning, reference: "",
        detail: "{a} {a|record is|records are} missing here, because {a|it|they} could not be written: {text}",
        explanation: """
            The disk was full, the reader of standard output went away, or it did not take them in time and `--lossy` or `--log` \
            does not let it hold up the conversations. These went on; what was said meanwhile is not in this output, but may be in \
            the file of `--log` or `-w`. Records come again from here on.
            """)

    package static let proxyPacketsLost = FindingRow(
        id: "proxy.packets-lost", severity: .warning, reference: "",
        detail: "{a} {a|packet is|packets are} missing in the recording, because {a|it|they} could not be written: {text}",
        explanation: """
            The disk was full, or the recording goes to a pipe whose reader went away or, with `--lossy`, did not take them in time. \
            The recording has gaps there.
            """)

    /// The rows of this file.
    package static let proxyRows: [FindingRow] = [
        proxyConnectFailed, proxyTLSFailed, proxyCertificateUnverified, proxyClientCertificateMissing, proxyClientRefusedCertificate,
        proxyHeaderRewritten,
        proxyHeaderKept, proxyHostRefused,
        proxyUnaskedUpgrade, proxyExcessResponse, proxyResponseWithheld, proxyRequestWithheld, proxyClientRefused,
        proxyClientLeft, proxyLoop, proxyTimedOut,
        proxyLimitReached, proxyHelloCut, proxyTLSUnwrapped,
        proxyHTTP2Withheld, proxyStrayBytes, proxyShutDown, proxyOutOfFiles, proxyUrgentByte,
        proxyRecordsLost,
        proxyPacketsLost,
    ]
}

extension Closing.Manner {
    /// The finding that says why a proxy ended a conversation in this manner.
    package var proxyRow: FindingRow? {
        switch self {
        case .connectFailed: .proxyConnectFailed
        case .tlsFailed: .proxyTLSFailed
        case .timeout: .proxyTimedOut
        case .limit: .proxyLimitReached
        case .shutdown: .proxyShutDown
        case .closeFrame, .fin, .reset, .endOfCapture, .evicted, .refused: nil
        }
    }
}
