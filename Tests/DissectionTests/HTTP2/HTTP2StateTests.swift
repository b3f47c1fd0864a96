import Dissection
import Support
import Testing

/// What both sides of HTTP/2 know, and when: settings, resets, the ends of streams, losses.
@Suite("HTTP/2, states")
struct HTTP2StateTests {
    private typealias Frames = HTTP2Frames

    /// What is told from the first request on, however the bytes are cut.
    private func told(_ talk: Talk, _ location: SourceLocation = #_sourceLocation) -> [String] {
        let told = talk.transcript()
        if let difference = talk.difference(from: told) { Issue.record("\(difference)", sourceLocation: location) }
        return told
    }

    private func found(_ talk: Talk, _ location: SourceLocation = #_sourceLocation) -> [String] {
        told(talk, location).filter { $0.contains("! ") }
    }

    @Test("a window that is made smaller holds once the other side has accepted it")
    func smallerWindow() {
        let post = Frames.post(1) + Frames.data(1, String(repeating: "x", count: 200))
        // Sent before the settings were heard of.
        #expect(
            found(Talk([.client(Frames.client), .server(Frames.settings([(4, 100)])), .client(post + Frames.accepted)])).filter {
                $0.contains("window")
            } == [])
        #expect(
            found(Talk([.client(Frames.client), .server(Frames.settings([(4, 100)])), .client(Frames.accepted + post)])).filter {
                $0.contains("window")
            } == ["> #1 @102 ! http2.window-exceeded a=200 b=100"])
    }

    @Test("a header block that does not end is shown ahead of the frame that it was to go on with", arguments: [true, false])
    func openBlock(isLost: Bool) {
        let begun = Frames.frame(1, flags: 1, stream: 1, [0x82, 0x84, 0x86]) + Frames.frame(9, stream: 1, [0x41, 1, 0x78]).prefix(10)
        let data = told(Talk([.client(Frames.client + begun), isLost ? .gap(.client, 100, .missing) : .finish(.client)]))
            .filter { $0.contains(" data ") }
        // A block is shown from where its frame begins; the two runs adjoin in the transcript.
        #expect(data == ["> #1 @33 data 82 84 86 00 00 03 09 00 00 00 00 01 41"], "\(data)")
    }

    @Test("the settings in the request of an upgrade hold from the first byte of the response on")
    func settingsOfUpgrade() {
        func talk(_ settings: String) -> Talk {
            Talk([
                .client(
                    "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                        + "HTTP2-Settings: \(settings)\r\n\r\n"),
                .server(
                    Array("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n".utf8) + Frames.server
                        + Frames.ok(1) + Frames.window(0, 1_000_000)),
                .client(Frames.preface + Frames.settings([(4, 1_000_000)]) + Frames.window(0, 1_000_000)),
                .server(
                    (0..<5).flatMap { _ in Frames.data(1, String(repeating: "x", count: 16_000)) } + Frames.data(1, "", end: true)),
            ])
        }
        // INITIAL_WINDOW_SIZE 1,000,000.
        #expect(found(talk("AAQAD0JA")) == [])
    }

    @Test("what a server sends before it hears of a reset is no fault")
    func afterReset() {
        let talk = Frames.talk([
            .client(Frames.get(1) + Frames.reset(1, 8)), .server(Frames.ok(1) + Frames.data(1, "late", end: true)), .client(Frames.get(3)),
            .server(Frames.ok(3, end: true)),
        ])
        let told = told(talk)
        #expect(told.filter { $0.contains("!") } == [])
        #expect(told.contains("< #1 @9 response 200 "), "\(told)")
        #expect(told.contains { $0.hasPrefix("< #1") && $0.hasSuffix("data \"late\"") }, "\(told)")
    }

    @Test("a head on a stream that is over opens none")
    func afterEnd() {
        #expect(
            found(Frames.talk([.client(Frames.get(1)), .server(Frames.ok(1, end: true) + Frames.ok(1, end: true))]))
                == ["< #1 @31 ! http2.stream-over a=0 b=0"])
        #expect(
            found(
                Frames.talk([
                    .client(Frames.post(1)), .server(Frames.ok(1, end: true) + Frames.headers(1, [("a", "b")], end: true)),
                    .client(Frames.data(1, "", end: true)),
                ])) == ["< #1 @31 ! http2.stream-over a=0 b=0"])
    }

    @Test("a client does not respond, and a server promises requests only")
    func otherSidesHeads() {
        let promised = Frames.frame(5, flags: 4, stream: 1, Frames.four(2) + Frames.block([(":status", "200")]))
        let talk = Frames.talk([
            .client(Frames.get(1) + Frames.ok(3, end: true)),
            .server(promised + Frames.ok(1) + Frames.data(1, "x", end: true) + Frames.ok(2, end: true) + Frames.goAway(last: 3, 0)),
        ])
        let told = told(talk)
        #expect(
            told.filter { $0.contains("! ") && !$0.contains("unanswered") } == [
                "> #3 @92 ! http2.pseudo-misplaced a=0 b=0", "< #1 @9 ! http2.pseudo-misplaced a=0 b=0",
            ], "\(told)")
        #expect(told.contains { $0.hasPrefix("< #1") && $0.hasSuffix("body 1 final 1/1 B \"x\"") }, "\(told)")
    }

    @Test("what is no frame is searched for the next one, again and again, in flat memory and stack")
    func manyLosses() {
        // A frame, another one behind it, and what cannot be one.
        let unit = Frames.ping() + Frames.accepted + [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0]
        let bytes = (0..<3_000).flatMap { _ in unit }
        let talk = Frames.talk([.client(bytes)])
        var sink = CheckingSink(limits: Limits())
        talk.play(.whole, into: &sink)
        sink.finish()
        #expect(sink.complaints == [])
        #expect(told(talk).count { $0.hasSuffix(" ping") } == 3_000)
    }

    @Test("a WebSocket in a stream synchronises after frames were lost")
    func webSocketAfterLoss() {
        let connect = Frames.headers(
            1, [(":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":path", "/"), (":authority", "x")])
        func message(_ text: String) -> [UInt8] { Frames.frame(0, stream: 1, [0x81, UInt8(text.utf8.count)] + Array(text.utf8)) }
        let talk = Talk([
            .client(Frames.client), .server(Frames.settings([(8, 1)])), .client(connect), .server(Frames.ok(1)),
            .server(message("one") + Array(message("a long one that is cut").prefix(20))), .gap(.server, 100, .missing),
            .server([1, 2, 3] + message("three") + message("four") + message("five") + message("six")),
        ])
        let told = told(talk)
        for text in ["one", "three", "four", "five"] {
            #expect(told.contains { $0.hasPrefix("< | #1") && $0.hasSuffix("B \"\(text)\"") }, "\(text) of \(told)")
        }
        #expect(told.filter { $0.contains("! websocket") && !$0.contains("resynchronised") } == [], "\(told)")
    }

    @Test("a coded body whose frames may be lost is not taken for one without a hole")
    func codedBodyAfterLoss() {
        let coded: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B, 0x4C, 0x4A, 0x4E, 0x49, 0x4D, 0x4B, 0xCF, 0xC8, 0xCC, 2, 0, 0x65, 0xBA, 0x63, 0x39, 9,
            0,
            0, 0,
        ]
        let talk = Frames.talk([
            .client(Frames.get(1)),
            .server(Frames.ok(1, [("content-encoding", "gzip")]) + Frames.frame(0, stream: 1, Array(coded.prefix(14)))),
            .gap(.server, 50, .missing),
            .server(Frames.frame(0, flags: 1, stream: 1, Array(coded.suffix(8))) + Frames.ping()),
        ])
        let told = told(talk)
        #expect(told.filter { $0.contains("! ") } == [], "\(told)")
        #expect(told.contains { $0.contains("gap 8 undecodable") }, "\(told)")
    }

    @Test("a request after a loss is told before its response, although no frame follows it")
    func requestAfterLoss() {
        let talk = Frames.talk([
            .client(Frames.get(1)), .server(Frames.ok(1, end: true)), .gap(.client, 30, .missing),
            .client(Frames.headers(5, [(":method", "HEAD"), (":scheme", "http"), (":path", "/"), (":authority", "x")], end: true)),
            .server(Frames.ok(5, [("content-length", "500")], end: true)), .client(Frames.ping()),
        ])
        let told = told(talk)
        #expect(
            told.suffix(5).prefix(4) == [
                "> @92 gap 30 missing", "> #5 @122 request HEAD / HTTP/2 {:scheme: http} {:authority: x}",
                "< #5 @31 response 200  {content-length: 500}", "> @182 ping",
            ], "\(told)")
    }

    @Test("after lost settings frames are as large as those may have allowed")
    func framesAfterLostSettings() {
        let body = Frames.frame(0, flags: 1, stream: 1, [UInt8](repeating: 0x78, count: 100_000))
        let talk = Talk([
            .client(Frames.preface), .gap(.client, 15, .missing), .server(Frames.server), .client(Frames.accepted + Frames.get(1)),
            .server(Frames.ok(1) + body),
        ])
        let told = told(talk)
        #expect(told.filter { $0.contains("gap") } == ["> @24 gap 15 missing"], "\(told)")
        #expect(told.contains { $0.contains(" body 2 final 34464/34464") }, "\(told.map { $0.prefix(80) })")
    }

    @Test("what is not read of a frame is shown")
    func malformed() {
        let frames: [([UInt8], String)] = [
            (Frames.frame(8, stream: 1, Array("secretwu".utf8)), "secretwu"), (Frames.frame(3, stream: 1, Array("reset".utf8)), "reset"),
            (Frames.frame(6, Array("pinglong!".utf8)), "pinglong!"), (Frames.frame(7, Array("away".utf8)), "away"),
            (Frames.frame(4, flags: 1, Array("accept".utf8)), "accept"),
            (Frames.frame(4, [0, 3, 0, 0, 0, 9] + Array("tail".utf8)), "tail"), (Frames.frame(2, stream: 3, Array("prio".utf8)), "prio"),
            (Frames.frame(9, flags: 4, stream: 1, Array("more".utf8)), "more"), (Frames.frame(1, flags: 4, Array("head".utf8)), "head"),
            (Frames.frame(5, flags: 4, stream: 1, Array("pp".utf8)), "pp"), (Frames.frame(0xEE, stream: 1, Array("grease".utf8)), "grease"),
            (Frames.frame(1, flags: 12, stream: 5, [100] + Array("pad".utf8)), "dpad"),
            (Frames.frame(0, flags: 9, stream: 1, [3] + Array("body".utf8) + [0, 0x68, 0x69]), "hi"),
        ]
        for (frame, text) in frames {
            let told = told(Frames.talk([.client(Frames.post(1) + frame), .server(Frames.ok(1, end: true))]))
            #expect(told.contains { $0.hasPrefix(">") && $0.hasSuffix(" data \"\(text)\"") }, "\(text): \(told)")
        }
    }

    @Test("a client says how urgent a stream is")
    func priority() {
        let told = told(Frames.talk([.client(Frames.get(5) + Frames.frame(16, Frames.four(5) + Array("u=1, i".utf8)))]))
        #expect(told.contains { $0.hasPrefix("> #5 @92 priorityUpdate") && $0.hasSuffix("u=1, i") }, "\(told)")
    }

    @Test("an ordinary client is no flood: one that leaves, one that measures, one that flushes")
    func ordinaryClients() {
        let numbers = (0..<400).map { UInt32(2 * $0 + 1) }
        var opened = Frames.client
        for number in numbers { opened += Frames.get(number) }
        let left = numbers.flatMap { Frames.reset($0, 8) }
        func leaving(after seconds: Int64) -> [String] {
            Segments().handshake().packet(.client, opened).packet(.server, Frames.server + Frames.accepted, ack: opened.count)
                .pause(seconds: seconds).packet(.client, left, at: opened.count, ack: 18).findings().filter { $0.contains("rapid") }
        }
        #expect(leaving(after: 2) == [])
        #expect(leaving(after: 0).count == 1)
        // Half of them a second and more after the other half.
        let half = 199 * 13
        #expect(
            Segments().handshake().packet(.client, opened).packet(.server, Frames.server + Frames.accepted, ack: opened.count)
                .packet(.client, Array(left.prefix(half)), at: opened.count, ack: 18).pause(seconds: 1)
                .packet(.client, Array(left.dropFirst(half)), at: opened.count + half, ack: 18).findings()
                .filter { $0.contains("rapid") } == [])
        var measuring = [Talk.Step.client(Frames.post(1))]
        for _ in 0..<1_000 {
            measuring += [.client(Frames.ping()), .server(Frames.ping(answers: true)), .client(Frames.data(1, "") + Frames.data(1, "x"))]
        }
        #expect(found(Frames.talk(measuring)).filter { $0.contains("flood") } == [])
    }
}
