import Dissection
import Support
import Testing

/// Conversations over HTTP/2, told as those of HTTP/1, however their bytes are cut.
@Suite("HTTP/2")
struct HTTP2LayerTests {
    private typealias Frames = HTTP2Frames

    private let opening = [
        "opened handshake by handshake", "> @24 settings", "< @0 settings",
    ]

    private func expect(_ steps: [Talk.Step], _ lines: [String], _ location: SourceLocation = #_sourceLocation) {
        var told = opening + lines
        let talk = Frames.talk(steps)
        told.append(talk.transcript().last ?? "")
        if let difference = talk.difference(from: told) { Issue.record("\(difference)", sourceLocation: location) }
    }

    @Test("a client that connects ahead of a request may say nothing at all")
    func silentClient() {
        let settings = Frames.settings([(3, 100)])
        for steps in [[Talk.Step.finish(.client)], []] {
            let talk = Talk([.server(settings)] + steps)
            let told = talk.transcript()
            #expect(
                told.contains("< @0 settings {MAX_CONCURRENT_STREAMS: 100}") && !told.contains { $0.contains("data") || $0.contains("!") },
                "\(told)")
            #expect(talk.difference(from: told) == nil)
        }
        // What only looks like the beginning of settings is not.
        #expect(Talk([.server(Array(settings.prefix(8)))]).transcript().contains { $0.contains("data") })
    }

    @Test("a request and its response, with bodies in several frames")
    func exchange() {
        expect(
            [
                .client(Frames.post(1) + Frames.data(1, "Hel") + Frames.data(1, "lo", end: true)),
                .server(Frames.ok(1, [("content-length", "2")]) + Frames.data(1, "ok", end: true)),
            ],
            [
                "> #1 @33 request POST / HTTP/2 {:scheme: http} {:authority: x}",
                "> #1 @102 body 1 final 5/5 B \"Hello\"",
                "< #1 @9 response 200  {content-length: 2}",
                "< #1 @58 body 1 final 2/2 B \"ok\"",
            ])
    }

    @Test("streams that run beside each other, their frames mixed")
    func interleaved() {
        expect(
            [
                .client(Frames.get(1, "/a") + Frames.get(3, "/b")),
                .server(
                    Frames.ok(3) + Frames.data(3, "b1") + Frames.ok(1) + Frames.data(1, "a1", end: true) + Frames.data(3, "b2", end: true)),
            ],
            [
                "> #1 @33 request GET /a HTTP/2 {:scheme: http} {:authority: x}",
                "> #3 @93 request GET /b HTTP/2 {:scheme: http} {:authority: x}",
                "< #3 @9 response 200 ",
                "< #1 @42 response 200 ",
                "< #1 @73 body 1 final 2/2 B \"a1\"",
                "< #3 @40 body 1 final 4/4 B \"b1b2\"",
            ])
    }

    @Test("trailers, informational responses, a body that is empty")
    func trailers() {
        expect(
            [
                .client(Frames.get(1)),
                .server(
                    Frames.headers(1, [(":status", "103"), ("link", "</a>")]) + Frames.ok(1) + Frames.data(1, "x")
                        + Frames.headers(1, [("grpc-status", "0")], end: true)),
            ],
            [
                "> #1 @33 request GET / HTTP/2 {:scheme: http} {:authority: x}",
                "< #1 @9 response 103  {link: </a>}",
                "< #1 @73 body 1 final 1/1 B \"x\" {grpc-status: 0}",
            ].inserting("< #1 @42 response 200 ", at: 2))
    }

    @Test("a request says how urgent it is, as clients did before RFC 9113")
    func priority() {
        let block = Frames.block([(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "x")])
        expect(
            [
                .client(Frames.frame(1, flags: 0x25, stream: 3, [0x80, 0, 0, 1, 255] + block)),
                .client(Frames.frame(1, flags: 0x25, stream: 5, [0, 0, 0, 0, 15] + block)),
                .server(Frames.ok(3, end: true) + Frames.ok(5, end: true)),
            ],
            [
                "> #3 @33 request GET / HTTP/2 {:scheme: http} {:authority: x} after 1 weight 256 exclusive",
                "> #5 @97 request GET / HTTP/2 {:scheme: http} {:authority: x} after 0 weight 16",
                "< #3 @9 response 200 ",
                "< #5 @31 response 200 ",
            ])
    }

    @Test("settings, a ping with its answer, a reset, the end of the connection")
    func control() {
        expect(
            [
                .client(Frames.accepted + Frames.get(1) + Frames.ping()),
                .server(Frames.settings([(3, 100), (77, 1)]) + Frames.ping(answers: true) + Frames.goAway(last: 1, 0, "bye")),
                .client(Frames.reset(1, 8)),
            ],
            [
                "> @33 settingsAccepted",
                "> #1 @42 request GET / HTTP/2 {:scheme: http} {:authority: x}",
                "> @101 ping",
                "< @9 settings {MAX_CONCURRENT_STREAMS: 100} {77: 1}",
                "< @30 pong",
                "< @47 goAway NO_ERROR last 1 bye",
                "> #1 @118 reset CANCEL",
            ])
    }

    @Test("a header block in several frames, and padding")
    func continuation() {
        let block = Frames.block([(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "x")])
        let padded = Frames.frame(0, flags: 9, stream: 1, [3] + Array("hey".utf8) + [0, 0, 0])
        expect(
            [
                .client(
                    Frames.frame(1, flags: 1, stream: 1, Array(block.prefix(7))) + Frames.frame(9, stream: 1, Array(block[7..<20]))
                        + Frames.frame(9, flags: 4, stream: 1, Array(block[20...]))),
                .server(Frames.ok(1) + padded),
            ],
            [
                "> #1 @33 request GET / HTTP/2 {:scheme: http} {:authority: x}", "< #1 @9 response 200 ",
                "< #1 @41 body 1 final 3/3 B \"hey\"",
            ])
    }

    @Test("an upgrade from HTTP/1 goes on as stream 1")
    func upgrade() {
        let talk = Talk([
            .client("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"),
            .server(
                Array("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n".utf8) + Frames.server
                    + Frames.ok(1, end: true)),
            .client(Frames.client),
        ])
        let told = talk.transcript()
        #expect(told.contains("< #1 @80 response 200 "), "\(told)")
        #expect(told.contains("< @71 settings"), "\(told)")
        #expect(!told.contains { $0.contains("!") }, "\(told)")
        if let difference = talk.difference(from: told) { Issue.record("\(difference)") }
    }

    @Test("a WebSocket in a stream is read as one, with what is found about it")
    func webSocket() {
        let connect = Frames.headers(
            1,
            [
                (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":path", "/chat"), (":authority", "x"),
                ("sec-websocket-version", "13"), ("sec-websocket-protocol", "chat"),
            ])
        let talk = Talk([
            .client(Frames.client), .server(Frames.settings([(8, 1)])), .client(connect),
            .server(Frames.ok(1, [("sec-websocket-protocol", "chat")])),
            .client(Frames.frame(0, stream: 1, [0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69])),
            .server(Frames.frame(0, stream: 1, [0x81, 0x02, 0x68]) + Frames.frame(0, stream: 1, [0x6F])),
        ])
        let told = talk.transcript()
        #expect(told.contains("< #1 @15 upgrade websocket accepted subprotocol chat"), "\(told)")
        #expect(told.contains("> | #1 @0 message text 2 B \"hi\""), "\(told)")
        #expect(told.contains("< | #1 @0 message text 2 B \"ho\""), "\(told)")
        if let difference = talk.difference(from: told) { Issue.record("\(difference)") }
    }

    @Test("the preface is shown with the first frame where that is cut, and is no data of its own otherwise")
    func cutAfterPreface() {
        let opening = Frames.client
        for count in [24, 28] {
            let talk = Talk([.client(Array(opening.prefix(count))), .gap(.client, 500, .missing)])
            let lines = talk.transcript()
            #expect(lines.contains("> @0 data \(Transcript.show(Array(opening.prefix(count))))"), "\(lines)")
            #expect(lines.contains("> @\(count) gap 500 missing"), "\(lines)")
            #expect(talk.transcript(.bytewise) == lines)
        }
        let whole = Talk([.client(opening), .gap(.client, 500, .missing)])
        #expect(!whole.transcript().contains { $0.contains("data") })
    }

    @Test("what is lost inside a body is a gap in it, and the stream goes on")
    func gapInBody() {
        let data = Frames.data(1, "abcdefghij", end: true)
        let talk = Frames.talk([
            .client(Frames.get(1)), .server(Frames.ok(1) + Array(data.prefix(12))), .gap(.server, 4, .missing),
            .server(Array(data.suffix(3)) + Frames.ping()),
        ])
        expect(
            talk.steps.dropFirst(2).map(\.self),
            [
                "> #1 @33 request GET / HTTP/2 {:scheme: http} {:authority: x}", "< #1 @9 response 200 ",
                "< #1 @40 body 1 3/3 B \"abc\"", "< @43 gap 4 missing", "< #1 @47 body 2 final 3/3 B \"hij\"",
                "< @50 ping",
            ])
    }

    @Test("after lost frames the next frame that another one follows is read; the table is not known any more")
    func resynchronised() {
        let talk = Frames.talk([
            .client(Frames.frame(1, flags: 5, stream: 1, [0x82, 0x84, 0x86, 0x41, 1, 0x78])), .gap(.client, 30, .missing),
            .client(
                [1, 2, 3] + Frames.frame(1, flags: 5, stream: 5, [0x82, 0x84, 0x86, 0xBE]) + Frames.window(0, 5) + Frames.window(0, 6)),
            .server(Frames.ok(1, end: true) + Frames.ok(5, end: true)),
        ])
        expect(
            talk.steps.dropFirst(2).map(\.self),
            [
                "> #1 @33 request GET / HTTP/2 {:scheme: http} {:authority: x}", "> @48 gap 30 missing", "> @78 gap 3 resync",
                "> #5 @81 request GET / HTTP/2 {:scheme: http}", "> #5 @81 ! http2.fields-unknown a=1 b=0",
                "< #1 @9 response 200 ", "< #5 @31 response 200 ",
            ])
    }

    @Test("frames that are longer than usual, as the peer has allowed, are found again by where one of them leads to")
    func resynchronisedAmongLongFrames() {
        let long = Frames.data(1, String(repeating: "a", count: 20_000))
        let talk = Talk([
            .client(Frames.preface + Frames.settings([(5, 100_000), (4, 1_000_000)]) + Frames.get(1)),
            .server(Frames.server + Frames.accepted + Frames.ok(1) + Array(long.prefix(4))), .gap(.server, 10, .missing),
            .server(Array(long.dropFirst(14)) + long + Frames.data(1, "b", end: true)),
        ])
        let told = talk.transcript()
        // The rest of the first, and the second, which leads to the third.
        #expect(told.contains { $0.hasSuffix("gap \(20_009 - 14 + 20_009) resync") }, "\(told)")
        #expect(told.contains { $0.hasSuffix("1/1 B \"b\"") }, "\(told)")
        #expect(!told.contains { $0.contains(" ! http2.f") }, "\(told)")
        for cutting in [Talk.Cutting.bytewise, .random(seed: 7)] { #expect(talk.transcript(cutting) == told) }
    }

    @Test("a capture that begins in the middle of frames")
    func midstream() {
        let talk = Talk(
            [
                .client([9, 9, 9] + Frames.get(7) + Frames.window(0, 5) + Frames.ping() + Frames.ping()),
                .server(Frames.ok(7) + Frames.data(7, "x", end: true) + Frames.ping(answers: true)),
            ], knowsRoles: false, start: .midstream)
        let told = talk.transcript()
        #expect(told.contains("> #7 @3 request GET / HTTP/2 {:scheme: http} {:authority: x}"), "\(told)")
        #expect(told.contains { $0.contains("#7 @31 body 1 final 1/1") }, "\(told)")
        if let difference = talk.difference(from: told) { Issue.record("\(difference)") }
    }

    @Test("a capture that begins inside a frame longer than the usual ones, of which there are more")
    func midstreamLong() {
        func long(_ letter: String) -> [UInt8] { Frames.data(7, String(repeating: letter, count: 20_000)) }
        let talk = Talk(
            [.client([]), .server(Array(long("a").suffix(700)) + long("b") + long("c") + Frames.data(7, "end", end: true))],
            knowsRoles: false,
            start: .midstream)
        let told = talk.transcript()
        #expect(told.contains { $0.hasPrefix("< #7 @20718 body 1 final 20003/20003 B \"cccc") }, "\(told)")
        for cutting in [Talk.Cutting.bytewise, .random(seed: 7)] { #expect(talk.transcript(cutting) == told) }
    }

    @Test("a capture that begins inside a frame that does not end, until the client says more")
    func midstreamWatched() {
        let talk = Talk(
            [
                .server(String(repeating: "a", count: 70_000)), .client(Frames.window(0, 5) + Frames.window(7, 5)),
                .server(String(repeating: "a", count: 1_000)), .client(Frames.get(9)), .client(Frames.ping()),
                .server(Frames.ok(9) + Frames.data(9, "x", end: true) + Frames.ping(answers: true)),
            ], start: .midstream)
        let told = talk.transcript()
        #expect(told.contains { $0.hasPrefix("> #9 @26 request GET / HTTP/2") }, "\(told)")
        #expect(told.contains { $0.hasPrefix("< #9 ") && $0.hasSuffix("response 200 ") }, "\(told)")
    }

    @Test("noise in the middle of a stream is no frames", arguments: 1...40)
    func midstreamNoise(seed: UInt64) {
        var random = SplitMix(seed: seed)
        // Half of the seeds have mostly zeros, as the headers of long frames do.
        let bytes = (0..<60_000).map { _ in
            let word = random.next()
            return seed % 2 == 0 || word >> 32 % 4 == 0 ? UInt8(truncatingIfNeeded: word) : 0
        }
        let told = Talk([.client([]), .server(bytes)], knowsRoles: false, start: .midstream).transcript()
        #expect(!told.contains { $0.hasPrefix("< #") || $0.contains(" gap ") }, "\(told.map { $0.prefix(80) })")
    }

    @Test(
        "screen updates with many zeros are no frames",
        arguments: [[1024, 17_010_688, 36_569_398], [1, 3_000_001, 5], [4, 6, 8], [262_163, 327_699]])
    func otherBinary(streams: [UInt32]) {
        // What VNC sends reads like small DATA frames of streams that nobody opened together; so does an endpoint map of DCE/RPC.
        let bytes = streams.flatMap { Frames.data($0, "\0\0\0") }
        let talk = Talk([.client([3] + bytes + bytes), .server([2, 2] + bytes + bytes)], knowsRoles: false, start: .midstream)
        let told = talk.transcript()
        #expect(!told.contains { $0.contains("#") || $0.contains(" gap ") }, "\(told)")
    }

    @Test("what refutes a guess in the middle of a stream is shown, as is what was passed over before it")
    func refutedGuess() {
        let row = (0..<4).flatMap { _ in Frames.data(7, "0123456789") }
        let rest = String(repeating: "~", count: 99)
        let told = Talk([.client([]), .server([2] + row), .server(rest), .server("more")], knowsRoles: false, start: .midstream)
            .transcript()
        // The transcript joins runs of data: the byte before the row, the headers of its frames, and 103 bytes after it.
        #expect(told.contains { $0.hasPrefix("< @0 data 02 00 00 0a 00 00 00 00 00 07 00 00 0a") && $0.contains("…140 ") }, "\(told)")
        #expect(!told.contains { $0.contains(" gap ") || $0.contains(" ! ") }, "\(told)")
    }

    @Test(
        "a frame that no connection sends after those before it refutes the guess, and no byte is hidden",
        arguments: [Frames.data(16_777_471, "x"), [0x01, 0x5D, 0x08, 0, 0, 0, 0, 0, 9]])
    func unlikelyFrames(next: [UInt8]) {
        let row = (0..<4).flatMap { _ in Frames.data(7, "0123456789") }
        let rest = [UInt8](repeating: 0x7E, count: 200)
        let talk = Talk([.client([]), .server([2] + row + next + rest)], knowsRoles: false, start: .midstream)
        let told = talk.transcript()
        let shown = 1 + 4 * 9 + next.count + rest.count
        #expect(told.contains { $0.hasPrefix("< @0 data 02 00 00 0a") && $0.contains("…\(shown) ") }, "\(told)")
        #expect(!told.contains { $0.contains(" gap ") || $0.contains(" ! ") }, "\(told)")
        #expect(talk.difference(from: told) == nil)
    }

    @Test("contents of one stream, one after another, are frames")
    func contentsAlone() {
        let bytes = (0..<4).flatMap { _ in Frames.data(7, "0123456789") }
        let told = Talk([.client([]), .server([2] + bytes)], knowsRoles: false, start: .midstream).transcript()
        #expect(told.contains { $0.contains("#7") }, "\(told)")
    }

    @Test("noise after the preface is told, and crashes nothing", arguments: 1...40)
    func noise(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var client = Frames.client + Frames.post(1) + Frames.data(1, "Hello", end: true) + Frames.ping() + Frames.get(3)
        var server = Frames.server + Frames.ok(1) + Frames.data(1, "Hello", end: true) + Frames.goAway(last: 3, 0) + Frames.ok(3, end: true)
        for _ in 0..<8 {
            client[24 + Int(random.next() % UInt64(client.count - 24))] = UInt8(truncatingIfNeeded: random.next())
            server[Int(random.next() % UInt64(server.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        let talk = Talk([.client(client), .server(server)])
        if let difference = talk.difference(from: talk.transcript()) { Issue.record("\(difference)") }
        var sink = CheckingSink(limits: Limits())
        talk.play(.whole, into: &sink)
        sink.finish()
        #expect(sink.complaints == [])
    }

    @Test("a tunnel is read as the wire would be")
    func tunnel() {
        let talk = Frames.talk([
            .client(Frames.headers(1, [(":method", "CONNECT"), (":authority", "x:80")])), .server(Frames.ok(1)),
            .client(Frames.data(1, "GET /in HTTP/1.1\r\nHost: x\r\n\r\n")),
            .server(Frames.data(1, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")),
        ])
        let told = talk.transcript()
        #expect(told.contains("> | #1 @0 request GET /in HTTP/1.1 {Host: x}"), "\(told)")
        #expect(told.contains("< | #1 @38 body 1 final 2/2 B \"ok\""), "\(told)")
        if let difference = talk.difference(from: told) { Issue.record("\(difference)") }
    }
}

extension Array {
    fileprivate func inserting(_ element: Element, at index: Int) -> [Element] {
        var copy = self
        copy.insert(element, at: index)
        return copy
    }
}
