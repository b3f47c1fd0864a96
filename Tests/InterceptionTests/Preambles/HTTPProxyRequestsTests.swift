import Dissection
import Interception
import Testing

/// The HTTP mode: CONNECT, answers of the proxy's own, and the order of things on one connection. What becomes of heads is in
/// `ForwardedHeadTests`.
@Suite("Requests to an HTTP proxy")
struct HTTPProxyRequestsTests {
    static let password = ProxyCredentials(user: "anna", password: "a:b c")

    private func client(_ text: String, _ cutting: Cutting, asking credentials: ProxyCredentials? = nil) -> [String] {
        ProxyDialogue.play([.client(text)], cutting, asking: credentials)
    }

    // MARK: - CONNECT

    @Test("CONNECT names the target, and what stands behind its head is the tunnel's", arguments: Cutting.allCases)
    func connect(cutting: Cutting) {
        #expect(
            client("CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n\u{16}\u{3}hello", cutting)
                == ["connect example.org:443", "tunnel \\x16\\x03hello"])
        #expect(client("CONNECT [2001:db8::1]:8443 HTTP/1.0\n\n", cutting) == ["connect [2001:db8::1]:8443"])
        // Its head has no body, whatever it says (RFC 9110, section 9.3.6).
        #expect(
            client("\r\n\r\nCONNECT h:1 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcdef", cutting) == ["connect h:1", "tunnel abcdef"])
    }

    @Test("CONNECT to no place is refused", arguments: Cutting.allCases)
    func connectFaults(cutting: Cutting) {
        func refused(_ target: String) -> [String] { client("CONNECT \(target) HTTP/1.1\r\n\r\n", cutting) }
        #expect(refused("example.org") == ["answer 400 and closes (CONNECT takes HOST:PORT: the port is missing)"])
        #expect(refused("example.org:") == ["answer 400 and closes (CONNECT takes HOST:PORT: the port is missing)"])
        #expect(refused(":443") == ["answer 400 and closes (CONNECT takes HOST:PORT: the host is missing)"])
        for target in ["ana:sesame@h:443", "ana@h:443", "ana:sesame@[::1]:443"] {
            #expect(refused(target).first?.contains("HOST:PORT, without a user") == true, "\(target)")
        }
        for target in ["h:0", "h:65536", "h:-1", "h:99999999999999999999", "h:+1", "h:1/", "http://h:1/", "::1:443", "a@h:1", "h:1 x"] {
            #expect(refused(target).first?.hasPrefix("answer 400 and closes") == true, "\(target)")
        }
        #expect(refused("unmask.test:443").first?.hasPrefix("answer 403 and closes") == true)
        // Methods have case.
        #expect(client("connect h:1 HTTP/1.1\r\n\r\n", cutting).first?.hasPrefix("answer 400 and closes") == true)
    }

    @Test("a CONNECT that has come round is refused, and what it came through is kept")
    func marked() {
        func play(_ head: String) -> (HTTPProxyRequests.Action, via: String) {
            var machine = HTTPProxyRequests(mark: "unmask-1")
            let bytes = Array(head.utf8)
            let action = machine.take(bytes.rawBytes).action
            return (action, String(decoding: machine.via, as: UTF8.self))
        }
        let other = play("CONNECT h:1 HTTP/1.1\r\nVia: 1.1 a\r\nvia:1.0 unmask-2 \r\n\r\n")
        #expect(other.0 == .connect(HostPort(host: "h", port: 1)) && other.via == "1.1 a, 1.0 unmask-2")
        guard case .answer(let answer) = play("CONNECT h:1 HTTP/1.1\r\nVia: 1.1 unmask-1, 1.1 b\r\n\r\n").0 else {
            Issue.record("it is connected")
            return
        }
        #expect(answer.status == 508 && answer.closes)
    }

    // MARK: - Answers of our own

    @Test("the certificate is served under the proxy's own name", arguments: Cutting.allCases)
    func pages(cutting: Cutting) {
        func get(_ target: String, _ host: String = "x", _ method: String = "GET") -> [String] {
            client("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n", cutting)
        }
        #expect(get("http://unmask.test/") == ["answer certificateOverview"])
        #expect(get("http://UNMASK.test") == ["answer certificateOverview"])
        #expect(get("http://unmask.test/?from=phone") == ["answer certificateOverview"])
        #expect(get("http://unmask.test/unmask-ca.pem") == ["answer certificatePEM"])
        #expect(get("http://unmask.test/unmask-ca.crt") == ["answer certificateDER"])
        #expect(get("http://unmask.test/favicon.ico") == ["answer notFound"])
        #expect(get("http://unmask.test/", "x", "HEAD") == ["answer certificateOverview head only"])
        #expect(get("/", "unmask.test") == ["answer certificateOverview"])
        #expect(get("/unmask-ca.pem", "unmask.test:80") == ["answer certificatePEM"])
        #expect(get("/unmask-ca.crt", "127.0.0.1:8080") == ["answer certificateDER"])
        #expect(get("/api", "127.0.0.1:8080") == ["answer howToUse (the client took the proxy for a server)"])
        #expect(get("*", "127.0.0.1:8080", "OPTIONS") == ["answer howToUse (the client took the proxy for a server)"])
    }

    @Test("an answer of ours takes the request's body with it, and the connection goes on if both want that", arguments: Cutting.allCases)
    func bodiesOfOwnAnswers(cutting: Cutting) {
        let again = "GET http://unmask.test/ HTTP/1.1\r\n\r\n"
        #expect(
            client("POST http://unmask.test/x HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello" + again, cutting)
                == ["answer notFound", "discard hello", "answer certificateOverview"])
        #expect(
            client("POST http://unmask.test/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n" + again, cutting)
                == ["answer notFound", "discard 1\\r\\na\\r\\n0\\r\\n\\r\\n", "answer certificateOverview"])
        for line in ["Connection: close", "Proxy-Connection: x , CLOSE", "Expect: 100-continue\r\nContent-Length: 1", "Content-Length: x"] {
            #expect(
                client("GET http://unmask.test/x HTTP/1.1\r\n\(line)\r\n\r\n" + again, cutting) == ["answer notFound and closes"], "\(line)"
            )
        }
        #expect(client("GET http://unmask.test/x HTTP/1.0\r\n\r\n" + again, cutting) == ["answer notFound and closes"])
        #expect(
            client("GET http://unmask.test/x HTTP/1.0\r\nProxy-Connection: keep-alive\r\n\r\n" + again, cutting)
                == ["answer notFound", "answer certificateOverview"])
    }

    @Test("a request that the proxy answered and whose chunks are malformed ends the connection", arguments: Cutting.allCases)
    func malformedBodiesOfOwnAnswers(cutting: Cutting) {
        let asked = "answer authenticationRequired (the client sent no user and password)"
        let requests: [(target: String, answer: String, credentials: ProxyCredentials?)] = [
            ("/", "answer howToUse (the client took the proxy for a server)", nil), ("http://unmask.test/x", "answer notFound", nil),
            ("http://a/", asked, Self.password),
        ]
        for (target, answer, credentials) in requests {
            for (body, dropped) in [
                ("", ""), ("2\r\nab\r\n", "2\\r\\nab\\r\\n"), ("2\r\nab", "2\\r\\nab"),
                ("2;x=y\r\nab\r\n3\r\nabc", "2;x=y\\r\\nab\\r\\n3\\r\\nabc"),
            ] {
                let request = "POST \(target) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
                #expect(
                    client(request + "zz\r\nGET http://unmask.test/ HTTP/1.1\r\n\r\n", cutting, asking: credentials)
                        == [answer] + (dropped.isEmpty ? [] : ["discard \(dropped)"]) + ["closes"], "\(target) \(body)")
            }
        }
    }

    @Test("a connection that has ended asks for nothing but its end, with bytes and without")
    func afterTheEnd() {
        var machine = HTTPProxyRequests()
        let request = Array("GET http://unmask.test/x HTTP/1.0\r\n\r\n".utf8)
        #expect(machine.take(request.rawBytes).consumed == request.count)
        for bytes in [[], request] {
            let (consumed, action) = machine.take(bytes.rawBytes)
            #expect(consumed == 0 && action == .end)
        }
    }

    @Test("user and password are asked for, and the client may try again", arguments: Cutting.allCases)
    func authentication(cutting: Cutting) {
        // "anna:a:b c"
        let right = "Proxy-Authorization: basic   YW5uYTphOmIgYw==\r\n"
        let wrong = "Proxy-Authorization: Basic YW5uYTphOmIgYQ==\r\n"
        let asked = "answer authenticationRequired (the client sent no user and password)"
        let denied = "answer authenticationRequired (wrong user or password (user \"anna\"))"
        let connect = { (line: String) in "CONNECT h:1 HTTP/1.1\r\n\(line)\r\n" }
        #expect(client(connect("") + connect(wrong) + connect(right), cutting, asking: Self.password) == [asked, denied, "connect h:1"])
        #expect(
            client(
                "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\nGET http://h/ HTTP/1.1\r\nHost: h\r\n\(right)\r\n", cutting, asking: Self.password
            )
                == [asked, "opens h:80", "relayed GET / HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n"])
        for bad in ["", "Basic", "Basic ", "Bearer YW5uYTphOmIgYw==", "Basic YW5uYTphOmIgYw", "Basic YW5uYTphOmIgYw==YW5uYTphOmIgYw=="] {
            #expect(
                client(connect("Proxy-Authorization: \(bad)\r\n"), cutting, asking: Self.password) == [
                    bad.hasPrefix("Basic YW") ? denied : asked
                ], "\(bad)")
        }
        // The certificate is no secret, and a phone has to get it first.
        #expect(
            client("GET http://unmask.test/unmask-ca.crt HTTP/1.1\r\n\r\n", cutting, asking: Self.password) == ["answer certificateDER"])
    }

    // MARK: - What is no request

    @Test("what is no HTTP is told so in its own language", arguments: Cutting.allCases)
    func strangers(cutting: Cutting) {
        #expect(
            client("\u{16}\u{3}\u{1}", cutting) == ["close [] (the client speaks TLS, and the way to the proxy itself is plain (http://…))"]
        )
        #expect(client("\u{5}\u{1}\u{0}", cutting) == ["close [5, 255] (the client speaks SOCKS 5, and this is an HTTP proxy)"])
        #expect(client("\u{4}\u{1}", cutting).first?.hasPrefix("close [0, 91, ") == true)
        #expect(
            client("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", cutting)
                == ["answer 505 and closes (this proxy speaks HTTP/1.1; for HTTP/2 in plaintext use the reverse mode)"])
        for text in [
            "\u{0}", "GET\r\n\r\n", "GET http://h/\r\n\r\n", "GET http://h/ HTTP/1.x\r\n\r\n", "G(T http://h/ HTTP/1.1\r\n\r\n",
            "GET  HTTP/1.1\r\n\r\n", "GET http://h/ HTTP/1.1 \r\n\r\n", " GET http://h/ HTTP/1.1\r\n\r\n", "GET http://h/ http/1.1\r\n\r\n",
        ] {
            #expect(client(text, cutting) == ["answer 400 and closes (this is not an HTTP/1 request)"], "\(text)")
        }
    }

    @Test("a head is 64 KiB at most, whatever it is made of", arguments: [Cutting.whole, .random1])
    func longHeads(cutting: Cutting) {
        let refused = ["answer 431 and closes (the head of the request is longer than 64 KiB)"]
        #expect(client("GET http://h/" + String(repeating: "a", count: 70_000), cutting) == refused)
        #expect(client("GET http://h/ HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 12_000), cutting) == refused)
        #expect(client(String(repeating: "\r\n", count: 40_000), cutting) == refused)
        // Thousands of fields are no reason to refuse.
        let many = "GET http://h/ HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 10_000) + "\r\n"
        #expect(client(many, cutting).first == "opens h:80")
    }

    // MARK: - One after another

    @Test("requests for one server follow each other at once", arguments: Cutting.allCases)
    func pipeline(cutting: Cutting) {
        let get = "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n"
        let relayed = "relayed GET / HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n"
        #expect(client(get + get + get, cutting) == ["opens h:80", relayed, relayed, relayed])
    }

    @Test("a request for another server waits until the answers are complete", arguments: Cutting.allCases)
    func otherServer(cutting: Cutting) {
        let steps: [ProxyDialogue.Step] = [
            .client(
                "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\nHEAD http://A:80/ HTTP/1.1\r\nHost: a\r\n\r\nGET http://b/ HTTP/1.1\r\nHost: b\r\n\r\n"
            ),
            .server("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), .server("lo"),
            .client("GET http://a/2 HTTP/1.1\r\nHost: a\r\n\r\n"), .server("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
            .server("HTTP/1.1 204 No Content\r\n\r\n"),
        ]
        #expect(
            ProxyDialogue.play(steps, cutting) == [
                "opens a:80", "relayed GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n", "relayed HEAD / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n",
                "awaits",
                "opens b:80", "relayed GET / HTTP/1.1\\r\\nHost: b\\r\\n\\r\\n", "awaits", "opens a:80",
                "relayed GET /2 HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n",
            ])
    }

    @Test("an answer of ours, and CONNECT, wait as well", arguments: Cutting.allCases)
    func ownAnswersWait(cutting: Cutting) {
        let steps: [ProxyDialogue.Step] = [
            .client("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\nGET http://unmask.test/ HTTP/1.1\r\n\r\nCONNECT b:1 HTTP/1.1\r\n\r\n!"),
            .server("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n"), .server("\r\n"),
        ]
        #expect(
            ProxyDialogue.play(steps, cutting) == [
                "opens a:80", "relayed GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n", "awaits", "answer certificateOverview", "connect b:1",
                "tunnel !",
            ])
    }

    @Test("where the server's answer has no end, another server is reached by a new connection only", arguments: Cutting.allCases)
    func endlessAnswer(cutting: Cutting) {
        for answer in ["HTTP/1.1 200 OK\r\n\r\nhello", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "nonsense\r\n\r\n"] {
            let steps: [ProxyDialogue.Step] = [
                .client("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"), .server(answer),
                .client("GET http://a/2 HTTP/1.1\r\nHost: a\r\n\r\n"),
                .client("GET http://b/ HTTP/1.1\r\nHost: b\r\n\r\n"),
            ]
            #expect(
                ProxyDialogue.play(steps, cutting) == [
                    "opens a:80", "relayed GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n", "relayed GET /2 HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n",
                    "close [] (it is not for a:80, whose response has no end)",
                ], "\(answer)")
        }
    }

    @Test("requests that nobody answers are bounded", arguments: [Cutting.whole, .random1])
    func manyRequests(cutting: Cutting) {
        let get = "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"
        let answer = "HTTP/1.1 204 No Content\r\n\r\n"
        let told = ProxyDialogue.play([.client(String(repeating: get, count: 300)), .server(answer), .server(answer)], cutting)
        let relayed = told.filter { $0.hasPrefix("relayed") }.count
        #expect(relayed == 258 && told.last == "awaits")
    }
}
