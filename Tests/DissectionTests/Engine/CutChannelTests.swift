import Dissection
import Support
import Testing

/// Channels inside the wire of which a part was not captured: what was seen is shown, and nobody is accused of what the capture lacks.
@Suite struct CutChannelTests {
    private let connect = "CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n"
    private let connected = "HTTP/1.1 200 OK\r\n\r\n"
    private let get = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
    private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private let clientHello: [UInt8] =
        [0x16, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0xC0, 0x2F, 1, 0]
    private let serverHello: [UInt8] = [0x16, 3, 3, 0, 42, 2, 0, 0, 38, 3, 3] + [UInt8](repeating: 9, count: 32) + [0, 0xC0, 0x2F, 0]

    private func expectNoFinding(_ told: [String], _ location: SourceLocation = #_sourceLocation) {
        #expect(!told.contains { $0.contains("! ") }, "\(told)", sourceLocation: location)
    }

    // MARK: - HTTP behind words of another protocol

    /// SOCKS to port 80, whose last byte is a `P`.
    private var socks: [Talk.Step] {
        [
            .client([5, 1, 0]), .server([5, 0]), .client([5, 1, 0, 1, 1, 2, 3, 4, 0, 0x50]), .server([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
            .client(get), .server(ok), .finish(.client), .finish(.server),
        ]
    }

    @Test func httpBehindSOCKSIsNotAccusedOfIt() {
        for before: [Talk.Step] in [[], [.client(connect), .server(connected)]] {
            for lost in 0..<4 {
                var steps = socks
                guard case .bytes(let side, let bytes) = steps[lost] else { continue }
                steps[lost] = .gap(side, bytes.count, .missing)
                let talk = Talk(before + steps)
                let told = talk.transcript()
                expectNoFinding(told)
                #expect(!told.contains { $0.contains("PGET") }, "\(told)")
                #expect(talk.difference(from: told) == nil, "\(talk.difference(from: told) ?? "")")
            }
        }
        // The first of the client is lost: HTTP is found, and the words of SOCKS before it are data of both sides.
        let told = Talk([.gap(.client, 3, .missing)] + socks.dropFirst()).transcript()
        #expect(told.contains("> @13 request GET /a HTTP/1.1 {Host: x}") && told.contains { $0.hasPrefix("< @12 response 200") }, "\(told)")
        #expect(told.contains("< @0 data 05 00") && told.contains("< @2 data 05 00 00 01 00 00 00 00 00 00"), "\(told)")
    }

    @Test func aMethodThatNobodyRegisteredStaysWhole() {
        let told = Talk([.client("{}\nPGET /a HTTP/1.1\r\nHost: x\r\n\r\n")], knowsRoles: false, start: .midstream).transcript()
        #expect(told.contains { $0.hasPrefix("> @3 request PGET /a") }, "\(told)")
    }

    @Test func theRestOfAMethodIsNoRequest() {
        for (before, lost) in [("CON", 2), ("C", 1), ("", 4), ("CONNE", 1), ("CONNECT", 1)] {
            let rest = String(connect.dropFirst(before.utf8.count + lost))
            let first: [Talk.Step] = before.isEmpty ? [] : [.client(before)]
            let talk = Talk(
                first + [.gap(.client, lost, .missing), .client(rest), .server(connected), .client(clientHello), .server(serverHello)])
            let told = talk.transcript()
            #expect(told.allSatisfy { !$0.contains("! ") || $0.contains("http.head-cut") }, "\(told)")
            #expect(!told.contains { $0.contains("request") }, "\(told)")
        }
    }

    // MARK: - ICAP

    private let modification =
        "REQMOD icap://h/s ICAP/1.0\r\nHost: h\r\nEncapsulated: req-hdr=0, null-body=29\r\n\r\nGET /a HTTP/1.1\r\nHost: x\r\n\r\n"
    private let modified =
        "ICAP/1.0 200 OK\r\nEncapsulated: req-hdr=0, null-body=29\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func icapIsNotTheHTTPThatItCarries() {
        let whole: [Talk.Step] = [.client(modification), .server(modified), .client(modification), .server(modified)]
        for steps in [whole, Array(whole.dropFirst()), whole.map { $0 } + [.finish(.client), .finish(.server)]] {
            for start in [Opening.Start.handshake, .midstream] {
                let talk = Talk(steps, knowsRoles: start == .handshake, start: start)
                let told = talk.transcript()
                expectNoFinding(told)
                #expect(!told.contains { $0.contains("request") || $0.contains("response") }, "\(told)")
                #expect(talk.difference(from: told) == nil, "\(talk.difference(from: told) ?? "")")
            }
        }
    }

    @Test func icapThatBeginsInWhatItCarriesIsLeftOnceItShows() {
        for steps: [Talk.Step] in [
            [.client(get), .server(modified), .client(modification), .server(modified)],
            [.client(get + modification), .server(modified), .client(modification)],
        ] {
            let talk = Talk(steps, knowsRoles: false, start: .midstream)
            let told = talk.transcript()
            expectNoFinding(told)
            #expect(told.filter { $0.contains("request") }.count == 1, "\(told)")
            #expect(talk.difference(from: told) == nil, "\(talk.difference(from: told) ?? "")")
        }
        // Nearly: a conversation that was HTTP from its start stays it, whatever a side says.
        let (asked, answered) = (get + "X Y ICAP/1.0\r\n" + get, ok + "ICAP/1.0 200 OK\r\n" + ok)
        let http = Talk([.client(asked), .server(answered)]).transcript()
        #expect(
            http.filter { $0.contains(" request GET") }.count == 2 && http.contains { $0.contains("http.start-line-invalid") }, "\(http)")
    }

