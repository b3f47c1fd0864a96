import Dissection
import Reports
import Testing

/// Conversations in which nothing came, and those that the proxy could not begin: one line each.
@Suite struct EmptyConversationTests {
    typealias Script = RecordScript

    private func closed(
        _ dialogue: inout Dialogue<TextReport>, _ how: Closing.Manner, by closer: Closing.Closer = .client, bytes: UInt64 = 0
    ) {
        var closing = Closing(by: closer, how: how, duration: 603_000_000)
        closing.client.bytes = bytes
        dialogue.say(603, nil, .closed(closing))
    }

    @Test(arguments: [false, true]) func `one in which nothing came has one line`(follows: Bool) {
        var settings = TextSettings(width: nil)
        settings.follows = follows
        let shown = Dialogue.text(settings) {
            $0.say(0, nil, .opened(Script.opening))
            closed(&$0, .fin)
        }
        let line = "10.0.0.5:51422 > 10.0.0.9:8080   nothing sent, closed by the client (FIN) after 603 ms"
        #expect(
            shown == (follows ? "  1  21:48:00.726  =  \(line)\n" : " 1  \(line)   2026-11-20 21:48:00.123 UTC\n"), "\(shown)")
    }

    @Test func `several of them stand together, apart from blocks`() {
        let shown = Dialogue.text {
            for number in [1, 2, 3, 4] as [UInt64] {
                $0.conversation = number
                $0.say(0, nil, .opened(Script.opening))
                if number == 3 { $0.message(1, .client, "hello".bytes) }
                closed(&$0, .fin, bytes: number == 3 ? 11 : 0)
            }
        }
        let shape = shown.split(separator: "\n", omittingEmptySubsequences: false).map { $0.prefix(4) }
        #expect(shape == [" 1  ", " 2  ", "", " 3  ", "    ", "    ", "    ", "", " 4  ", ""], "\(shown)")
    }

    @Test func `a connection that the proxy could not make has one line, with the reason`() {
        var settings = TextSettings(width: nil)
        settings.follows = true
        let shown = Dialogue.text(settings) {
            $0.report.begin(CaptureSource(kind: .proxy, name: "127.0.0.1:8080", tool: "unmask"))
            $0.say(0, nil, .opened(Script.opening))
            $0.finding(603, nil, .proxyConnectFailed, "connection refused".bytes)
            closed(&$0, .connectFailed, by: .proxy)
        }
        #expect(
            shown.split(separator: "\n").dropFirst() == [
                "  1  21:48:00.726  =  10.0.0.5:51422 > 10.0.0.9:8080   the server could not be reached: connection refused, after 603 ms   "
                    + "proxy.connect-failed"
            ], "\(shown)")
    }

    @Test func `with a request before it the reason stands in the closing line`() {
        var settings = TextSettings(width: nil)
        settings.follows = true
        let shown = Dialogue.text(settings) {
            $0.report.begin(CaptureSource(kind: .proxy, name: "127.0.0.1:8080", tool: "unmask"))
            $0.say(0, nil, .opened(Script.opening))
            $0.request(1, ("GET", "/", "HTTP/1.1"), "Host: a\r\n")
            $0.finding(603, nil, .proxyConnectFailed, "connection refused".bytes)
            closed(&$0, .connectFailed, by: .proxy, bytes: 20)
        }.split(separator: "\n").dropFirst()
        #expect(
            shown.count == 3
                && shown.last?.contains("=  the server could not be reached: connection refused   proxy.connect-failed") == true)
        #expect(shown.last?.hasSuffix("   > 20 B   < 0 B") == true, "\(shown)")
    }

    @Test func `a TLS that failed stands before what the client then asked the proxy for`() {
        var settings = TextSettings(width: nil)
        settings.follows = true
        let shown = Dialogue.text(settings) {
            $0.report.begin(CaptureSource(kind: .proxy, name: "127.0.0.1:8080", tool: "unmask"))
            $0.say(0, nil, .opened(Script.opening))
            $0.finding(60, nil, .proxyTLSFailed, "the certificate expired".bytes)
            $0.say(61, nil, .tls(TLSFacts(version: 0x0304, secrets: .terminated)))
            $0.request(62, ("GET", "/", "HTTP/1.1"), "Host: a\r\n")
            $0.finding(62, .client, .proxyRequestWithheld, "TLS with the server had failed".bytes)
            closed(&$0, .tlsFailed, by: .proxy, bytes: 20)
        }.split(separator: "\n").dropFirst()
        #expect(shown.count == 5 && !shown.contains { $0.contains("TLS 1.3") }, "\(shown)")
        let reason = shown.firstIndex { $0.contains("TLS could not be established: the certificate expired") }
        let request = shown.firstIndex { $0.contains("GET / HTTP/1.1") }
        #expect(reason.flatMap { reason in request.map { reason < $0 } } == true, "\(shown)")
        #expect(shown.last?.hasPrefix("  1  21:48:00.726  =  TLS could not be established   603 ms") == true, "\(shown)")
    }

    @Test func `a reason that ends nothing is shown as any finding`() {
        let shown = Dialogue.text {
            $0.report.begin(CaptureSource(kind: .proxy, name: "127.0.0.1:8080", tool: "unmask"))
            $0.say(0, nil, .opened(Script.opening))
            $0.finding(1, nil, .proxyTimedOut, "a while".bytes)
            $0.message(2, .client, "hello".bytes)
            closed(&$0, .fin, bytes: 11)
        }
        #expect(
            shown.contains("!  proxy.timed-out   warning: timed out after a while") && shown.contains("closed by the client (FIN)"),
            "\(shown)")
    }
}
