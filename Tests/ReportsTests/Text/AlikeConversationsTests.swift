import Dissection
import Reports
import Testing

/// Conversations that are alike and come one after another: the first is shown, and many more have one line.
@Suite struct AlikeConversationsTests {
    typealias Script = RecordScript

    private static let proxy = CaptureSource(kind: .proxy, name: "127.0.0.1:8080", tool: "unmask")

    private static func opening(port: UInt16) -> Opening {
        var client = Script.client
        client.port = port
        return Opening(client: client, server: Script.server, start: .handshake, roles: .handshake)
    }

    /// Conversations that open together and end a millisecond after each other.
    private func shown(_ count: UInt64, follows: Bool, isFull: Bool = false, _ end: (UInt64) -> Closing) -> [Substring] {
        var settings = TextSettings(width: nil, follows: follows)
        settings.isFull = isFull
        return Dialogue.text(settings) {
            if follows { $0.report.begin(Self.proxy) }
            for number in 1...count {
                $0.conversation = number
                $0.say(0, nil, .opened(Self.opening(port: 50_000 + UInt16(number))))
            }
            for number in 1...count {
                $0.conversation = number
                $0.say(100 + Int64(number), nil, .closed(end(number)))
            }
            // More may come with the next batch; then nothing does.
            $0.report.flush()
            $0.report.flush()
        }.split(separator: "\n")
    }

    private func fin(_ number: UInt64) -> Closing { Closing(by: .client, how: .fin, duration: 100_000_000) }