    // MARK: - TLS behind clear talk

    @Test func clearTalkBeforeTLSIsShownBehindALoss() {
        let told = Talk([
            .gap(.client, 8, .missing), .server("250 STARTTLS\n"), .gap(.client, 9, .missing), .server("220 go\n"), .client(clientHello),
            .server(serverHello),
        ]).transcript()
        expectNoFinding(told)
        #expect(told.contains("< @0 data \"250 STARTTLS\\n220 go\\n\"") && told.contains { $0.contains("tls name") }, "\(told)")
        #expect(!told.contains { $0.contains("resync") }, "\(told)")
        // Nobody answers the hello any more.
        let alone = Talk([.gap(.client, 8, .missing), .client(clientHello), .server("454 no\n"), .finish(.server)])
        #expect(alone.transcript().contains("< @0 data \"454 no\\n\""), "\(alone.transcript())")
        #expect(alone.difference(from: alone.transcript()) == nil)
        // Nearly: a piece of ciphertext is a gap.
        let sealed: [UInt8] = [0x17, 3, 3, 0, 4, 1, 2, 3, 4]
        let late = Talk([.server([9, 9, 9] + sealed + sealed), .client(sealed + sealed)], knowsRoles: false, start: .midstream).transcript()
        #expect(late.contains("< @0 gap 3 resync"), "\(late)")
    }

    // MARK: - A server that is out of sight

    private func segments(_ steps: [(Side, [UInt8], ack: Int)]) -> [String] {
        var segments = Segments()
        var offsets = (client: 0, server: 0)
        for (side, bytes, ack) in steps {
            let at = side == .client ? offsets.client : offsets.server
            segments = segments.packet(side, bytes, at: at, flags: [.psh, .ack], ack: ack)
            if side == .client { offsets.client += bytes.count } else { offsets.server += bytes.count }
        }
        return segments.transcript()
    }

    @Test func whatIsSentAheadOfAResponseWaitsForIt() {
        // No SYN was seen, and nothing of the server before the client's third packet.
        let early = Array(connect.utf8) + clientHello
        let told = segments([
            (.client, Array(early.prefix(30)), 0), (.client, Array(early.dropFirst(30).prefix(30)), 0),
            (.client, Array(early.dropFirst(60)), 0),
            (.server, Array(connected.utf8) + serverHello, early.count),
        ])
        expectNoFinding(told)
        #expect(told.contains("< @0 response 200 OK") && told.contains { $0.hasPrefix("< | @0 tls") }, "\(told)")
    }

    @Test func aTunnelIsReadWhereOnlyTheClientIsInSight() {
        // What it acknowledges says that the response was there; where it acknowledges nothing, the end does.
        for ack in [19, 0] {
            let told = segments([(.client, Array(connect.utf8), 0), (.client, Array(get.utf8), ack), (.client, Array(get.utf8), ack)])
            expectNoFinding(told)
            #expect(told.filter { $0.hasPrefix("> | @") && $0.contains("request GET") }.count == 2, "\(told)")
        }
    }

    @Test func requestsBehindALostServerAreNotUnanswered() {
        let told = Talk([
            .client(connect), .gap(.server, 19, .missing), .client(get), .gap(.server, 40, .missing), .client(get), .finish(.client),
        ]).transcript()
        #expect(!told.contains { $0.contains("unanswered") }, "\(told)")
    }
}
