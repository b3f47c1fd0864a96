import Dissection
import Support
import Testing

/// Lost bytes, cut heads, streams without a beginning.
@Suite struct HTTP1GapTests {
    private let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    private let got = "> @0 request GET / HTTP/1.1 {Host: x}"

    @Test func aRequestLineThatIsCutInsideItsVersionKeepsItsTarget() {
        for version in ["H", "HT", "HTTP/", "http/1."] {
            let told = Talk([.client("GET /a \(version)"), .finish(.client)]).transcript()
            #expect(told.contains("> @0 request GET /a \(version)"), "\(told)")
        }
        // Nearly: it may be the target that has a space.
        let told = Talk([.client("GET /a b"), .finish(.client)]).transcript()
        #expect(told.contains("> @0 request GET /a b "), "\(told)")
    }

    @Test func aBodyOfKnownLengthGoesOnBehindAGap() {
        let talk = Talk([
            .client(get), .server("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .gap(.server, 4, .missing),
            .server("hijHTTP/1.1 204 N\r\n\r\n"),
        ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake", got, "< @0 response 200 OK {Content-Length: 10}", "< @39 body 1 3/3 B \"abc\"",
                "< @42 gap 4 missing", "< @46 body 2 final 3/3 B \"hij\"", "< @49 response 204 N", "< @49 ! http.response-unasked a=0 b=0",
                "closed unknown endOfCapture  client open 27 B  server open 63 B 4 missing",
            ]) == nil)
    }