    @Test func `fifteen that end alike at once in a live proxy are two lines`() {
        let lines = shown(15, follows: true, fin)
        #expect(lines.count == 3 && lines[1].contains("nothing sent, closed by the client (FIN) after 100 ms"), "\(lines)")
        #expect(
            lines.last
                == "     21:48:00.238  =  14 more like conversation 1 (2-15): nothing sent, closed by the client (FIN); --full shows each",
            "\(lines)")
    }

    @Test func `four, and those that end otherwise, and all in full have a line each`() {
        #expect(shown(4, follows: true, fin).count == 5)
        #expect(shown(15, follows: true) { Closing(by: $0 % 2 == 0 ? .client : .server, how: .fin, duration: 100_000_000) }.count == 16)
        #expect(shown(15, follows: true, isFull: true, fin).count == 16)
    }

    @Test func `what comes between them stands between them`() {
        var settings = TextSettings(width: nil, follows: true)
        settings.isFull = false
        let lines = Dialogue.text(settings) {
            $0.report.begin(Self.proxy)
            for number in 1...12 as ClosedRange<UInt64> {
                $0.conversation = number
                $0.say(0, nil, .opened(Self.opening(port: 50_000 + UInt16(number))))
            }
            for number in 1...12 as ClosedRange<UInt64> {
                $0.conversation = number
                if number == 7 { $0.message(1, .client, "hello".bytes) }
                $0.say(2, nil, .closed(fin(number)))
            }
            $0.report.flush()
            $0.report.flush()
        }.split(separator: "\n")
        let more = lines.indices.filter { lines[$0].contains("more like conversation") }
        let hello = lines.firstIndex { $0.contains("hello") }
        #expect(more.count == 2 && hello.map { more[0] < $0 && $0 < more[1] } == true, "\(lines)")
        #expect(lines[more[0]].contains("5 more like conversation 1 (2-6)"), "\(lines)")
    }

    @Test func `in a capture they are one line after the first, wherever their ports are`() {
        let lines = shown(15, follows: false, fin)
        #expect(lines.count == 2 && lines[1].hasPrefix(" 2-15  14 more like conversation 1 (TCP), opened 21:48:00.123"), "\(lines)")
        #expect(shown(4, follows: false, fin).count == 4)
    }

    @Test func `SETTINGS of HTTP 2 are one row, and their acknowledgement none; in full each has its row`() {
        for isFull in [false, true] {
            var settings = TextSettings(width: nil)
            settings.isFull = isFull
            let shown = Dialogue.text(settings) {
                $0.say(0, nil, .opened(Script.opening))
                for (side, name) in [(Side.client, "ENABLE_PUSH: 0\r\n"), (.server, "MAX_FRAME_SIZE: 16384\r\n")] {
                    let (bytes, parts) = Script.content(name.bytes)
                    $0.say(1, side, .control(ControlFrame(.settings, settings: parts[0])), bytes)
                }
                for side in [Side.client, .server] { $0.say(2, side, .control(ControlFrame(.settingsAccepted))) }
                $0.say(3, nil, .closed(Closing(by: .client, how: .fin)))
            }
            let rows = shown.split(separator: "\n").filter { $0.contains("settings") }
            #expect(rows.count == (isFull ? 4 : 1), "\(shown)")
            if !isFull { #expect(rows.first?.hasSuffix("=  settings        > ENABLE_PUSH 0   < MAX_FRAME_SIZE 16384") == true, "\(rows)") }
        }
    }

    @Test func `SETTINGS of one side alone are shown when the conversation ends`() {
        let shown = Dialogue.text(TextSettings(width: nil)) {
            $0.say(0, nil, .opened(Script.opening))
            let (bytes, parts) = Script.content("ENABLE_PUSH: 0\r\n".bytes)
            $0.say(1, .client, .control(ControlFrame(.settings, settings: parts[0])), bytes)
            $0.say(3, nil, .closed(Closing(by: .client, how: .fin)))
        }
        #expect(shown.contains("=  settings        > ENABLE_PUSH 0"), "\(shown)")
    }

    @Test func `that Proxy-Connection was removed is left out and not counted; in full, and with another change, it is there`() {
        for (detail, isFull, isShown) in [
            ("Proxy-Connection was removed", false, false), ("Proxy-Connection was removed", true, true),
            ("Proxy-Connection was removed; Host was changed", false, true),
        ] {
            var settings = TextSettings(width: nil, follows: true)
            settings.isFull = isFull
            let shown = Dialogue.text(settings) {
                $0.report.begin(Self.proxy)
                $0.say(0, nil, .opened(Script.opening))
                $0.finding(1, nil, .proxyHeaderRewritten, detail.bytes)
                $0.report.finish(TextReportTests.totals())
            }
            #expect(shown.contains("proxy.header-rewritten") == isShown, "\(shown)")
            #expect(shown.contains("0 findings") == !isShown && shown.contains("1 finding\n") == isShown, "\(shown)")
        }
    }

    @Test func `TLS in a live proxy is never without keys`() {
        let (content, parts) = Script.content("a.example".bytes, [2] + "h2".bytes)
        func shown(_ secrets: TLSFacts.Secrets, cipher: UInt16?, isLive: Bool) -> String {
            Dialogue.text(TextSettings(width: nil, follows: true)) {
                if isLive { $0.report.begin(Self.proxy) }
                $0.say(0, nil, .opened(Script.opening))
                $0.say(
                    1, nil,
                    .tls(TLSFacts(serverName: parts[0], offeredALPN: parts[1], version: 0x304, cipher: cipher, secrets: secrets)), content)
            }
        }
        #expect(shown(.missing, cipher: 0x1301, isLive: false).contains("; no keys, so contents stay sealed\n"))
        #expect(shown(.missing, cipher: 0x1301, isLive: true).contains("; passed through, not decrypted\n"))
        #expect(shown(.missing, cipher: nil, isLive: true).hasSuffix("offers h2\n"))
        #expect(shown(.terminated, cipher: 0x1301, isLive: true).contains("offers h2, none chosen, TLS_AES_128_GCM_SHA256; opened by"))
    }

    @Test func `a reason of the proxy is not cut in its advice, and what a peer names still is`() {
        let long = String(repeating: "x", count: 400) + " (advice)"
        let shown = Dialogue.text(TextSettings(width: nil, follows: true)) {
            $0.report.begin(Self.proxy)
            $0.say(0, nil, .opened(Script.opening))
            $0.message(1, .client, "hello".bytes)
            $0.finding(2, nil, .proxyTLSFailed, long.bytes)
            $0.finding(3, .server, .webSocketAcceptWrong, long.bytes)
            $0.say(4, nil, .closed(Closing(by: .proxy, how: .tlsFailed)))
        }
        #expect(shown.split(separator: "\n").count { $0.contains("(advice)") } == 1, "\(shown)")
    }
}
