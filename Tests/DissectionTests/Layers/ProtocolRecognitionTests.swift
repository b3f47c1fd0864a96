import Dissection
import Support
import Testing

/// What a conversation is taken for, from its first bytes or from the middle of it.
@Suite struct ProtocolRecognitionTests {
    // MARK: - What is not HTTP

    @Test(arguments: [
        "GET /info RTSP/1.0\r\nCSeq: 0\r\n\r\n", "POST /auth RTSP/1.0\r\nContent-Length: 0\r\n\r\n", "SOURCE /live ICE/1.0\r\n\r\n",
        "ERROR /var/log/app.log rotated\nINFO fine\nWARN /tmp is full\n", "CWD /pub\r\nRETR file\r\n", "H /H /H /H /",
        "GET key\r\n",
    ])
    func aMethodAndAPathAreNotHTTP(_ text: String) {
        for start in [Opening.Start.handshake, .midstream] {
            let talk = Talk(
                [.client(text), .server("220 ok\r\n"), .finish(.client), .finish(.server)], knowsRoles: start == .handshake, start: start)
            let lines = talk.transcript()
            #expect(lines.count == 4 && lines[1].hasPrefix("> @0 data") && lines[2] == "< @0 data \"220 ok\\r\\n\"", "\(lines)")
            #expect(talk.difference(from: lines) == nil)
        }
    }

    @Test func binaryWithAnHAndASlashIsData() {
        var random = SplitMix(seed: 3)
        var bytes = (0..<20_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        bytes[4_000..<4_004] = [0x0A, 0x48, 0x20, 0x2F]
        let lines = Talk([.client(bytes)], knowsRoles: false, start: .midstream).transcript()
        #expect(lines.count == 3 && lines[1].hasPrefix("> @0 data"), "\(lines)")
    }

    // MARK: - What is

    @Test(arguments: [
        "GET /a?cd+/t;rm+* http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", "get / HTTP/1.1\r\nHost: a\r\n\r\n",
        "FOO /x HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.x\r\nHost: a\r\n\r\n", "GET / http/1.1\r\nHost: a\r\n\r\n",
    ])
    func theSameLineIsJudgedAlikeFromTheStartAndFromTheMiddle(_ text: String) {
        let fromStart = Talk([.client(text)]).transcript().dropFirst()
        let fromMiddle = Talk([.client(text)], knowsRoles: false, start: .midstream).transcript().dropFirst()
        #expect(fromStart.first?.hasPrefix("> @0 request") == true, "\(fromStart)")
        #expect(Array(fromStart) == Array(fromMiddle))
        #expect(Talk([.client(text)]).difference(from: Talk([.client(text)]).transcript()) == nil)
    }

    @Test func aLongTargetIsWaitedFor() {
        let target = "/" + String(repeating: "a", count: 20_000)
        let talk = Talk([.client("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")])
        #expect(talk.transcript()[1].hasPrefix("> @0 request GET /aaa"))
    }

    @Test func aRequestLineThatIsCutIsKnownByItsAnswer() {
        let talk = Talk([
            .client("GET /long"), .gap(.client, 900, .truncated), .server("HTTP/1.1 204 No Content\r\n\r\n"), .finish(.client),
            .finish(.server),
        ])
        #expect(
            Array(talk.transcript()[1...3]) == ["> @0 request GET /long ", "> @0 ! http.head-cut a=0 b=0", "> @9 gap 900 truncated"],
            "\(talk.transcript())")
        let alone = Talk([.client("GET /long"), .gap(.client, 900, .truncated)])
        #expect(alone.transcript()[1] == "> @0 request GET /long ", "\(alone.transcript())")
        let unknown = Talk([.client("RETR /long"), .gap(.client, 900, .truncated)])
        #expect(unknown.transcript()[1] == "> @0 data \"RETR /long\"")
    }

