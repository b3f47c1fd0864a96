import Dissection
import Interception
import Support
import Testing

/// When the client's next bytes are looked at, told by dialogues of the protocols' documents.
@Suite("Watch for STARTTLS")
struct StartTLSWatchTests {
    struct Line {
        let side: Side
        let bytes: [UInt8]
    }

    /// What the machine says after each step, the last word where one step has several pieces.
    private func play(_ steps: [Line], _ cutting: Cutting) -> [StartTLSWatch.Verdict] {
        var watch = StartTLSWatch()
        return steps.map { step in
            var verdict = StartTLSWatch.Verdict.watching
            for piece in cutting.pieces(of: step.bytes) { verdict = watch.see(piece.rawBytes, from: step.side) }
            return verdict
        }
    }

    private static func client(_ text: String) -> Line { Line(side: .client, bytes: Array(text.utf8)) }
    private static func server(_ text: String) -> Line { Line(side: .server, bytes: Array(text.utf8)) }
    private static func client(_ bytes: [UInt8]) -> Line { Line(side: .client, bytes: bytes) }
    private static func server(_ bytes: [UInt8]) -> Line { Line(side: .server, bytes: bytes) }

    private static let sslRequest: [UInt8] = [0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F]
    private static let gssRequest: [UInt8] = [0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x30]
    private static func startTLS(id: UInt8 = 1) -> [UInt8] {
        [0x30, 29, 2, 1, id, 0x77, 24, 0x80, 22] + Array("1.3.6.1.4.1.1466.20037".utf8)
    }

    private static let agreed: [(String, [Line])] = [
        (
            "SMTP",
            [
                server("220-mx ready\r\n220 mx\r\n"), client("EHLO me\r\n"), server("250-mx\r\n250-STARTTLS\r\n250 SIZE\r\n"),
                client("starttls\r\n"), server("220 2.0.0 Ready to start TLS\r\n"),
            ]
        ),
        ("a reply of three digits alone", [server("220\r\n"), client("STARTTLS\n"), server("220\n")]),
        ("pipelined", [client("EHLO me\r\nSTARTTLS\r\n"), server("250 mx\r\n220 go\r\n")]),
        (
            "IMAP",
            [
                server("* OK IMAP4rev2\r\n"), client("a CAPABILITY\r\n"), server("* CAPABILITY STARTTLS\r\na OK\r\n"),
                client("0b2 StartTLS\r\n"), server("* STATUS\r\n0B2 ok Begin TLS\r\n"),
            ]
        ),
        ("POP3", [server("+OK ready\r\n"), client("STLS\r\n"), server("+OK Begin TLS\r\n")]),
        ("FTP", [server("220 ftp\r\n"), client("AUTH TLS\r\n"), server("234 AUTH TLS OK.\r\n")]),
        ("NNTP", [server("200 news\r\n"), client("STARTTLS\r\n"), server("382 Continue\r\n")]),
        ("IRC", [client("STARTTLS\r\n"), server(":irc.example NOTICE * :hi\r\n:irc.example 670 * :STARTTLS successful\r\n")]),
        ("ManageSieve", [server("\"IMPLEMENTATION\" \"x\"\r\nOK\r\n"), client("STARTTLS\r\n"), server("OK \"Begin\"\r\n")]),
        (
            "XMPP",
            [
                client("<?xml version='1.0'?><stream:stream to='a'>"), server("<stream:features><starttls/></stream:features>"),
                client("<starttls\nxmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"), server("<proceed xmlns='x'/>"),
            ]
        ),
        (
            "CONNECT",
            [client("CONNECT h:443 HTTP/1.1\r\nHost: h\r\nX: y\r\n\r\n"), server("HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n")]
        ),
        (
            "CONNECT after 407",
            [
                client("CONNECT h:443 HTTP/1.1\r\n\r\n"), server("HTTP/1.1 407 No\r\nContent-Length: 4\r\n\r\nno\r\n"),
                client("CONNECT h:443 HTTP/1.1\r\nProxy-Authorization: Basic x\r\n\r\n"), server("HTTP/1.0 200 OK\r\n\r\n"),
            ]
        ),
        ("PostgreSQL", [client(sslRequest), server("S")]),
        ("PostgreSQL after GSSAPI", [client(gssRequest), server("N"), client(sslRequest), server("S")]),
        ("LDAP", [client(startTLS()), server([0x30, 12, 2, 1, 1, 0x78, 7, 0x0A, 1, 0, 4, 0, 4, 0])]),
        (
            "LDAP in long lengths",
            [
                client([0x30, 0x84, 0, 0, 0, 29] + startTLS().dropFirst(2)),
                server([0x30, 0x84, 0, 0, 0, 12, 2, 1, 1, 0x78, 7, 0x0A, 1, 0, 4, 0, 4, 0]),
            ]
        ),
    ]

