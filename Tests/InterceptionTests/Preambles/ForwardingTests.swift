import Dissection
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

    @Test("after faulty framing everything goes to that server, until it has answered", arguments: Cutting.allCases)
    func faultyFraming(cutting: Cutting) {
        for fields in [
            "Content-Length: -1", "Content-Length: 1, 2", "Content-Length: 1\r\nContent-Length: 2", "Content-Length: 18446744073709551616",
            "Content-Length:", "Content-Length: 0x1", "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: identity",
        ] {
            let told = ProxyDialogue.play([.client(Self.post + fields + "\r\n\r\nbody" + Self.next)], cutting)
            #expect(told.count == 3 && told.last == "relay body" + Array(Self.next.utf8).shown, "\(fields): \(told)")
            let answered = ProxyDialogue.play(
                [
                    .client(Self.post + fields + "\r\n\r\nbody"), .server("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
                    .client("GET http://b/ HTTP/1.1\r\n\r\n"),
                ], cutting)
            #expect(answered.count == 4 && answered.suffix(2) == ["relay body", "ends"], "\(fields): \(answered)")
            // Where a password is asked for, nothing goes on without one.
            let asked = ProxyDialogue.play(
                [.client("POST http://h/ HTTP/1.1\r\nProxy-Authorization: Basic YTpi\r\n\(fields)\r\n\r\nbody")], cutting,
                asking: ProxyCredentials(user: "a", password: "b"))
            #expect(asked == ["answer 400 and closes (the request does not say where its body ends)"])
        }
        let chunks = "Transfer-Encoding: chunked\r\n\r\n1\r\naxGET http://b/ HTTP/1.1\r\n\r\n"
        #expect(
            ProxyDialogue.play([.client(Self.post + chunks)], cutting)[2...] == [
                "relay 1\\r\\naxGET http://b/ HTTP/1.1\\r\\n\\r\\n"
            ])
        // A chunk size beyond 64 bits.
        let huge = "Transfer-Encoding: chunked\r\n\r\n11112222333344445\r\nGET"
        #expect(ProxyDialogue.play([.client(Self.post + huge)], cutting)[2...] == ["relay 11112222333344445\\r\\nGET"])
        // HTTP/1.0 has no chunks (RFC 9112, section 6.1).
        let old = "POST http://h/ HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        #expect(ProxyDialogue.play([.client(old)], cutting).last == "relay 0\\r\\n\\r\\n")
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
                    .client("\u{1}frame"), .client("GET http://b/ HTTP/1.1\r\n\r\n"),
                ],
                cutting) == ["opens h:80", Self.relayedUpgrade, "tunnel \\x01frameGET http://b/ HTTP/1.1\\r\\n\\r\\n"])
        for first in ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "A", "GET /", "get /", "\r\n", "GE\u{0}", "HELLO http:/x", "X Y://z"] {
            let told = ProxyDialogue.play(
                [.client(Self.upgrade), .server("HTTP/1.1 101 Switching Protocols\r\n\r\n"), .client(first + "\u{0}"), .clientEnds],
                cutting)
            #expect(
                told.dropFirst(2) == (first == "X Y://z" ? told.dropFirst(2) : ["tunnel " + Array((first + "\u{0}").utf8).shown]), "\(told)"
            )
        }
    }

    @Test("a request to the proxy that follows a 101 does not go into the tunnel", arguments: Cutting.allCases)
    func requestInTunnel(cutting: Cutting) {
        for request in [
            "GET http://b/ HTTP/1.1\r\nProxy-Authorization: Basic YTpi\r\n\r\n", "M-SEARCH ws://b/ HTTP/1.1\r\n", "CONNECT b:1 HTTP/1.1",
            "\r\nget  http://b/ HTTP/1.1\r\n",
        ] {
            for steps: [ProxyDialogue.Step] in [
                [.client(Self.upgrade), .server("HTTP/1.1 101 Go\r\nUpgrade: other\r\n\r\n"), .client(request)],
                [.client(Self.upgrade + request + "\r\n\r\n"), .server("HTTP/1.1 101 Go\r\n\r\n")],
            ] {
                let told = ProxyDialogue.play(steps, cutting).filter { $0 != "awaits" }
                #expect(told.count == 3 && told.last?.hasPrefix("close [] (the ") == true, "\(told)")
            }
        }
    }

    @Test("the first bytes of a tunnel that may be a request are let go when nothing follows", arguments: Cutting.allCases)
    func heldStart(cutting: Cutting) {
        var machine = HTTPProxyRequests()
        func take(_ bytes: [UInt8]) -> (consumed: Int, action: HTTPProxyRequests.Action) { machine.take(bytes.rawBytes) }
        for piece in cutting.pieces(of: Array(Self.upgrade.utf8)) {
            var rest = piece
            while !rest.isEmpty { rest.removeFirst(take(rest).consumed) }
        }
        _ = take([])
        let answer = Array("HTTP/1.1 101 Go\r\n\r\n".utf8)
        _ = machine.takeAnswer(answer.rawBytes)
        #expect(!machine.holdsTunnelStart && machine.release() == [])
        let first = take([UInt8(ascii: "Q")]).action
        #expect(first == .needMore)
        #expect(machine.holdsTunnelStart && machine.release() == [UInt8(ascii: "Q")])
        let next = take(Array("GET http://b/".utf8)).action
        #expect(next == .tunnel([]))
    }

    @Test("what can be no request does not wait for the 101", arguments: Cutting.allCases)
    func early(cutting: Cutting) {
        #expect(
            ProxyDialogue.play([.client(Self.upgrade + "\u{1}frame"), .client("x")], cutting)
                == ["opens h:80", Self.relayedUpgrade, "relay \\x01framex"])
    }

    @Test("what can be a request waits for the answer", arguments: Cutting.allCases)
    func declined(cutting: Cutting) {
        let steps = { (answer: String) -> [ProxyDialogue.Step] in [.client(Self.upgrade + Self.next), .server(answer)] }
        #expect(
            ProxyDialogue.play(steps("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!"), cutting)
                == ["opens h:80", Self.relayedUpgrade, "awaits", Self.relayedNext])
        #expect(
            ProxyDialogue.play(steps("HTTP/1.1 101 Switching Protocols\r\n\r\n"), cutting)
                == [
                    "opens h:80", Self.relayedUpgrade, "awaits",
                    "close [] (the connection belongs to h:80, which switched to another protocol)",
                ])
        #expect(
            ProxyDialogue.play(steps("HTTP/1.1 426 Upgrade Required\r\n\r\nuntil close"), cutting)
                == ["opens h:80", Self.relayedUpgrade, "awaits", Self.relayedNext])
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

    @Test("a 101 that nobody asked for is passed on and opens no tunnel", arguments: Cutting.allCases)
    func unasked(cutting: Cutting) {
        let get = "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n"
        let other = "GET http://b/ HTTP/1.1\r\nProxy-Authorization: Basic YTpi\r\nCookie: c\r\n\r\n"
        let head = "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 101 Why\r\nUpgrade: websocket\r\n\r\n"
        let relayed = "relayed GET / HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n"
        for steps: [ProxyDialogue.Step] in [
            [.client(get), .server(head + "HTTP/1.1 200 OK\r\n\r\nevil"), .client(other)],
            [.client(get + "GET ht"), .server(head), .client("tp")], [.client(get + other), .server(head + "evil")],
            // The upgrade was offered by the second request, and not by the first.
            [.client(get + Self.upgrade), .server(head + "\u{1}"), .client(other)],
            // In HTTP/1.0, or with an empty Upgrade, none is offered.
            [.client("GET http://h/ HTTP/1.0\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"), .server(head)],
            [.client("GET http://h/ HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: \r\n\r\n"), .server(head)],
        ] {
            let dialogue = ProxyDialogue.run(steps, cutting)
            #expect(dialogue.told.last == "ends" && dialogue.told.first == "opens h:80", "\(dialogue.told)")
            #expect(!dialogue.told.contains { $0.hasPrefix("tunnel") || $0.hasPrefix("opens b") })
            #expect(dialogue.surpluses == [.upgrade])
            #expect(dialogue.passed == Array(head.utf8))
        }
        #expect(ProxyDialogue.play([.client(get), .server(head)], cutting) == ["opens h:80", relayed, "ends"])
    }

    // MARK: - The end of HTTP

    @Test("what is no request goes to the server that the client talks to", arguments: Cutting.allCases)
    func noRequest(cutting: Cutting) {
        let get = "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n"
        #expect(
            ProxyDialogue.play([.client(get + "\r\n\u{1}GET http://b/ HTTP/1.1\r\n\r\n")], cutting)[2...] == [
                "relay \\r\\n\\x01GET http://b/ HTTP/1.1\\r\\n\\r\\n"
            ])
        #expect(ProxyDialogue.play([.client(get + "nonsense\r\n\r\nmore")], cutting)[2...] == ["relay nonsense\\r\\n\\r\\nmore"])
        #expect(ProxyDialogue.play([.client(get + "GET http://h/ HT"), .clientEnds], cutting)[2...] == ["tunnel GET http://h/ HT"])
        #expect(ProxyDialogue.play([.client("GET http://h/ HT"), .clientEnds], cutting) == [])
        // It may be for another server.
        for start in ["GET http://b/ HT", "GET http://h", "GET http://h/"] {
            let told = ProxyDialogue.play([.client(get + start), .clientEnds], cutting)
            #expect(told.last == "close [] (it was not complete, and it was not known to be for h:80)", "\(told)")
        }
        // The connection is of no use any more once the server has said what it makes of it.
        let answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
        for steps: [ProxyDialogue.Step] in [
            [.client(get + "nonsense\r\n\r\n"), .server(answer)],
            [.client(get), .server(answer), .client("nonsense\r\n\r\n"), .server(answer)],
        ] {
            let told = ProxyDialogue.play(steps + [.client("GET http://b/ HTTP/1.1\r\n\r\n")], cutting)
            #expect(told.suffix(2) == ["relay nonsense\\r\\n\\r\\n", "ends"], "\(told)")
        }
    }

    @Test("a client that keeps its body after an early answer, and goes on to another server, is not heard by this one")
    func bodyKept() {
        let head = "POST http://h/ HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n"
        let early: ProxyDialogue.Step = .server("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
        let other = "GET http://b/ HTTP/1.1\r\nProxy-Authorization: Basic YTpi\r\n\r\n"
        #expect(
            ProxyDialogue.play([.client(head), early, .client(other)], .whole).last
                == "close [] (h:80 had answered before the body of the request was complete)")
        // What the client owes goes on. What looks like a request does not, also to the same server: that would read it as the body.
        #expect(ProxyDialogue.play([.client(head), early, .client("body")], .whole).last == "relay body")
        #expect(ProxyDialogue.play([.client(head), early, .client(Self.next)], .whole).last?.hasPrefix("close []") == true)
        #expect(ProxyDialogue.play([.client(head), .client(other)], .whole).last == "relay " + Array(other.utf8).shown)
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

    // MARK: - What clients take for the end

    private static let stray = "GET http://b/ HTTP/1.1\r\nHost: b\r\nCookie: secret\r\n\r\n"

    /// Whether nothing of the request for another server went to the first one.
    private func isWithheld(_ steps: [ProxyDialogue.Step], _ cutting: Cutting) -> Bool {
        let told = ProxyDialogue.play(steps, cutting)
        return !told.contains { $0.contains("secret") }
    }

    @Test("a 101 before the body of its request is whole opens no tunnel", arguments: Cutting.allCases)
    func earlySwitch(cutting: Cutting) {
        let ask = Self.post + "Connection: upgrade\r\nUpgrade: x\r\nContent-Length: 5\r\n\r\n"
        let switching = "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"
        #expect(isWithheld([.client(ask), .server(switching), .client(Self.stray)], cutting))
        #expect(isWithheld([.client(ask + "he"), .server(switching), .client("llo" + Self.stray)], cutting))
    }

    @Test("a request that follows an early response is no part of the body", arguments: Cutting.allCases)
    func afterEarlyResponse(cutting: Cutting) {
        let ask = Self.post + "Content-Length: 500\r\n\r\n"
        let early = "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"
        for before in ["", "\r\n", "abc", "abc\r\n"] {
            for request in [Self.stray, "get  " + Self.stray.dropFirst(4)] {
                #expect(isWithheld([.client(ask), .server(early), .client(before + request)], cutting), "\(before)\(request)")
            }
        }
    }

    @Test("nor is one whose beginning lies in the rest of that body", arguments: Cutting.allCases)
    func acrossTheEndOfTheBody(cutting: Cutting) {
        let early = "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"
        // What is left after one or two bytes is a request again, and goes to the server that it names.
        for rest in 3...60 {
            let ask = Self.post + "Content-Length: \(rest)\r\n\r\n"
            #expect(isWithheld([.client(ask), .server(early), .client(Self.stray)], cutting), "\(rest)")
        }
        // In the middle of a chunk, and where the line of one is due.
        for begun in ["a\r\n", "5\r\nhello\r\n", ""] {
            let ask = Self.post + "Transfer-Encoding: chunked\r\n\r\n" + begun
            #expect(isWithheld([.client(ask), .server(early), .client(Self.stray)], cutting), "\(begun)")
        }
    }

    @Test("chunk lines that clients read differently make the end of a response ambiguous", arguments: Cutting.allCases)
    func ambiguousChunks(cutting: Cutting) {
        for chunks in ["5\r\nhello\n30\r\n\r\n", "5\nhello\r\n0\r\n\r\n", "5 \r\nhello\r\n0\r\n\r\n"] {
            let response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
            #expect(isWithheld([.client(Self.next), .server(response), .client(Self.stray)], cutting), "\(chunks)")
        }
    }

    @Test("where the proxy asks for a password, no trailer of a request goes on", arguments: Cutting.allCases)
    func trailers(cutting: Cutting) {
        let told = ProxyDialogue.play(
            [
                .client("POST http://h/ HTTP/1.1\r\nHost: h\r\nProxy-Authorization: Basic YTpi\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .client("1\r\na\r\n0\r\nProxy-Authorization: Basic YTpi\r\n\r\n"),
            ], cutting, asking: ProxyCredentials(user: "a", password: "b"))
        #expect(!told.contains { $0.contains("YTpi") }, "\(told)")
        #expect(told.last?.hasPrefix("close []") == true)
    }
}
