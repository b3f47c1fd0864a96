import Dissection
import Support
import Testing

/// Talk of which the capture lacks the beginning, and which is nothing known: shown soon, and watched.
@Suite struct UnknownTalkTests {
    /// What is told after the steps, before the conversation ends.
    private func live(_ steps: [Talk.Step], client: UInt16 = 50_000, server: UInt16 = 8_080) -> [String] {
        var sink = Transcript()
        let first = steps.first?.side ?? .client
        let (clientEnd, serverEnd) = (
            Endpoint(address: IPAddress(ipv4: 1), port: client), Endpoint(address: IPAddress(ipv4: 2), port: server)
        )
        var conversation = Conversation(
            number: 1, first: first == .client ? clientEnd : serverEnd, second: first == .client ? serverEnd : clientEnd, sideOfFirst: nil,
            start: .midstream, forced: nil, limits: Limits(), place: Place())
        conversation.open(sink: &sink)
        for case .bytes(let side, let bytes) in steps {
            conversation.receive(.bytes(bytes.rawBytes), direction: side == first ? .first : .second, place: Place(), sink: &sink)
        }
        return sink.finished()
    }

    private let chat: [Talk.Step] = [.client("hello everybody"), .server("welcome"), .client("how are you?"), .server("fine")]

    @Test func aChatIsShownOnceBothHaveSpokenTwice() {
        #expect(live(Array(chat.prefix(3))).isEmpty)
        #expect(
            live(chat) == [
                "opened midstream by ports", "> @0 data \"hello everybody\"", "< @0 data \"welcome\"", "> @15 data \"how are you?\"",
                "< @7 data \"fine\"",
            ])
        #expect(live(chat + [.client("LOGIN bob")]).last == "> @27 data \"LOGIN bob\"")
        for talk in [chat, chat + [.client("GET"), .server("HTTP")]] {
            let whole = Talk(talk, knowsRoles: false, start: .midstream)
            #expect(whole.difference(from: whole.transcript()) == nil)
        }
    }

    @Test func aLogWhoseLastLineIsAStartLineStaysALog() {
        for last in ["GET /x HTTP/1.1\n", "GET /x HTTP/1.1\r\nPO", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 O"] {
            for start in [Opening.Start.midstream, .handshake] {
                let log = Talk([.client("server started\nlistening\n" + last), .finish(.client), .finish(.server)], start: start)
                let told = log.transcript()
                #expect(told.count == 3 && told[1].hasPrefix("> @0 data \"server started"), "\(told)")
                #expect(log.difference(from: told) == nil)
            }
        }
    }

    @Test(arguments: ["GET /", "HTTP/1.1 200 "])
    func whatIsWatchedIsLookedAtOnce(_ beginning: String) {
        func steps(_ size: Int) -> Int {
            let (client, server) = (Endpoint(address: IPAddress(ipv4: 1), port: 50_000), Endpoint(address: IPAddress(ipv4: 2), port: 8_080))
            var conversation = Conversation(
                number: 1, first: client, second: server, sideOfFirst: nil, start: .midstream, forced: nil, limits: Limits(), place: Place()
            )
            var sink = Transcript()
            for case .bytes(let side, let bytes) in chat {
                conversation.receive(.bytes(bytes.rawBytes), direction: side == .client ? .first : .second, place: Place(), sink: &sink)
            }
            let direction: Direction = beginning.hasPrefix("G") ? .first : .second
            conversation.receive(.bytes(Array(beginning.utf8).rawBytes), direction: direction, place: Place(), sink: &sink)
            for _ in 0..<size { conversation.receive(.bytes([0x61].rawBytes), direction: direction, place: Place(), sink: &sink) }
            return conversation.searchSteps
        }
        #expect(steps(1_800) < 4 * 1_900 && steps(1_800) > 800, "\(steps(900)) \(steps(1_800))")
    }

    @Test func whatMayBeTheBeginningOfAMessageIsWaitedFor() {
        let dialogue = Array(chat.prefix(3))
        #expect(live(dialogue + [.server("HTTP/1.1 200 OK\r\n")]).isEmpty)
        #expect(live([.client("GET /a/long/path"), .server("a"), .client("b"), .server("c")]).isEmpty)
        #expect(live([.client([0x81, 0xFE, 0x10, 0x00, 1, 2, 3, 4, 0x62]), .server("a"), .client("b"), .server("c")]).isEmpty)
    }

    @Test func textOfOneSideIsShownSooner() {
        let line = "1.2.3.4 - - [x] \"GET / HTTP/1.1\" 200 5\n"
        let text = String(repeating: line, count: 4_096 / line.utf8.count)
        #expect(live([.client(text)]).isEmpty)
        #expect(live([.client(text + line)]).last?.hasPrefix("> @0 data") == true)
        var random = SplitMix(seed: 8)
        let noise = (0..<60_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        #expect(live([.client(noise)]).isEmpty)
        #expect(live([.client(noise + noise)]).last?.hasPrefix("> @0 data") == true)
    }

    @Test func aLongRunStaysItsSendersWhoeverThatTurnsOutToBe() {
        // The first to speak goes as the client, until as much text as is waited for has said by the ports who is who.
        let talk = Talk([.server(String(repeating: "ready\n", count: 1_000))], knowsRoles: false, start: .midstream)
        let told = talk.transcript()
        #expect(told.last == "closed unknown endOfCapture  client open 0 B  server open 6000 B", "\(told)")
        #expect(talk.difference(from: told) == nil, "\(talk.difference(from: told) ?? "")")
        #expect(told.dropFirst().dropLast().allSatisfy { $0.hasPrefix("< ") }, "\(told)")
    }

    @Test func binaryTalkIsShownAfterMoreTurns() {
        let turn: [Talk.Step] = [.client([0, 0, 0, 4, 1, 2, 3, 4]), .server([0, 0, 0, 2, 1, 2])]
        #expect(live((0..<7).flatMap { _ in turn }).isEmpty)
        #expect(live((0..<8).flatMap { _ in turn }).count == 17)
    }

    // MARK: - What comes to light later

    private let request = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
    private let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func aRequestThatFollowsIsRead() {
        for cut in [request.utf8.count, 20, 7] {
            let bytes = Array(request.utf8)
            let parts: [Talk.Step] = [.client(Array(bytes.prefix(cut))), .client(Array(bytes.dropFirst(cut)))]
            let lines = live(chat + parts + [.server(response)])
            #expect(
                Array(lines.dropFirst(5)) == [
                    "> @27 request GET /a HTTP/1.1 {Host: a}", "< @11 response 200 OK {Content-Length: 2}",
                    "< @49 body 1 final 2/2 B \"ok\"",
                ], "\(cut) \(lines)")
        }
        // Nearly: what only begins like one is shown when it comes to nothing.
        let nearly = live(chat + [.client("GET /a b\r\n"), .server("no"), .client("DELETE /x"), .server("x")])
        #expect(!nearly.contains { $0.contains("request") } && nearly.last == "< @13 data \"x\"", "\(nearly)")
    }

    @Test func aResponseAHelloAndFramesThatFollowAreRead() {
        #expect(live(chat + [.server(response)]).contains("< @11 response 200 OK {Content-Length: 2}"))
        let hello: [UInt8] =
            [0x16, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0xC0, 0x2F, 1, 0]
        #expect(live(chat + [.client(hello)]).contains { $0.contains("tls") || $0.contains("hello") })
        let texts = ["{\"type\":\"join\",\"room\":7}", "{\"type\":\"leave\"}"]
        let frames = live(chat + texts.map { .clientText($0) })
        for text in texts { #expect(frames.contains { $0.hasSuffix("\"\(text)\"") && $0.contains("message text") }, "\(frames)") }
        // Nearly: bytes with the highest bit are often no frames.
        #expect(live(chat + [.client([0x81, 0x85, 1, 2, 3, 4, 5])]).last?.contains("data") == true)
    }

    @Test func aGapOrTheEndShowsWhatWaits() {
        let begun = chat + [.client("GET /a HTTP/1.1\r\n")]
        let gap = Talk(begun + [.gap(.client, 5, .missing), .client("more")], knowsRoles: false, start: .midstream).transcript()
        #expect(
            gap.suffix(4).dropLast() == ["> @27 data \"GET /a HTTP/1.1\\r\\n\"", "> @44 gap 5 missing", "> @49 data \"more\""], "\(gap)")
        let end = Talk(begun, knowsRoles: false, start: .midstream).transcript()
        #expect(end.dropLast().last == "> @27 data \"GET /a HTTP/1.1\\r\\n\"", "\(end)")
    }
}