    @Test func emptyLinesBeforeTheFirstRequestAreSkipped() {
        let talk = Talk([.client("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")])
        #expect(
            Array(talk.transcript()[1...3])
                == ["> @0 data \"\\r\\n\"", "> @2 request GET / HTTP/1.1 {Host: a}", "> @0 ! http.empty-line a=2 b=0"],
            "\(talk.transcript())")
        #expect(talk.difference(from: talk.transcript()) == nil)
        // Nearly: what follows is something else.
        #expect(Talk([.client("\r\nEHLO a\r\n")]).transcript()[1] == "> @0 data \"\\r\\nEHLO a\\r\\n\"")
    }

    // MARK: - An answer captured before its request

    private let offer =
        "GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    private let switching =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

    @Test func anAnswerCapturedBeforeItsRequestIsReadAfterIt() {
        let ordered = Talk([.client(offer), .server(switching), .server([0x81, 2, 0x68, 0x69])]).transcript()
        var swapped = Talk([.server(switching), .server([0x81, 2, 0x68, 0x69]), .client(offer)])
        // The server had the request when it spoke, as its acknowledgements say.
        swapped.received = UInt32(offer.utf8.count)
        #expect(swapped.transcript() == ordered, "\(swapped.transcript())")
        #expect(swapped.difference(from: ordered) == nil)
        // With frames of the client in the same packet as its request.
        var more = Talk([.server(switching), .bytes(.client, Array(offer.utf8) + [0x89, 0x80, 1, 2, 3, 4])])
        more.received = UInt32(offer.utf8.count)
        #expect(more.transcript().contains("> @\(offer.utf8.count) ping \"\""), "\(more.transcript())")
        #expect(!more.transcript().contains { $0.contains("!") }, "\(more.transcript())")
        #expect(more.difference(from: more.transcript()) == nil)
    }

    @Test func anAnswerToNothingIsStillFound() {
        for talk in [
            Talk([.server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), .finish(.client), .finish(.server)]),
            Talk([.server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), .finish(.server)]),
            Talk([.server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), .reset(.server)]),
        ] {
            #expect(talk.transcript().contains("< @0 ! http.response-unasked a=0 b=0"), "\(talk.transcript())")
        }
    }

    // MARK: - What is skipped

    @Test func whatIsNoStartLineIsShown() {
        let talk = Talk([.client("GET /s HTTP/1.0\r\n\r\n"), .server("ICY 200 OK\r\nicy-name: a\r\n\r\n\u{1}\u{2}"), .finish(.server)])
        #expect(
            Array(talk.transcript()[2...3]) == [
                "< @0 ! http.start-line-invalid a=0 b=0",
                "< @0 data \(Transcript.show(Array("ICY 200 OK\r\nicy-name: a\r\n\r\n\u{1}\u{2}".utf8)))",
            ], "\(talk.transcript())")
        #expect(talk.difference(from: talk.transcript()) == nil)
    }

    // MARK: - Roles

    @Test func aMaskTellsTheClientWhicheverPortIsLower() {
        // The sender of masked frames has the lower port.
        let key: [UInt8] = [1, 2, 3, 4]
        let masked = [0x82, 0x80 | 20] + key + [UInt8](repeating: 9, count: 20) + [0x88, 0x80] + key
        let talk = Talk([.server(masked), .client([0x82, 3, 1, 2, 3])], knowsRoles: false, start: .midstream)
        let lines = talk.transcript()
        #expect(lines.first == "opened midstream by content" && lines.contains { $0.hasPrefix("> @0 message binary 20 B") }, "\(lines)")
        #expect(talk.difference(from: lines) == nil)
    }

    @Test func theRuleOfTheUserNamesTheServersPort() {
        var segments = Segments()
        segments.clientPort = 8_080
        segments.serverPort = 50_000
        segments.rules = [DecodeRule(port: 50_000, layer: .webSocket)]
        let lines = segments.packet(.server, [0x82, 3, 1, 2, 3], at: 0).transcript()
        #expect(lines.first == "opened midstream by ports", "\(lines)")
        #expect(lines.contains { $0.hasPrefix("< @0 message binary 3 B") }, "\(lines)")
    }

    @Test func aUserWhoNamesHTTPMeansBothVersions() {
        var segments = Segments()
        segments.rules = [DecodeRule(port: segments.serverPort, layer: .http)]
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings
        func lines() -> [String] {
            segments.handshake().packet(.client, preface, at: 0, flags: [.psh, .ack], ack: 0)
                .packet(.server, settings, at: 0, flags: [.psh, .ack], ack: preface.count).transcript()
        }
        let named = lines()
        #expect(!named.contains { $0.contains("!") || $0.contains("data") }, "\(named)")
        segments.rules = []
        #expect(lines() == named)
    }

    // MARK: - Cost

    @Test(arguments: ["H", "G", "GET / ", "HTTP/1.1 ", "\u{17}\u{3}\u{3}", "\u{16}\u{3}\u{1}\u{1}", "\n"])
    func packetsOfOneByteAreSearchedOnce(_ unit: String) {
        func steps(_ size: Int) -> Int {
            let endpoint = Endpoint(address: IPAddress(ipv4: 1), port: 1)
            var conversation = Conversation(
                number: 1, first: endpoint, second: endpoint, sideOfFirst: nil, start: .midstream, forced: nil, limits: Limits(),
                place: Place())
            var sink = Transcript()
            let bytes = Array(unit.utf8)
            for index in 0..<size {
                conversation.receive(.bytes([bytes[index % bytes.count]].rawBytes), direction: .first, place: Place(), sink: &sink)
            }
            return conversation.searchSteps
        }
        let (once, twice) = (steps(8_000), steps(16_000))
        // The first 4,096 bytes are searched otherwise than what is watched after them.
        #expect(twice <= once * 22 / 10 + 12_288 && once < 80_000, "\(once) \(twice)")
    }
}
