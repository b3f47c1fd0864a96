import Dissection
import Support
import Testing

/// Talks inside of others, of which the capture lacks the front, a segment or a side: nobody is accused of it, no byte is left out, and
/// how the rest is cut into runs changes nothing.
@Suite struct NestedTalkTests {
    private static let connect: [Talk.Step] = [
        .client("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n"), .server("HTTP/1.1 200 OK\r\n\r\n"),
    ]
    private static let socks: [Talk.Step] = [
        .client([5, 1, 0]), .server([5, 0]), .client([5, 1, 0, 3, 9] + Array("x.example".utf8) + [0, 0x50]),
        .server([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
    ]

    /// What leads to a channel inside.
    private static let ways: [(name: String, steps: [Talk.Step])] = [
        ("nothing", []), ("a tunnel", connect), ("a tunnel in a tunnel", connect + connect), ("SOCKS", socks),
        ("SOCKS in a tunnel", connect + socks),
        (
            "mail",
            [
                .server("220 hi\r\n"), .client("EHLO a\r\n"), .server("250-a\r\n250 STARTTLS\r\n"), .client("STARTTLS\r\n"),
                .server("220 go\r\n"),
            ]
        ),
        ("a mailbox", [.server("* OK imap\r\n"), .client("a STARTTLS\r\n"), .server("a OK begin\r\n")]),
        ("a database", [.client([0, 0, 0, 8, 4, 0xD2, 0x16, 0x2F]), .server("S")]),
        (
            "a chat",
            [
                .client("<?xml version='1.0'?><stream:stream to='x'>"), .server("<stream:stream><features><starttls/></features>"),
                .client("<starttls/>"), .server("<proceed/>"),
            ]
        ),
    ]

    private static let hello: [UInt8] =
        [0x16, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0xC0, 0x2F, 1, 0]
    private static let answer: [UInt8] = [0x16, 3, 3, 0, 42, 2, 0, 0, 38, 3, 3] + [UInt8](repeating: 9, count: 32) + [0, 0xC0, 0x2F, 0]
    private static let sealed: [UInt8] = [0x14, 3, 3, 0, 1, 1, 0x17, 3, 3, 0, 20] + [UInt8](repeating: 0xAB, count: 20)

    private static let get = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// What is spoken inside.
    private static let contents: [(name: String, steps: [Talk.Step])] = [
        ("TLS", [.client(hello), .server(answer + sealed), .client(sealed), .server(sealed)]),
        ("HTTP", [.client(get), .server(ok), .client("POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"), .server(ok)]),
        (
            "WebSocket",
            [
                .client(
                    "GET /w HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"),
                .server(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"),
                .clientText("hello, this is the client"), .serverText("hello, this is the server"),
                .client([0x88, 0x82, 0, 0, 0, 0, 3, 0xE8]), .server([0x88, 2, 3, 0xE8]),
            ]
        ),
        ("raw bytes", [.client([1, 2, 0, 0xFF]), .server([3, 4, 0x79]), .client("more\n"), .server("less\n")]),
    ]

    private static let talks: [(name: String, steps: [Talk.Step])] = ways.flatMap { way in
        contents.map { ("\($0.name) in \(way.name)", way.steps + $0.steps + [.finish(.client), .finish(.server)]) }
    }

    /// Whether a talk goes on in the clear behind a request for TLS, which no peer does.
    private static func isFoundByRuns(_ name: String) -> Bool {
        ["HTTP", "WebSocket"].contains { content in ["mail", "a mailbox", "a chat"].contains { name == "\(content) in \($0)" } }
    }

    /// What a capture may lack of a talk.
    private static func lacking(_ steps: [Talk.Step]) -> [(name: String, talk: Talk)] {
        func lost(_ step: Talk.Step) -> Talk.Step {
            guard case .bytes(let side, let bytes) = step else { return step }
            return .gap(side, bytes.count, .missing)
        }
        var talks: [(String, Talk)] = []
        for index in steps.indices {
            if index > 0 {
                let rest = Array(steps.dropFirst(index))
                talks.append(("front \(index)", Talk(rest, knowsRoles: false, start: .midstream)))
            }
            guard case .bytes = steps[index] else { continue }
            var holed = steps
            holed[index] = lost(steps[index])
            talks.append(("segment \(index)", Talk(holed)))
            talks.append(("beginning and segment \(index)", Talk(holed, knowsRoles: false, start: .midstream)))
        }
        for side in [Side.client, .server] {
            talks.append(("\(side)", Talk(steps.map { $0.side == side ? lost($0) : $0 })))
            talks.append(("\(side), unnoticed", Talk(steps.filter { $0.side != side }, knowsRoles: false, start: .midstream)))
        }
        return talks
    }

    @Test(arguments: talks.map(\.name)) func whatACaptureLacksAccusesNobody(name: String) throws {
        let steps = try #require(Self.talks.first { $0.name == name }).steps
        for (lack, talk) in [("nothing", Talk(steps))] + Self.lacking(steps) {
            var sink = CheckingSink(limits: talk.limits)
            var violations = Violations()
            talk.play(into: &sink)
            talk.play(into: &violations)
            sink.finish()
            let (complaints, accused) = (sink.complaints, violations.ids)
            let whole = talk.transcript()
            #expect(complaints.isEmpty, "\(name) without \(lack): \(complaints)")
            #expect(accused.isEmpty, "\(name) without \(lack): \(accused) \(whole)")
            // What comes in the clear behind talk that nothing reads is found at the beginning of a run alone.
            if Self.isFoundByRuns(name) { continue }
            for cutting in [Talk.Cutting.bytewise, .random(seed: 1), .random(seed: 2)] {
                let told = talk.transcript(cutting)
                #expect(told == whole, "\(name) without \(lack), \(cutting)")
            }
        }
    }

    /// Findings that accuse somebody.
    private struct Violations: ConversationSink {
        var ids: [String] = []

        mutating func receive(_ event: borrowing ConversationEvent) {
            if case .finding(let finding) = event.fact, finding.row.severity == .violation { ids.append("\(finding.row.id)") }
        }
    }
}