    @Test func aGapBeyondTheBodyLosesSynchronisation() {
        let talk = Talk([
            .client(get), .server("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc"), .gap(.server, 9, .missing),
            .server("K\r\nContent-Length: 0\r\n\r\nHTTP/1.1 204 N\r\n\r\n"),
        ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake", got, "< @0 response 200 OK {Content-Length: 4}", "< @38 body 1 3/3 B \"abc\"",
                "< @41 gap 9 missing", "< @41 body 2 final 0/0 B \"\"", "< @50 data \"K\\r\\nContent-Length: 0\\r\\n\\r\\n\"",
                "< @74 response 204 N",
                "closed unknown endOfCapture  client open 27 B  server open 83 B 9 missing",
            ]) == nil)
    }

    @Test func aRequestHeadThatIsCutIsToldAsFarAsItWasSeen() {
        let talk = Talk([
            .client("POST /p HTTP/1.1\r\nHost: x\r\nCook"), .gap(.client, 40, .truncated),
            .server("HTTP/1.1 204 N\r\n\r\n"), .client("GET /q HTTP/1.1\r\nHost: x\r\n\r\n"), .server("HTTP/1.1 204 N\r\n\r\n"),
        ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake", "> @0 request POST /p HTTP/1.1 {Host: x}", "> @0 ! http.head-cut a=0 b=0",
                "> @27 data \"Cook\"", "> @31 gap 40 truncated", "< @0 response 204 N", "> @71 request GET /q HTTP/1.1 {Host: x}",
                "< @18 response 204 N",
                "closed unknown endOfCapture  client open 59 B 40 missing  server open 36 B",
            ]) == nil)
    }

    @Test("a lost response to the offer of HTTP/2 is not taken for the next one")
    func lostAnswerToAnOffer() {
        let offer = "GET /a HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
        let webSocket =
            "GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        let switching =
            "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
        let told = Talk([
            .client(offer), .gap(.server, 40, .missing), .client(webSocket), .server(switching),
            .client([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]),
        ]).transcript()
        #expect(told.contains { $0.contains("request GET /ws") } && told.contains { $0.contains("message") }, "\(told)")
        #expect(!told.contains { $0.contains(" ! ") }, "\(told)")
    }

    @Test("a capture that ends inside a response accuses nobody where an offer waits")
    func endBehindAnOffer() {
        let ask = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
        let offer = "GET /b HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
        let told = Talk([.client(ask + offer + ask), .server("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfour")]).transcript()
        #expect(!told.contains { $0.contains("http.message-incomplete") }, "\(told)")
    }

    @Test func aTargetThatIsCutIsToldAsWell() {
        let talk = Talk([.client("GET /very/lo"), .gap(.client, 40, .truncated), .server("HTTP/1.1 204 N\r\n\r\n")])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake", "> @0 request GET /very/lo ", "> @0 ! http.head-cut a=0 b=0",
                "> @12 gap 40 truncated", "< @0 response 204 N",
                "closed unknown endOfCapture  client open 12 B 40 missing  server open 18 B",
            ]) == nil)
    }

    @Test func aSwitchThatIsCutIsStillASwitch() {
        let talk = Talk([
            .client("GET /w HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
            .server("HTTP/1.1 101 Switching Protocols\r\nConn"), .gap(.server, 90, .truncated), .client("x"),
        ])
        let told = talk.transcript()
        #expect(told.contains("< @0 upgrade websocket accepted"))
        #expect(told.contains("< @0 ! http.head-cut a=0 b=0"))
        #expect(told.contains("> @69 gap 1 undecodable"))
        #expect(talk.difference(from: told) == nil)
    }

    @Test func aLostSwitchLeavesTheQuestionOpen() {
        let talk = Talk([
            .client("GET /w HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"), .gap(.server, 90, .missing),
            .client("xyz"),
        ])
        let told = talk.transcript()
        #expect(told.contains("> @69 data \"xyz\""))
        #expect(talk.difference(from: told) == nil)
    }

    @Test func behindALostAnswerToConnectTheTunnelIsLookedInto() {
        let talk = Talk([
            .client("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n"), .client(get), .gap(.server, 39, .missing),
            .server("HTTP/1.1 204 N\r\n\r\n"),
        ])
        let told = talk.transcript()
        #expect(told.contains("> @39 request GET / HTTP/1.1 {Host: x}"), "\(told)")
        #expect(told.contains("< @39 response 204 N"), "\(told)")
        #expect(talk.difference(from: told) == nil)
    }

    @Test func aStreamWithoutABeginningIsSearched() {
        let talk = Talk(
            [
                .server("rest of a body</html>HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"), .client("a=b&c=d"),
                .client(get), .server("HTTP/1.1 204 N\r\n\r\n"),
            ], knowsRoles: false, start: .midstream)
        #expect(
            talk.difference(from: [
                "opened midstream by content", "< @0 data \"rest of a body</html>\"", "< @21 response 200 OK {Content-Length: 1}",
                "< @59 body 1 final 1/1 B \"x\"", "> @0 data \"a=b&c=d\"", "> @7 request GET / HTTP/1.1 {Host: x}", "< @60 response 204 N",
                "closed unknown endOfCapture  client open 34 B  server open 78 B",
            ]) == nil)
    }

    @Test func aStreamThatBeginsWithAStartLineIsNotSearched() {
        let talk = Talk([.client(get), .server("HTTP/1.1 204 N\r\n\r\n")], knowsRoles: false, start: .midstream)
        #expect(
            talk.difference(from: [
                "opened midstream by content", got, "< @0 response 204 N",
                "closed unknown endOfCapture  client open 27 B  server open 18 B",
            ]) == nil)
    }

    @Test func lostRequestsAreNoFindingOfTheServer() {
        let talk = Talk([
            .client(get), .gap(.client, 27, .missing), .client("GET /c HTTP/1.1\r\nHost: x\r\n\r\n"),
            .server("HTTP/1.1 204 A\r\n\r\nHTTP/1.1 204 B\r\n\r\nHTTP/1.1 204 C\r\n\r\n"),
        ])
        let told = talk.transcript()
        #expect(!told.contains { $0.contains("!") })
        #expect(talk.difference(from: told) == nil)
    }

    @Test func aHeadThatEndsWithTheDirection() {
        let talk = Talk([.client("GET / HTTP/1.1\r\nHo"), .finish(.client)])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake", "> @0 request GET / HTTP/1.1", "> @0 ! http.message-incomplete a=0 b=0",
                "> @16 data \"Ho\"", "closed client fin  client fin 18 B  server open 0 B",
            ]) == nil)
    }

    @Test func aHeadBeyondTheLimitIsGivenUp() {
        var limits = Limits()
        limits.headBytes = 64
        let long = "GET /a HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "y", count: 60) + "\r\n\r\n"
        let talk = Talk([.client(long + get)], limits: limits)
        #expect(
            talk.difference(from: [
                "opened handshake by handshake", "> @0 gap 64 limit", "> @0 ! http.head-limit a=64 b=0",
                "> @64 data \"yyyyyyyyyyyyyyyyyyyyyyyyy\\r\\n\\r\\n\"",
                "> @93 request GET / HTTP/1.1 {Host: x}", "closed unknown endOfCapture  client open 120 B  server open 0 B",
            ]) == nil)
    }

    @Test func memoryIsGivenBackWhenItIsShort() {
        var sink = Transcript()
        let place = Place(time: Timestamp(nanoseconds: 0))
        var conversation = Conversation(
            number: 1, first: Endpoint(address: IPAddress(ipv4: 1), port: 50_000), second: Endpoint(address: IPAddress(ipv4: 2), port: 80),
            sideOfFirst: .client, start: .handshake, forced: nil, limits: Limits(), place: place)
        conversation.open(sink: &sink)
        func bring(_ text: String, _ direction: Direction) {
            let bytes = Array(text.utf8)
            conversation.receive(.bytes(bytes.rawBytes), direction: direction, place: place, sink: &sink)
        }
        bring(get, .first)
        bring("HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n" + String(repeating: "x", count: 3_000), .second)
        #expect(conversation.heldBytes >= 3_000)
        let wasBodyCut = conversation.cutAssembly(sink: &sink)
        #expect(wasBodyCut)
        #expect(conversation.heldBytes < 3_000)
        bring(String(repeating: "x", count: 1_000), .second)
        bring("GET /" + String(repeating: "y", count: 2_000), .first)
        let wasHeadCut = conversation.cutAssembly(sink: &sink)
        #expect(wasHeadCut)
        bring(" HTTP/1.1\r\n\r\n" + get, .first)
        conversation.close(.endOfCapture, sink: &sink)
        let told = sink.finished()
        #expect(told.contains("< @41 body 1 final 4000/4000 B \"\""))
        #expect(told.contains("> @27 gap 2005 limit"))
        #expect(told.contains("> @2045 request GET / HTTP/1.1 {Host: x}"))
    }
}
