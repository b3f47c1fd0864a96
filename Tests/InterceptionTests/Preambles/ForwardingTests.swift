import Interception
import Support
import Testing

/// Plain HTTP through the proxy: bodies, upgrades, and what is no request any more.
@Suite("Forwarding plain HTTP")
struct ForwardingTests {
    private static let post = "POST http://h/ HTTP/1.1\r\nHost: h\r\n"
    private static let relayedPost = "relayed POST / HTTP/1.1\\r\\nHost: h\\r\\n"
    private static let next = "GET http://h/2 HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let relayedNext = "relayed GET /2 HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n"

    // MARK: - Bodies

    @Test("bodies pass byte for byte, and the next head is found behind them", arguments: Cutting.allCases)
    func bodies(cutting: Cutting) {
        for (fields, body) in [
            ("Content-Length: 5\r\n", "hello"), ("Content-Length: 5, 5\r\nContent-Length: 5\r\n", "GET h"), ("Content-Length: 0\r\n", ""),
            ("Transfer-Encoding: chunked\r\n", "5;a=\"\r\"\r\nhello\r\n0\r\n\r\n"),
            ("Transfer-Encoding: gzip, Chunked\r\n", "0\r\nX: 1\r\nY: 2\r\n\r\n"),
            ("Transfer-Encoding: chunked\r\n", "1\na\n00000000000000000\n\n"),
            ("transfer-encoding : chunked\r\n", "a;x\r\n0123456789\r\n0\r\n\r\n"),
        ] {
            let expected = [
                "opens h:80", Self.relayedPost + Array(fields.utf8).shown + "\\r\\n",
                body.isEmpty ? nil : "relay " + Array(body.utf8).shown,
                Self.relayedNext,
            ]
            #expect(
                ProxyDialogue.play([.client(Self.post + fields + "\r\n" + body + Self.next)], cutting) == expected.compactMap(\.self),
                "\(fields)")
        }
    }

    @Test("after faulty framing everything goes to that server", arguments: Cutting.allCases)
    func faultyFraming(cutting: Cutting) {
        for fields in [
            "Content-Length: -1", "Content-Length: 1, 2", "Content-Length: 1\r\nContent-Length: 2", "Content-Length: 18446744073709551616",
            "Content-Length:", "Content-Length: 0x1", "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: identity",
        ] {
            let told = ProxyDialogue.play([.client(Self.post + fields + "\r\n\r\nbody" + Self.next)], cutting)
            #expect(told.count == 3 && told.last == "tunnel body" + Array(Self.next.utf8).shown, "\(fields): \(told)")
        }
        let chunks = "Transfer-Encoding: chunked\r\n\r\n1\r\naxGET http://b/ HTTP/1.1\r\n\r\n"
        #expect(
            ProxyDialogue.play([.client(Self.post + chunks)], cutting)[2...] == [
                "relay 1\\r\\na", "tunnel xGET http://b/ HTTP/1.1\\r\\n\\r\\n",
            ])
        // A chunk size beyond 64 bits.
        let huge = "Transfer-Encoding: chunked\r\n\r\n11112222333344445\r\nGET"
        #expect(ProxyDialogue.play([.client(Self.post + huge)], cutting)[2...] == ["relay 1111222233334444", "tunnel 5\\r\\nGET"])
        // HTTP/1.0 has no chunks (RFC 9112, section 6.1).
        let old = "POST http://h/ HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        #expect(ProxyDialogue.play([.client(old)], cutting).last == "tunnel 0\\r\\n\\r\\n")
    }

    // MARK: - Upgrades

    private static let upgrade = "GET ws://h/chat HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n"
    private static let relayedUpgrade =
        "relayed GET /chat HTTP/1.1\\r\\nHost: h\\r\\nConnection: keep-alive, Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n"

    @Test("after 101 everything passes", arguments: Cutting.allCases)
    func accepted(cutting: Cutting) {
        #expect(
            ProxyDialogue.play(
                [
                    .client(Self.upgrade), .server("HTTP/1.1 101 Switching Protocols\r\n\r\n\u{1}"),
                    .client("GET http://b/ HTTP/1.1\r\n\r\n"),
                ],
                cutting) == ["opens h:80", Self.relayedUpgrade, "tunnel GET http://b/ HTTP/1.1\\r\\n\\r\\n"])
    }

    @Test("what can be no request does not wait for the 101", arguments: Cutting.allCases)
    func early(cutting: Cutting) {
        #expect(
            ProxyDialogue.play([.client(Self.upgrade + "\u{1}frame"), .client("x")], cutting)
                == ["opens h:80", Self.relayedUpgrade, "tunnel \\x01framex"])
    }

    @Test("what can be a request waits for the answer", arguments: Cutting.allCases)
    func declined(cutting: Cutting) {
        let steps = { (answer: String) -> [ProxyDialogue.Step] in [.client(Self.upgrade + Self.next), .server(answer)] }
        #expect(
            ProxyDialogue.play(steps("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!"), cutting)
                == ["opens h:80", Self.relayedUpgrade, "awaits", Self.relayedNext])
        #expect(
            ProxyDialogue.play(steps("HTTP/1.1 101 Switching Protocols\r\n\r\n"), cutting)
                == ["opens h:80", Self.relayedUpgrade, "awaits", "tunnel " + Array(Self.next.utf8).shown])
        #expect(
            ProxyDialogue.play(steps("HTTP/1.1 426 Upgrade Required\r\n\r\nuntil close"), cutting)
                == ["opens h:80", Self.relayedUpgrade, "awaits", "tunnel " + Array(Self.next.utf8).shown])
        // The answer came before the request.
        #expect(
            ProxyDialogue.play(
                [.client(Self.upgrade), .server("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"), .client(Self.next)], cutting)
                == ["opens h:80", Self.relayedUpgrade, Self.relayedNext])
    }

    @Test("an Upgrade that Connection does not name, or of HTTP/1.0, is none", arguments: Cutting.allCases)
    func noUpgrade(cutting: Cutting) {
        for request in [
            "GET http://h/ HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n\r\n",
            "GET http://h/ HTTP/1.0\r\nHost: h\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
        ] {
            #expect(ProxyDialogue.play([.client(request + Self.next)], cutting).last == Self.relayedNext)
        }
    }

    @Test("a 101 that nobody asked for makes a tunnel, and what was held of a head goes first", arguments: Cutting.allCases)
    func unasked(cutting: Cutting) {
        let get = "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n"
        let relayed = "relayed GET / HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n"
        #expect(
            ProxyDialogue.play([.client(get + "GET ht"), .server("HTTP/1.1 101 Why\r\n\r\n"), .client("tp")], cutting)
                == ["opens h:80", relayed, "tunnel GET http"])
        #expect(
            ProxyDialogue.play([.client(get + "GET http://b/ HTTP/1.1\r\n\r\nx"), .server("HTTP/1.1 101 Why\r\n\r\n")], cutting)
                == ["opens h:80", relayed, "awaits", "tunnel GET http://b/ HTTP/1.1\\r\\n\\r\\nx"])
    }

    // MARK: - The end of HTTP

    @Test("what is no request goes to the server that the client talks to", arguments: Cutting.allCases)
    func noRequest(cutting: Cutting) {
        let get = "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n"
        #expect(
            ProxyDialogue.play([.client(get + "\r\n\u{1}GET http://b/ HTTP/1.1\r\n\r\n")], cutting)[2...] == [
                "tunnel \\r\\n\\x01GET http://b/ HTTP/1.1\\r\\n\\r\\n"
            ])
        #expect(ProxyDialogue.play([.client(get + "nonsense\r\n\r\nmore")], cutting)[2...] == ["tunnel nonsense\\r\\n\\r\\nmore"])
        #expect(ProxyDialogue.play([.client(get + "GET http://h/ HT"), .clientEnds], cutting)[2...] == ["tunnel GET http://h/ HT"])
        #expect(ProxyDialogue.play([.client("GET http://h/ HT"), .clientEnds], cutting) == [])
    }

    @Test("no bytes make it trap, and how they are cut makes no difference")
    func anything() {
        var generator = SplitMix(seed: 7)
        let words = [
            "GET ", "CONNECT ", "http://", "h", "/", ":", "1", "[", "]", " ", "\r\n", "\n", "\r", "\r\n\r\n", " HTTP/1.1", "Host: ", "@",
            "\u{0}",
            "Content-Length: ", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n", "\u{FF}", "Upgrade: x\r\nConnection: upgrade\r\n", "?", "*",
            "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "POST http://b/ HTTP/1.1\r\nContent-Length: 2\r\n\r\n12", Self.upgrade,
        ]
        let answers = [
            "HTTP/1.1 204 Fine\r\n\r\n", "HTTP/1.1 200\r\nContent-Length: 1\r\n\r\n!", "HTTP/1.1 101 Go\r\n\r\n", "HTTP/1.1 200\r\n\r\n",
            "x",
        ]
        for _ in 0..<500 {
            var steps: [ProxyDialogue.Step] = [.client(Self.next)]
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                let text = (0..<3).map { _ in words.randomElement(using: &generator) ?? "" }.joined()
                let answer = answers.randomElement(using: &generator) ?? ""
                steps.append(Int.random(in: 0..<3, using: &generator) > 0 ? .client(text) : .server(answer))
            }
            steps.append(.clientEnds)
            let whole = ProxyDialogue.play(steps, .whole)
            for cutting in Cutting.allCases { #expect(ProxyDialogue.play(steps, cutting) == whole, "\(steps)") }
        }
    }
}
