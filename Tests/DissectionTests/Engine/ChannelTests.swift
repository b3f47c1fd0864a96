import Dissection
import Support
import Testing

/// Channels inside the wire: what runs in a tunnel, and what follows an agreement on TLS, is read like the wire itself.
@Suite struct ChannelTests {
    private let connect = "CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n"
    private let connected = "HTTP/1.1 200 OK\r\n\r\n"

    /// A ClientHello for `a.example`, and a ServerHello of TLS 1.2.
    private let clientHello: [UInt8] = {
        let name = Array("a.example".utf8)
        let names: [UInt8] = [0, UInt8(name.count + 3), 0, 0, UInt8(name.count)] + name
        let extensions: [UInt8] = [0, 0, 0, UInt8(names.count)] + names
        let body: [UInt8] =
            [3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0xC0, 0x2F, 1, 0] + [0, UInt8(extensions.count)] + extensions
        return [0x16, 3, 1, 0, UInt8(body.count + 4), 1, 0, 0, UInt8(body.count)] + body
    }()
    private let serverHello: [UInt8] = {
        let body: [UInt8] = [3, 3] + [UInt8](repeating: 9, count: 32) + [0, 0xC0, 0x2F, 0]
        return [0x16, 3, 3, 0, UInt8(body.count + 4), 2, 0, 0, UInt8(body.count)] + body
    }()

    private func expect(_ talk: Talk, _ lines: [String], _ location: SourceLocation = #_sourceLocation) {
        let told = talk.transcript().dropFirst().filter { !$0.hasPrefix("closed") }
        let difference = talk.difference(from: talk.transcript())
        #expect(Array(told) == lines, sourceLocation: location)
        #expect(difference == nil, "\(difference ?? "")", sourceLocation: location)
    }

    @Test func tlsIsReadInsideATunnel() {
        expect(
            Talk([.client(connect), .server(connected), .client(clientHello), .server(serverHello)]),
            [
                "> @0 request CONNECT h:443 HTTP/1.1 {Host: h:443}", "< @0 response 200 OK",
                "< | @0 tls name a.example alpn  version 303 cipher c02f",
            ])
    }

    @Test(arguments: [
        ["220 mail ready\r\n", "EHLO me\r\n", "250-mail\r\n250 STARTTLS\r\n", "STARTTLS\r\n", "220 go ahead\r\n"],
        ["* OK imap\r\n", "a STARTTLS\r\n", "a OK begin\r\n"],
        ["+OK pop\r\n", "STLS\r\n", "+OK\r\n"],
        ["", "\u{0}\u{0}\u{0}\u{8}\u{4}\u{2}\u{16}/", "S"],
        ["", "\u{5}\u{1}\u{0}", "\u{5}\u{0}", "\u{5}\u{1}\u{0}\u{1}\u{1}\u{2}\u{3}\u{4}\u{1}\u{3B}", "\u{5}\u{0}\u{0}\u{1}......"],
    ])
    func tlsIsReadAfterAnyWordsThatAgreeOnIt(_ turns: [String]) {
        var steps: [Talk.Step] = []
        for (index, turn) in turns.enumerated() where !turn.isEmpty { steps.append(index % 2 == 0 ? .server(turn) : .client(turn)) }
        let told = Talk(steps + [.client(clientHello), .server(serverHello)]).transcript()
        #expect(told.contains("< | @0 tls name a.example alpn  version 303 cipher c02f"), "\(told)")
        let talk = Talk(steps + [.client(clientHello), .server(serverHello), .finish(.client), .finish(.server)])
        #expect(talk.difference(from: talk.transcript()) == nil)
    }

    @Test func aResetThatAcknowledgesAFinCapturedAfterItClosesNothing() {
        let (asked, agreed) = (connect.utf8.count, connected.utf8.count)
        let open = Segments().handshake().client(connect, at: 0).server(connected, at: 0, ack: asked)
        for (talk, sent) in [(open, 0), (open.client("ask", at: asked, ack: agreed).server("yes", at: agreed, ack: asked + 3), 3)] {
            let late = talk.packet(.client, at: asked + sent, flags: [.rst, .ack], ack: agreed + sent + 1)
                .fin(.server, at: agreed + sent, ack: asked + sent).transcript()
            #expect(late.last?.hasPrefix("closed server fin") == true, "\(late)")
            // Nearly: a FIN of the client came before the server's.
            let first = talk.fin(.client, at: asked + sent).fin(.server, at: agreed + sent, ack: asked + sent + 1).transcript()
            #expect(first.last?.hasPrefix("closed client fin") == true, "\(first)")
        }
    }

    @Test func aBannerDoesNotHideAHello() {
        expect(
            Talk([.server("who are you\n"), .client(clientHello), .server(serverHello)]),
            ["< @0 data \"who are you\\n\"", "< | @0 tls name a.example alpn  version 303 cipher c02f"])
    }

    @Test func onlyAWholeTurnOfTheClientBeginsIt() {
        // In the middle of what the client says, after a loss, from the server, and what only looks like it.
        for steps: [Talk.Step] in [
            [.server("hi\n"), .client("x"), .client(clientHello)],
            [.client("hi\n"), .server("ok\n"), .gap(.client, 9, .missing), .client(clientHello)],
            [.client("hi\n"), .server(clientHello)],
            [.server("hi\n"), .client([0x16, 3, 1, 0, 40, 11, 0, 0, 1])],
            [.server("hi\n"), .client([0x16, 3, 1])],
        ] {
            let talk = Talk(steps)
            let told = talk.transcript()
            #expect(!told.contains { $0.contains("|") || $0.contains("tls") }, "\(told)")
            #expect(talk.difference(from: told) == nil)
        }
    }

