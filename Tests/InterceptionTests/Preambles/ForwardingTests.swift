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

    @Test("a request that does not say where it ends is refused, and nothing of it goes on", arguments: Cutting.allCases)
    func faultyFraming(cutting: Cutting) {
        let refused = "answer 400 and closes (the request does not say where its body ends)"
        for fields in [
            "Content-Length: -1", "Content-Length: 1, 2", "Content-Length: 1\r\nContent-Length: 2", "Content-Length: 18446744073709551616",
            "Content-Length:", "Content-Length: 0x1", "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: identity",
        ] {
            #expect(ProxyDialogue.play([.client(Self.post + fields + "\r\n\r\nbody" + Self.next)], cutting) == [refused], "\(fields)")
            // After a request for the same server, or for another, once that has its response.
            for host in ["h", "b"] {
                let steps: [ProxyDialogue.Step] = [
                    .client(Self.next + "POST http://\(host)/ HTTP/1.1\r\n\(fields)\r\n\r\n" + Self.stray),
                    .server("HTTP/1.1 204 Fine\r\n\r\n"),
                ]
                #expect(
                    ProxyDialogue.play(steps, cutting) == ["opens h:80", Self.relayedNext, "awaits", refused], "\(fields)")
            }
            let asked = ProxyDialogue.play(
                [.client("POST http://h/ HTTP/1.1\r\nProxy-Authorization: Basic YTpi\r\n\(fields)\r\n\r\nbody")], cutting,
                asking: ProxyCredentials(user: "a", password: "b"))
            #expect(asked == [refused])
        }
        // HTTP/1.0 has no chunks (RFC 9112, section 6.1).
        let old = "POST http://h/ HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        #expect(ProxyDialogue.play([.client(old)], cutting) == [refused])
    }

    @Test("of a body with malformed chunks nothing goes on after the fault", arguments: Cutting.allCases)
    func faultyChunks(cutting: Cutting) {
        let refused = "answer 400 and closes (the chunks or trailers of the request's body are malformed)"
        let head = Self.post + "Transfer-Encoding: chunked\r\n\r\n"
        for (chunks, relayed) in [
            ("1\r\nax" + Self.stray, "1\\r\\na"), ("3\r\nGET http://b/ HTTP/1.1\r\nCookie: secret\r\n\r\n", "3\\r\\nGET"),
            // The empty line that ends the body was left out.
            ("0\r\n" + Self.stray, "0\\r\\nGET"), ("0\r\nX: y\r\nCONNECT b:1 HTTP/1.1\r\n\r\n", "0\\r\\nX: y\\r\\nCONNECT"),
            ("0\r\nX: y\r\n GET http://b/ HTTP/1.1\r\n\r\n", "0\\r\\nX: y\\r\\n"), ("0\r\nX\r\n", "0\\r\\nX"),
            // A chunk size beyond 64 bits.
            ("11112222333344445\r\nGET", "1111222233334444"),
        ] {
            #expect(
                ProxyDialogue.play([.client(head + chunks)], cutting)[2...] == ["relay " + relayed, refused], "\(chunks)")
        }
        // A response has begun, and ours would be read as a part of it.
        let begun = ProxyDialogue.play(
            [.client(head), .server("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .client("x" + Self.stray)], cutting)
        #expect(begun.count == 3 && begun.last?.hasPrefix("close [] (the chunks") == true, "\(begun)")
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
            "\r\nget  http://b/ HTTP/1.1\r\n", " GET\thttp://b/", "\tCONNECT\u{B}b:1",
        ] {
            let after: [ProxyDialogue.Step] = [
                .client(Self.upgrade), .server("HTTP/1.1 101 Go\r\nUpgrade: other\r\n\r\n"), .client(request),
            ]
            let before: [ProxyDialogue.Step] = [
                .client(Self.upgrade + request + "\r\n\r\n"), .server("HTTP/1.1 101 Go\r\n\r\n"),
            ]
            let isBlankFirst = request.hasPrefix(" ") || request.hasPrefix("\t")
            for steps in isBlankFirst ? [after] : [after, before] {
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
        // A request is none of these, whatever stands before it.
        for start in [" ", "\t", "\u{1}frame"] {
            for request in [Self.stray, "GET\thttp://b/\r\nCookie: secret\r\n\r\n", "CONNECT\tb:1\r\nCookie: secret\r\n\r\n"] {
                #expect(isWithheld([.client(Self.upgrade + start + request)], cutting), "\(start)\(request)")
            }
        }
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

    // MARK: - What is not a request

    @Test("what is not a request goes to no server, and is refused after the responses that are due", arguments: Cutting.allCases)
    func noRequest(cutting: Cutting) {
        let get = "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n"
        let relayed = "relayed GET / HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n"
        let refused = "answer 400 and closes (this is not an HTTP/1 request)"
        let fine = "HTTP/1.1 204 Fine\r\n\r\n"
        let fields = "Host: b\r\nCookie: secret\r\n\r\n"
        for text in [
            "GET\thttp://b/ HTTP/1.1\r\n" + fields, " GET http://b/ HTTP/1.1\r\n" + fields, "GET http://b/\r\n" + fields,
            "CONNECT\tb:443 HTTP/1.1\r\n" + fields, "CONNECT b:443\r\n" + fields, "GET http://b/ HTTP/1.\r\n" + fields,
            "GET http://b/ http/1.1\r\n" + fields, "G\u{0}T http://b/ HTTP/1.1\r\n" + fields, "\r\n\u{1}" + Self.stray,
            "\u{16}\u{3}\u{1}secret", "\u{5}\u{1}\u{0}secret", "\u{4}\u{1}\u{0}secret", "nonsense\r\n\r\nsecret",
        ] {
            for answered in [[.client(get), .server(fine), .client(text)], [.client(get + text), .server(fine)]] as [[ProxyDialogue.Step]] {
                let told = ProxyDialogue.play(answered, cutting).filter { $0 != "awaits" }
                #expect(told == ["opens h:80", relayed, refused], "\(text): \(told)")
            }
            // No response is due that the client could take ours for, or there is one without an end.
            #expect(ProxyDialogue.play([.client(get + text)], cutting).last == "awaits", "\(text)")
            let endless = ProxyDialogue.play([.client(get), .server("HTTP/1.1 200 OK\r\n\r\nhello"), .client(text)], cutting)
            #expect(endless.suffix(1) == ["close [] (it is not for h:80, whose response has no end)"], "\(text): \(endless)")
        }
        let later = ProxyDialogue.play(
            [.client(get), .server(fine), .client("GET http://b/ HTTP/2.0\r\n" + fields)], cutting)
        #expect(later.last?.hasPrefix("answer 505 and closes") == true && later.count == 3)
        // Empty lines may stand before a request (RFC 9112, section 2.2).
        #expect(ProxyDialogue.play([.client(get), .server(fine), .client("\r\n\r\n" + Self.next)], cutting).count == 3)
        #expect(ProxyDialogue.play([.client(get + "GET http://h/ HT"), .clientEnds], cutting)[2...] == ["tunnel GET http://h/ HT"])
        #expect(ProxyDialogue.play([.client("GET http://h/ HT"), .clientEnds], cutting) == [])
        // It may be for another server.
        for start in ["GET http://b/ HT", "GET http://h", "GET http://h/", "GET\thttp://b/ http://h/ HT"] {
            let told = ProxyDialogue.play([.client(get + start), .clientEnds], cutting)
            #expect(told.last == "close [] (it was not complete, and it was not known to be for h:80)", "\(told)")
        }
    }

    @Test("a request for another server waits whole, however its body is cut", arguments: Cutting.allCases)
    func splitBody(cutting: Cutting) {
        let get = "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n"
        let post = "POST http://b/ HTTP/1.1\r\nHost: b\r\nContent-Length: 6\r\n\r\n"
        for cut in 0...6 {
            let steps: [ProxyDialogue.Step] = [
                .client(get + post + "secret".prefix(cut)), .client(String("secret".dropFirst(cut))), .server("HTTP/1.1 204 Fine\r\n\r\n"),
            ]
            let told = ProxyDialogue.play(steps, cutting)
            #expect(told.suffix(4).first == "awaits" && told.suffix(3).first == "opens b:80" && told.last == "relay secret", "\(told)")
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

    @Test("where the proxy asks for a password, a head that servers may read in other lines goes nowhere", arguments: Cutting.allCases)
    func hiddenPassword(cutting: Cutting) {
        for fields in ["X: y\rProxy-Authorization: Basic YTpi\r\n", "X: y\0z\r\n"] {
            let request = "GET http://h/ HTTP/1.1\r\nHost: h\r\nProxy-Authorization: Basic YTpi\r\n" + fields + "\r\n"
            let told = ProxyDialogue.play([.client(request)], cutting, asking: ProxyCredentials(user: "a", password: "b"))
            #expect(told == ["answer 400 and closes (its head has a CR or NUL inside a line)"])
            // Who asks for nothing changes nothing.
            #expect(ProxyDialogue.play([.client(request)], cutting).first == "opens h:80")
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
        #expect(told.last?.hasPrefix("answer 400 and closes (the chunks") == true)
    }
}
