import Dissection
import Reports
import Testing

/// Header fields under the line of their head.
@Suite struct HeaderLinesTests {
    typealias Script = RecordScript

    private func lines(_ settings: TextSettings = TextSettings(), _ talk: (inout Dialogue<TextReport>) -> Void) -> [Substring] {
        Dialogue.text(settings) {
            $0.say(0, nil, .opened(Script.opening))
            talk(&$0)
            $0.say(9_000, nil, .closed(Closing(by: .client, how: .fin)))
        }.split(separator: "\n").dropFirst().dropLast(2)
    }

    private static func upgrade(_ dialogue: inout Dialogue<TextReport>, accepted: Bool) {
        let (terms, parts) = Script.content("websocket".bytes)
        dialogue.say(4, .server, .upgrade(Upgrade(protocolName: parts[0], accepted: accepted)), terms)
    }

    private static let asking =
        "Host: chat.example\r\nUpgrade: websocket\r\nOrigin: https://evil.example\r\nCookie: a=b\r\nSec-WebSocket-Version: 12\r\n"

    @Test func `an error says what would help`() {
        let shown = lines {
            $0.request(0, ("GET", "/me", "HTTP/1.1"), "Host: a\r\nOrigin: https://app.example\r\n")
            $0.response(
                4, 401, "Unauthorized",
                "Content-Type: text/plain\r\nWWW-Authenticate: Bearer error=\"invalid_token\", error_description=\"expired\"\r\nX-Id: 7\r\n",
                latency: 4_000_000)
            $0.response(5, 503, "Service Unavailable", "Retry-After: 30\r\nLocation: /wait\r\n", latency: 1_000_000)
            $0.response(6, 200, "OK", "Allow: GET\r\n", latency: 1_000_000)
        }
        #expect(
            shown == [
                "    0.000  >  GET /me HTTP/1.1", "    0.004  <  401 Unauthorized                  4.0 ms   text/plain",
                "              WWW-Authenticate: Bearer error=\"invalid_token\", error_description=\"expired\"",
                "    0.005  <  503 Service Unavailable           1.0 ms", "              Retry-After: 30", "              Location: /wait",
                "    0.006  <  200 OK                            1.0 ms",
            ], "\(shown.joined(separator: "\n"))")
    }

    @Test(arguments: [("0", "0 OK"), ("5", "5 NOT_FOUND")])
    func `a response that says how a call of gRPC has ended shows it`(status: String, words: String) {
        let shown = lines {
            $0.request(0, ("POST", "/a.B/C", "HTTP/2"), "")
            $0.response(4, 200, "", "Content-Type: application/grpc\r\nGrpc-Status: \(status)\r\n", latency: 4_000_000)
        }
        #expect(shown.last == "              grpc status \(words)", "\(shown.joined(separator: "\n"))")
    }

    @Test func `a line names the stream of a finding, and an error that has no name as the finding does`() {
        let shown = lines {
            $0.stream = 5
            $0.say(1, .client, .control(ControlFrame(.reset, code: 14)))
            $0.finding(1, .client, .http2WindowZero)
            $0.say(2, .client, .control(ControlFrame(.priority, priority: StreamPriority(dependsOn: 3, weight: 16, isExclusive: true))))
        }
        #expect(
            shown == [
                "    0.001  >  #5 reset unknown (14)",
                "           !  #5 http2.window-zero   violation: a WINDOW_UPDATE frame with an increment of 0   RFC 9113 6.9   packet 3",
                "    0.002  >  #5 priority                          depends on #3, weight 16, exclusive",
            ], "\(shown.joined(separator: "\n"))")
    }

    @Test(arguments: [403, 200, 302] as [UInt16])
    func `a refused upgrade says what was asked with`(status: UInt16) {
        let shown = lines {
            $0.request(0, ("GET", "/chat", "HTTP/1.1"), Self.asking)
            $0.response(4, status, "No", "Sec-WebSocket-Version: 13, 8\r\nServer: x\r\n", latency: 4_000_000)
            Self.upgrade(&$0, accepted: false)
            $0.response(5, 200, "OK", "", latency: 1_000_000)
        }
        #expect(
            shown.dropFirst(2).prefix(5) == [
                "              asked with Origin: https://evil.example", "              asked with Sec-WebSocket-Version: 12",
                "              Sec-WebSocket-Version: 13, 8", "    0.004  <  upgrade   refused: websocket",
                "    0.005  <  200 OK                            1.0 ms",
            ], "\(shown.joined(separator: "\n"))")
    }

    @Test func `an upgrade that is accepted needs no reason, one that breaks the rules does`() {
        func shown(accepted: Bool) -> [Substring] {
            lines {
                $0.request(0, ("GET", "/chat", "HTTP/1.1"), Self.asking)
                $0.response(4, 101, "Switching Protocols", "Sec-WebSocket-Accept: abc=\r\n", latency: 4_000_000)
                Self.upgrade(&$0, accepted: accepted)
            }
        }
        #expect(shown(accepted: true).count == 2)
        #expect(shown(accepted: false).suffix(1) == ["              Sec-WebSocket-Accept: abc="])
    }

    @Test func `all are shown in wire order where they are asked for`() {
        let shown = lines(TextSettings(width: 60, follows: true, showsHeaders: true)) {
            $0.request(0, ("GET", "/", "HTTP/1.1"), "Host: a\r\nX-B: 2\r\nX-A: 1\r\nX-Long: \(String(repeating: "y", count: 80))\r\n")
            $0.response(4, 200, "OK", "Server: \u{1b}[2J\r\nno colon\r\n", latency: 4_000_000)
            let (bytes, parts) = Script.content("ok".bytes, "X-Sum: 5\r\n".bytes)
            $0.say(
                5, .server,
                .body(BodyPart(length: 2, wireLength: 2, part: 1, final: true, payload: parts[0], trailers: parts[1])), bytes)
        }
        // The line of the opening is folded at so few columns.
        #expect(
            shown.dropFirst().prefix(10) == [
                "  1  21:48:00.123  >  GET / HTTP/1.1   host a", "  1                   Host: a", "  1                   X-B: 2",
                "  1                   X-A: 1", "  1                   X-Long: yyyyyyyyyyyyyyyyyyyyyyyyyyyyy…",
                "  1  21:48:00.127  <  200 OK   4.0 ms", "  1                   Server: ␛[2J", "  1                   no colon",
                "  1  21:48:00.128  <  body       2 B  ok", "  1                   trailer X-Sum: 5",
            ], "\(shown.joined(separator: "\n"))")
    }

    @Test func `what is kept of a request is bounded, counted and given back`() {
        var dialogue = Dialogue(TextReport(Output()))
        dialogue.say(0, nil, .opened(Script.opening))
        let before = dialogue.report.heldBytes
        let many = (0..<100).map { "Sec-WebSocket-X\($0): \(String(repeating: "z", count: 5_000))\r\n" }.joined()
        dialogue.request(1, ("GET", "/", "HTTP/1.1"), "Upgrade: websocket\r\n" + many)
        #expect(dialogue.report.heldBytes > before + 1_000 && dialogue.report.heldBytes < before + 8_000)
        dialogue.response(2, 404, "Not Found", "", latency: 1)
        dialogue.say(3, nil, .closed(Closing(by: .client, how: .fin)))
        #expect(dialogue.report.waitingBytes == 0)
    }
}