    @Test func whoSaysDataGetsData() {
        let told = Talk([.server("hi\n"), .client(clientHello)], forced: .data).transcript()
        #expect(told.count == 4 && told[2].hasPrefix("> @0 data"), "\(told)")
    }

    @Test func aTunnelInATunnelIsReadUpToADepth() {
        var steps: [Talk.Step] = []
        for _ in 0..<12 { steps += [.client(connect), .server(connected)] }
        let told = Talk(steps).transcript()
        #expect(told.contains("> | | @0 request CONNECT h:443 HTTP/1.1 {Host: h:443}"))
        let depth = "> " + String(repeating: "| ", count: 8)
        #expect(told.contains(depth + "@0 request CONNECT h:443 HTTP/1.1 {Host: h:443}"))
        #expect(told.contains { $0.hasPrefix(depth + "@39 data") })
        #expect(!told.contains { $0.contains(String(repeating: "| ", count: 9)) })
    }

    @Test func nothingOfTheTalkIsLostWhereSomethingKnownBegins() {
        // In the middle of a stream: a client's turn that might have been a hello stands in the records whatever follows it.
        var steps: [Talk.Step] = []
        for turn in 0..<8 { steps += [.client("hello number \(turn)\n"), .server("answer \(turn)\n")] }
        steps += [.client([0x16, 3]), .server("?\n"), .client("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), .server("HTTP/1.1 204 N\r\n\r\n")]
        let told = Talk(steps, knowsRoles: false, start: .midstream).transcript()
        #expect(told.contains { $0.contains("data 16 03") } && told.contains { $0.contains("request GET /") }, "\(told)")
    }

    @Test func clearTalkBehindALossIsHeldAgainstNobody() {
        for lost in [Side.client, .server] {
            let steps: [Talk.Step] = [
                .server("220 hi\n"), .client("EHLO a\n"), .server("250 STARTTLS\n"), .client("STARTTLS\n"), .server("220 go\n"),
                .client(clientHello), .server(serverHello),
            ]
            let seen = steps.filter { $0.side != lost }
            let told = Talk([.gap(lost, 40, .missing)] + seen).transcript()
            #expect(!told.contains { $0.contains("! ") }, "\(told)")
        }
    }

    @Test func aServerThatRefusesTLSIsFollowedByTheClient() {
        let told = Talk([
            .server("220 hi\n"), .client("STARTTLS\n"), .server("454 no\n"), .client(clientHello), .server("500 what?\n"),
            .client("QUIT now\n"), .server("221 bye\n"),
        ]).transcript()
        #expect(told.contains { $0.contains("data \"QUIT now\\n\"") } && told.filter { $0.contains("! ") }.count == 1, "\(told)")
    }

    @Test func aCloseInATunnelComesBeforeTheFINBehindIt() {
        let head = "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        let request = head + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        let close: [UInt8] = [0x88, 0x82, 0, 0, 0, 0, 3, 0xE8]
        // The response is lost: the client's frames wait for it, and so does what ends them.
        let direct: [Talk.Step] = [.client(request), .gap(.server, 150, .missing), .client(close), .finish(.client), .finish(.server)]
        let alone = Talk(direct).transcript().last ?? ""
        let inside = Talk([.client(connect), .server(connected)] + direct).transcript().last ?? ""
        #expect(alone.split(separator: " ").prefix(3) == inside.split(separator: " ").prefix(3), "\(alone) \(inside)")
    }

    @Test func aGapIsToldInItsChannel() {
        expect(
            Talk([
                .client(connect), .server(connected), .client("GET /a HTTP/1.1\r\nHost: h\r\n\r\n"),
                .server("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .gap(.server, 4, .missing), .server("hi"),
            ]),
            [
                "> @0 request CONNECT h:443 HTTP/1.1 {Host: h:443}", "< @0 response 200 OK", "> | @0 request GET /a HTTP/1.1 {Host: h}",
                "< | @0 response 200 OK {Content-Length: 9}", "< | @38 body 1 3/3 B \"abc\"", "< | @41 gap 4 missing",
                "< | @45 body 2 final 2/2 B \"hi\"",
            ])
    }

    @Test func anUpgradeInATunnelThatNobodyAnswersIsShown() {
        let upgrade = "GET /w HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n"
        for end: [Talk.Step] in [[], [.finish(.client)], [.finish(.client), .finish(.server)], [.reset(.server)]] {
            let told = Talk([.client(connect), .server(connected), .client(upgrade + "more")] + end).transcript()
            #expect(told.contains("> | @\(upgrade.utf8.count) data \"more\""), "\(told)")
        }
    }

    @Test func totalsAndEndBelongToTheConversation() {
        let told = Talk([
            .client(connect), .server(connected), .client("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), .server("HTTP/1.1 204 N\r\n\r\n"),
            .finish(.server), .finish(.client),
        ]).transcript()
        #expect(told.filter { $0.contains("opened") || $0.contains("closed") }.count == 2)
        #expect(told.last == "closed server fin  client fin 66 B  server fin 37 B", "\(told)")
    }
}