    @Test("the look comes with the server's word, and not before", arguments: Cutting.allCases)
    func agreements(cutting: Cutting) {
        for (name, steps) in Self.agreed {
            let told = play(steps, cutting)
            #expect(told.last == .look, "\(name)")
            #expect(told.dropLast().allSatisfy { $0 == .watching }, "\(name): \(told)")
        }
    }

    @Test("a server that declines, or a client that goes on, is watched further", arguments: Cutting.allCases)
    func declined(cutting: Cutting) {
        let dialogues: [[Line]] = [
            [Self.server("220 mx\r\n"), Self.client("STARTTLS\r\n"), Self.server("454 TLS not available\r\n")],
            [Self.client("STARTTLS\r\n"), Self.client("NOOP\r\n"), Self.server("220 late\r\n")],
            [Self.client("a STARTTLS\r\n"), Self.server("a NO\r\nab OK\r\na OKAY\r\n* OK\r\n")],
            [Self.client("STARTTLS now please\r\n"), Self.server("220 what\r\n")],
            [Self.client("xSTARTTLS\r\n"), Self.server("220 what\r\n")],
            [Self.client("<starttl s/>"), Self.server("<proceed/>")], [Self.client("<starttls/>"), Self.server("<procee>")],
            [Self.client("CONNECT h:1 HTTP/1.1\r\n\r\n"), Self.server("HTTP/1.1 502 Bad\r\n\r\nHTTP/1.1 xxx\r\n\r\n")],
            [Self.client(Self.sslRequest), Self.server("N")],
            [Self.server("+OK\r\n"), Self.server("220 ready\r\n"), Self.server("S")],
        ]
        for steps in dialogues { #expect(play(steps, cutting).allSatisfy { $0 == .watching }, "\(steps)") }
    }

    @Test("what is plainly something else is given up", arguments: Cutting.allCases)
    func over(cutting: Cutting) {
        let dialogues: [[Line]] = [
            [Self.client([0x16, 3, 1, 0, 5])], [Self.client([0x10, 12, 0, 4, 0x4D])], [Self.server([74, 0, 0, 0, 10])],
            [Self.server([0x80])],
            [Self.client("GET / HTTP/1.1\r\n\r\n"), Self.server("HTTP/1.1 200 OK\r\n")],
            [Self.client(Self.sslRequest), Self.server("N"), Self.client([0, 0, 0, 41, 0, 3, 0, 0])],
            [Self.client(Self.startTLS()), Self.server([0x30, 12, 2, 1, 1, 0x78, 7, 0x0A, 1, 2, 4, 0, 4, 0])],
            [Self.client("USER a\r\n\u{0}")], [Self.client("USER a\r\n"), Self.server("+OK\u{0}")],
        ]
        for steps in dialogues { #expect(play(steps, cutting).last == .over, "\(steps)") }
    }

    @Test("after 64 KiB without an agreement nothing is read any more", arguments: [Cutting.whole, .random1])
    func reach(cutting: Cutting) {
        let line = "0123456789abcde\n"
        let almost = Self.client(String(repeating: line, count: 4_095))
        let agreement = [Self.client("STLS\n"), Self.server("+OK\n")]
        #expect(play([almost] + agreement, cutting) == [.watching, .watching, .look])
        let more = Self.server(String(repeating: line, count: 1))
        #expect(play([almost, more] + agreement, cutting) == [.watching, .over, .over, .over])
    }

    @Test("a client that does not begin with a ClientHello may ask again, a few times", arguments: Cutting.allCases)
    func looks(cutting: Cutting) {
        let round = [Self.client("STLS\r\n"), Self.server("+OK\r\n")]
        #expect(
            play(round + round + round + round + round, cutting) == [
                .watching, .look, .watching, .look, .watching, .look, .watching, .look, .over, .over,
            ])
        // The server has nothing to say meanwhile.
        #expect(play(round + [Self.server("<more/>")], cutting).last == .look)
    }

    @Test("no bytes make it trap, and how they are cut makes no difference")
    func anything() {
        var generator = SplitMix(seed: 11)
        let starts: [[UInt8]] = [
            [0], [0x30], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x80], Self.startTLS(), Array("a STARTTLS\n".utf8),
            Array("STLS\n".utf8),
            Array("+OK\n".utf8), Array("a OK\n".utf8), Self.sslRequest, Array("S".utf8), Array("<starttls".utf8), Array("<proceed".utf8),
            [],
        ]
        for _ in 0..<1_000 {
            let steps = (0..<6).map { _ in
                let tail = (0..<Int.random(in: 0...5, using: &generator)).map { _ in UInt8.random(in: 10...127, using: &generator) }
                let start = starts.randomElement(using: &generator) ?? []
                return Line(side: Bool.random(using: &generator) ? .client : .server, bytes: start + tail)
            }
            let whole = play(steps.filter { !$0.bytes.isEmpty }, .whole)
            for cutting in Cutting.allCases { #expect(play(steps.filter { !$0.bytes.isEmpty }, cutting) == whole, "\(steps)") }
        }
    }
}
