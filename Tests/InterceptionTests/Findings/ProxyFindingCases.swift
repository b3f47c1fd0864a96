import NIOCore
import NIOEmbedded
import Support

extension ProxyFindingCase {
    /// About servers.
    static let serverCases = [
        ProxyFindingCase(
            "connect-failed", ["proxy.connect-failed: the server could not be reached: connection refused"],
            fires: {
                let port = try LoopbackListener().port
                return try ProxyRuns.proxied(["--upstream", "tcp://127.0.0.1:\(port)"]) {
                    _ = try LoopbackSocket(port: $0.port).receiveToTheEnd()
                }
            }, nearly: { try ProxyRuns.asked() }),
        ProxyFindingCase(
            "tls-failed",
            [
                "proxy.tls-failed: TLS could not be established: the server does not speak TLS on this port; the server sent “220 this is not TLS” in clear text"
            ],
            fires: {
                let listener = try LoopbackListener()
                return try ProxyRuns.proxied(["--upstream", "tls://localhost:\(listener.port)"]) { proxy in
                    let client = try LoopbackSocket(port: proxy.port)
                    try client.send("hello?")
                    let server = try listener.accept()
                    _ = try server.receive(5)
                    try server.send("220 this is not TLS\r\n")
                    _ = try client.receiveToTheEnd()
                }
            }, nearly: { try ProxyRuns.relayed { _, server, _ in try server.send("220 this is not TLS\r\n") } }),
        ProxyFindingCase(
            "tls-failed",
            [
                "proxy.client-certificate-missing: the server localhost:PORT asked for a client certificate and got none; give one with --client-cert",
                "proxy.tls-failed: TLS could not be established: the server ended it after the handshake with the TLS alert “certificate required” (the server wants a client certificate: give one with --client-cert)",
            ], fires: { try ProxyRuns.spoken(to: ["wants"]) }, nearly: { try ProxyRuns.spoken(to: ["asks"]) }),
        ProxyFindingCase(
            "tls-failed",
            [
                "proxy.tls-failed: TLS could not be established: the server sent the TLS alert “handshake failure” (the server has no cipher suite, group or signature algorithm in common with the proxy, whose key types are RSA, P-256, P-384, P-521 and Ed25519; or the server wants a client certificate: give one with --client-cert)"
            ], fires: { try ProxyRuns.spoken(to: ["wants", "1.2"]) }, nearly: { try ProxyRuns.spoken(to: ["serves", "1.2"]) }),
        ProxyFindingCase(
            "tls-failed",
            [
                "proxy.tls-failed: TLS could not be established: the server sent the TLS alert “unsupported certificate” (it refused the client certificate: give one that it accepts with --client-cert)"
            ],
            // The certificate that the proxy has is for servers.
            fires: { try ProxyRuns.spoken(to: ["wants", "1.2"], hasCertificate: true) },
            nearly: { try ProxyRuns.spoken(to: ["asks", "1.2"]) }),
        ProxyFindingCase(
            "client-certificate-missing", missingCertificate,
            // Two connections, one finding.
            fires: { try ProxyRuns.spoken(to: ["asks"], times: 2) }, nearly: { try ProxyRuns.spoken(to: ["serves"]) }),
        ProxyFindingCase(
            "client-certificate-missing", missingCertificate,
            fires: { try ProxyRuns.spoken(to: ["asks", "1.2"]) }, nearly: { try ProxyRuns.spoken(to: ["serves", "1.2"]) }),
        ProxyFindingCase(
            "client-certificate-missing", missingCertificate,
            fires: { try ProxyRuns.spoken(to: ["asks", "1.2"]) }, nearly: { try ProxyRuns.spoken(to: ["asks"], hasCertificate: true) }),
        ProxyFindingCase(
            "certificate-unverified",
            [
                "proxy.certificate-unverified: --insecure accepted a certificate that would have been refused: the server's certificate is for other.example, not for localhost"
            ], fires: { try ProxyRuns.insecurely(name: "other.example") },
            nearly: { try ProxyRuns.insecurely(name: "localhost") }),
        ProxyFindingCase(
            "unasked-upgrade",
            [
                "< @0 http.switching-unasked: 101 response to a request that did not ask for an upgrade",
                "proxy.unasked-upgrade: the server switched protocols (101) without an offer in a complete request: it was passed on, and the connections were closed",
            ],
            fires: { try ProxyRuns.asked("", "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: foo\r\n\r\n") },
            nearly: {
                try ProxyRuns.asked(
                    "Connection: upgrade\r\nUpgrade: foo\r\n", "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: foo\r\n\r\n")
            }),
        ProxyFindingCase(
            "excess-response",
            [
                "< @21 http.response-unasked: a response without a request",
                "proxy.excess-response: the server sent more than it was asked for: it was not passed on, and the connection to the server was closed",
            ], fires: { try ProxyRuns.asked("", "HTTP/1.1 204 Fine\r\n\r\nHTTP/1.1 204 Fine\r\n\r\n") },
            nearly: { try ProxyRuns.asked() }),
        ProxyFindingCase(
            "response-withheld",
            [
                "< @33 http.content-length-invalid: Content-Length is not a decimal number",
                "proxy.response-withheld: a response was not passed on, because clients may disagree about where it ends: Content-Length is not one number",
            ], fires: { try ProxyRuns.asked("", "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok") },
            nearly: { try ProxyRuns.asked("", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }),
        ProxyFindingCase(
            "hello-cut",
            [
                "proxy.hello-cut: the proxy's ClientHello to the server could not repeat: a server name that is not a host name",
                "proxy.stray-bytes: the client sent TLS bytes after its close_notify; they are dropped",
            ], fires: { try ProxyRuns.leftOut(isPlain: false) }, nearly: { try ProxyRuns.leftOut(isPlain: true) }),
        ProxyFindingCase(
            "http2-withheld",
            [
                "proxy.http2-withheld: --http1 left HTTP/2 out of the TLS handshake: the client offered h2, http/1.1, and the server was offered http/1.1"
            ], fires: { try ProxyRuns.offered(["h2", "http/1.1"]) }, nearly: { try ProxyRuns.offered(["http/1.1"]) }),
        ProxyFindingCase(
            "stray-bytes",
            [
                "proxy.hello-cut: the proxy's ClientHello to the server could not repeat: a server name that is not a host name",
                "proxy.stray-bytes: the client sent TLS bytes after its close_notify; they are dropped",
            ], fires: { try ProxyRuns.leftOut(isPlain: false) }, nearly: { try ProxyRuns.leftOut(isPlain: true) }),
        ProxyFindingCase(
            "urgent-byte",
            ["proxy.urgent-byte: an urgent (out-of-band) byte was passed on as an ordinary byte at its place: from the client"],
            fires: { try ProxyRuns.urgent(intoTLS: true) }, nearly: { try ProxyRuns.urgent(intoTLS: false) }),
    ]

    private static let missingCertificate = [
        "proxy.client-certificate-missing: the server localhost:PORT asked for a client certificate and got none; give one with --client-cert"
    ]

    /// The page of the proxy's own, which is no refusal.
    private static let page: Run = { try ProxyRuns.http({ _ in "GET http://unmask.test/ HTTP/1.1\r\n\r\n" }, closed: 0) }

    /// About clients and what they ask for.
    static let clientCases = [
        ProxyFindingCase(
            "client-refused-certificate",
            [
                "proxy.client-refused-certificate: the client closed the connection right after the proxy's certificate for api.example. It may not trust the local CA, or it may pin the server's certificate. Make the client trust the local CA (unmask ca), or, if it pins, pass the host through with --passthrough api.example"
            ], fires: { try ProxyRuns.leftAtHello(asksAgain: false) },
            nearly: { try ProxyRuns.leftAtHello(asksAgain: true) }),
        ProxyFindingCase(
            "client-refused-certificate",
            [
                "proxy.client-refused-certificate: the client closed the connection right after the TLS handshake for localhost without sending anything, for the third time in a row. It may not trust the local CA, or it may pin the server's certificate. Make the client trust the local CA (unmask ca), or, if it pins, pass the host through with --passthrough localhost"
            ], fires: { try ProxyRuns.leftUnused(["close", "close", "close", "close"]) },
            nearly: { try ProxyRuns.leftUnused(["close", "close", "speak", "close"]) }),
        ProxyFindingCase(
            "client-refused-certificate",
            [
                "proxy.client-refused-certificate: the client closed the connection right after the TLS handshake for localhost without sending anything, for the third time in a row. It may not trust the local CA, or it may pin the server's certificate. Make the client trust the local CA (unmask ca), or, if it pins, pass the host through with --passthrough localhost"
            ],
            // Servers of HTTP/2 begin by themselves.
            fires: { try ProxyRuns.leftUnused(["read", "read", "read"], server: "settings") },
            // A server that speaks first, and a client that takes what it says and leaves.
            nearly: { try ProxyRuns.leftUnused(["read", "read", "read", "read"], server: "greets") }),
        ProxyFindingCase(
            "header-rewritten", ["proxy.header-rewritten: the proxy changed the request: Proxy-Connection was removed"],
            fires: { try ProxyRuns.asked("Proxy-Connection: keep-alive\r\n") },
            nearly: { try ProxyRuns.asked("X-Proxy-Connection: keep-alive\r\n") }),
        ProxyFindingCase(
            "header-kept",
            [
                "proxy.header-kept: --rewrite-host or --rewrite-origin changes nothing from here on: the head of a request is longer than 64 KiB",
                "> @0 http.head-limit: a head or trailer section is longer than 65536 bytes",
            ], fires: { try ProxyRuns.rewritten(headBytes: 66_000) },
            nearly: { try ProxyRuns.rewritten(headBytes: 60_000) }),
        ProxyFindingCase(
            "request-withheld",
            [
                "< @0 http.request-unanswered: requests without a response: 1",
                "proxy.request-withheld: a request of the client was not sent to this server: it waited for the response of the server before, and that did not come",
            ], fires: { try ProxyRuns.askedTwo(isAnswered: false) },
            nearly: { try ProxyRuns.askedTwo(isAnswered: true) }),
        ProxyFindingCase(
            "client-refused", ["proxy.client-refused: the client was refused: 400, the client took the proxy for a server"],
            fires: { try ProxyRuns.http({ _ in "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" }, closed: 1) },
            nearly: page),
        ProxyFindingCase(
            "client-left",
            [
                "proxy.client-left: the client left before it had asked for a server: it closed the connection; 13 bytes of a request had come"
            ], fires: { try ProxyRuns.http({ _ in "GET http://a/" }, closed: 1) }, nearly: page),
        ProxyFindingCase(
            "loop",
            [
                "proxy.loop: the proxy was asked to connect to itself: 508, the proxy of --via sends what it gets back to this proxy",
                "proxy.connect-failed: the server could not be reached: http://127.0.0.1:PORT refuses CONNECT a.example:1: 502 Bad Gateway",
            ], fires: { try ProxyRuns.looped() },
            nearly: { try ProxyRuns.asked() }),
    ]

    /// About limits of time, memory and files, and about the end.
    static let endingCases = [
        ProxyFindingCase(
            "timed-out", ["proxy.timed-out: timed out after 30 s waiting for the client's request; nothing was sent"],
            fires: { try ProxyRuns.sessions(1) { $0[0].embeddedEventLoop.advanceTime(by: .seconds(30)) } },
            nearly: { try ProxyRuns.sessions(1) { $0[0].embeddedEventLoop.advanceTime(by: .seconds(29)) } }),
        ProxyFindingCase(
            "limit-reached",
            [
                "proxy.limit-reached: the proxy closed the conversation because a limit was reached: unfinished requests and handshakes take more than 0 MiB, and this one was the oldest",
                "proxy.client-left: the client left before it had asked for a server: it reset the connection; 16035 bytes of a request had come",
                "proxy.client-left: the client left before it had asked for a server: it reset the connection; 16035 bytes of a request had come",
                "proxy.client-left: the client left before it had asked for a server: it reset the connection; 16035 bytes of a request had come",
            ], fires: { try ProxyRuns.unfinished(4) }, nearly: { try ProxyRuns.unfinished(3) }),
        ProxyFindingCase(
            "shut-down", ["proxy.shut-down: the proxy ended the conversation because it was stopped: it was still open"],
            fires: { try ProxyRuns.relayed { _, _, proxy in _ = proxy.stop() } },
            nearly: {
                try ProxyRuns.relayed { client, server, proxy in
                    client.finish()
                    server.finish()
                    _ = proxy.records(until: "closed")
                }
            }),
        ProxyFindingCase(
            "out-of-files",
            [
                "proxy.out-of-files: the proxy ran out of file descriptors and paused accepting: Too many open files (64); "
                    + "raise the limit (ulimit -Hn, or LimitNOFILE= of a systemd service)"
            ],
            fires: { try ProxyRuns.crowd(of: 80) }, nearly: { try ProxyRuns.crowd(of: 10) }),
    ]

    /// About what could not be written.
    static let lossCases = [
        ProxyFindingCase(
            "records-lost", ["proxy.records-lost: N records are missing here, because they could not be written: No space left on device"],
            fires: { try ProxyRuns.written(toRecording: false, fills: true) },
            nearly: { try ProxyRuns.written(toRecording: false, fills: false) }),
        ProxyFindingCase(
            "packets-lost",
            ["proxy.packets-lost: N packets are missing in the recording, because they could not be written: No space left on device"],
            fires: { try ProxyRuns.written(toRecording: true, fills: true) },
            nearly: { try ProxyRuns.written(toRecording: true, fills: false) }),
    ]
}
