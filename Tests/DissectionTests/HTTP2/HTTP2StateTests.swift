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

    @Test("a WebSocket in a stream finds its footing after frames were lost")
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
}
