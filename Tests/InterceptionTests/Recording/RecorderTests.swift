import Dissection
import Foundation
import Interception
import NIOCore
import Reports
import Support
import Testing

/// What a relay tells, and what is printed of it.
@Suite("Recorder") struct RecorderTests {
    private func records(_ log: String, _ kind: String) -> [String] {
        log.split(separator: "\n").map(String.init).filter { $0.hasPrefix("{\"kind\":\"\(kind)\"") }
    }

    @Test func `a conversation from its beginning to its end`() throws {
        let run = try RecorderRun()
        let talk = run.begin(name: "example.org", via: Via(mode: "http", target: "example.org:443"))
        run.say("hello", .client, in: talk, 10)
        run.say("welcome", .server, in: talk, 20)
        run.end(.client, in: talk, 30)
        run.end(.server, in: talk, 40)
        let lines = run.finish().split(separator: "\n").map(String.init)
        #expect(
            lines == [
                #"{"kind":"capture","version":1,"tool":"unmask test","source":{"type":"proxy","name":"127.0.0.1:9000"}}"#,
                #"{"kind":"opened","conversation":1,"time":"2026-11-20T21:48:00.000000000Z","client":{"address":"127.0.0.1","port":50123},"#
                    + #""server":{"address":"10.0.0.9","port":443,"name":"example.org"},"transport":"tcp","start":"accepted","#
                    + #""roles":"handshake","via":{"mode":"http","target":"example.org:443"}}"#,
                #"{"kind":"data","conversation":1,"time":"2026-11-20T21:48:00.000010000Z","from":"client","offset":0,"length":5,"text":"hello"}"#,
                #"{"kind":"data","conversation":1,"time":"2026-11-20T21:48:00.000020000Z","from":"server","offset":0,"length":7,"text":"welcome"}"#,
                #"{"kind":"closed","conversation":1,"time":"2026-11-20T21:48:00.000040000Z","by":"client","how":"fin","answered":0.00001,"silence":0.00001,"#
                    + #""ends":{"client":"fin","server":"fin"},"duration":0.00004,"client":{"bytes":5,"messages":0,"frames":0,"missing":0},"#
                    + #""server":{"bytes":7,"messages":0,"frames":0,"missing":0}}"#,
                #"{"kind":"end","packets":0,"conversations":1,"messages":0,"findings":0,"bytes":12,"skipped":{}}"#,
            ])
        #expect(run.saidLines.isEmpty)
    }

    @Test func `conversations are numbered in the order in which they began`() throws {
        let run = try RecorderRun()
        #expect((1...5).map { _ in run.begin() } == [1, 2, 3, 4, 5])
        run.finish()
        // A connection that comes while the proxy shuts down has a number as well.
        #expect(run.begin() == 6)
    }

    @Test func `what is told of a conversation that is over is left out`() throws {
        let run = try RecorderRun()
        let talk = run.begin()
        run.recorder.reset(from: .server, in: talk, at: RecorderRun.at(5))
        run.say("late", .client, in: talk, 6)
        run.recorder.reset(from: .client, in: talk, at: RecorderRun.at(7))
        run.recorder.close(.timeout, by: .proxy, reason: "too late", in: talk, at: RecorderRun.at(8))
        run.say("of nobody", .client, in: 99, 9)
        let log = run.finish()
        #expect(log.split(separator: "\n").count == 4)
        #expect(records(log, "closed").first?.contains(#""by":"server","how":"reset","ends":{"client":"open","server":"reset"}"#) == true)
    }

    @Test func `what was told is written once the recorder has caught up`() throws {
        let run = try RecorderRun()
        #expect(run.recorder.catchUp())
        #expect(run.printed.hasPrefix("{\"kind\":\"capture\""))
        let talk = run.begin()
        for number in 1...200 {
            run.say("word \(number)", .client, in: talk, Int64(number))
            #expect(run.recorder.catchUp())
            #expect(run.printed.hasSuffix("\"text\":\"word \(number)\"}\n"))
        }
        run.finish()
        #expect(run.recorder.catchUp())
    }

    @Test func `a time that steps back is held at the latest`() throws {
        let run = try RecorderRun()
        let (one, other) = (run.begin(at: 100), run.begin(at: 200))
        run.say("one", .client, in: one, 300)
        run.say("other", .client, in: other, 250)
        run.say("more", .client, in: one, 301)
        let log = run.finish()
        #expect(
            records(log, "data").map { $0.firstMatch(of: /00\.(\d+)Z/).map { String($0.1) } } == ["000300000", "000300001", "000301000"])
    }

    @Test(
        arguments: [
            (.connectFailed, "proxy.connect-failed", "connect-failed"), (.tlsFailed, "proxy.tls-failed", "tls-failed"),
            (.timeout, "proxy.timed-out", "timeout"), (.limit, "proxy.limit-reached", "limit"),
            (.shutdown, "proxy.shut-down", "shutdown"),
        ] as [(Closing.Manner, String, String)])
    func `why the proxy ended a conversation stands before its end`(how: Closing.Manner, id: String, word: String) throws {
        let run = try RecorderRun()
        let talk = run.begin()
        run.recorder.close(how, by: .proxy, reason: "no \"route\"\u{1b}", in: talk, at: RecorderRun.at(1_500_000))
        let log = run.finish()
        let finding = try #require(records(log, "finding").first)
        #expect(finding.contains("\"id\":\"\(id)\"") && finding.contains(#"no \"route\"\u001b""#), "\(finding)")
        let closed = try #require(records(log, "closed").first)
        #expect(closed.contains("\"by\":\"proxy\",\"how\":\"\(word)\"") && closed.contains("\"duration\":1.5,"))
        #expect(records(log, "end").first?.contains("\"findings\":1") == true)
        #expect(try LogValidation.verdict(on: log) == nil)
    }

    @Test(
        arguments: [
            (.proxyClientRefusedCertificate, "client-refused-certificate"), (.proxyHeaderRewritten, "header-rewritten"),
            (.proxyLoop, "loop"),
            (.proxyOutOfFiles, "out-of-files"), (.proxyCertificateUnverified, "certificate-unverified"),
            (.proxyUrgentByte, "urgent-byte"),
        ] as [(FindingRow, String)])
    func `what the proxy says of itself is a finding`(row: FindingRow, name: String) throws {
        let run = try RecorderRun()
        let talk = run.begin()
        run.recorder.find(row, detail: "as it is", in: talk, at: RecorderRun.at(1))
        run.recorder.find(row, detail: "all of it", in: 0, at: RecorderRun.at(2))
        let found = records(run.finish(), "finding")
        #expect(found.count == 2 && found.allSatisfy { $0.contains("\"id\":\"proxy.\(name)\"") })
        #expect(found.first?.contains("as it is\"") == true && found.first?.contains("\"conversation\":1") == true)
        #expect(found.last?.contains("all of it\"") == true && found.last?.contains("\"conversation\"") == false)
    }

    @Test func `where TLS was terminated what was agreed on is told`() throws {
        let run = try RecorderRun()
        let talk = run.begin()
        let summary = TLSSummary(serverName: "example.org", alpn: "h2", version: 0x0304, cipher: 0x1301)
        run.recorder.secured(summary, in: talk, at: RecorderRun.at(1))
        run.say("PRI", .client, in: talk, 2)
        let log = run.finish()
        let expected =
            #"{"kind":"tls","conversation":1,"time":"2026-11-20T21:48:00.000001000Z","serverName":"example.org","alpn":"h2","#
            + #""version":"TLS 1.3","cipher":"TLS_AES_128_GCM_SHA256","secrets":"terminated"}"#
        #expect(records(log, "tls") == [expected])
        #expect(try LogValidation.verdict(on: log) == nil)
    }

    @Test func `a port that is decoded as something is so live as well`() throws {
        let run = try RecorderRun { $0.rules = [DecodeRule(port: 443, layer: .data)] }
        let talk = run.begin()
        run.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n", .client, in: talk, 1)
        let log = run.finish()
        #expect(records(log, "request").isEmpty && records(log, "data").count == 1)
        let plain = try RecorderRun()
        plain.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n", .client, in: plain.begin(), 1)
        #expect(records(plain.finish(), "request").count == 1)
    }

    @Test func `text tells names, ways and terminated TLS, and no packets`() throws {
        let run = try RecorderRun(TextSettings(width: nil))
        let talk = run.begin(name: "example.org", via: Via(mode: "http", target: "example.org:443"))
        run.recorder.secured(TLSSummary(serverName: "example.org", version: 0x0304), in: talk, at: RecorderRun.at(1))
        run.say("GET /chat HTTP/1.1\r\nHost: example.org\r\n\r\n", .client, in: talk, 2)
        run.end(.client, in: talk, 3)
        run.end(.server, in: talk, 4)
        let text = run.finish()
        #expect(
            text.contains(" 1  127.0.0.1:50123 > example.org:443 (10.0.0.9, via http)   HTTP /chat   2026-11-20 21:48:00.000 UTC\n"),
            "\(text)")
        #expect(text.contains("TLS 1.3 to example.org; opened by the proxy\n"), "\(text)")
        #expect(text.hasSuffix("1 conversation, 41 B, 0 messages, 1 finding\n"), "\(text)")
    }

    @Test func `names from the network do no harm to a terminal`() throws {
        for follows in [false, true] {
            let run = try RecorderRun(TextSettings(width: nil, follows: follows))
            let talk = run.begin(name: "a\u{1b}]0;x\u{7}.org", via: Via(mode: "socks5\u{1b}[2J", target: "\u{9b}2J"))
            run.end(.client, in: talk, 3)
            run.end(.server, in: talk, 4)
            let text = run.finish()
            #expect(
                text.contains("> a") && !text.unicodeScalars.contains { $0 != "\n" && ($0.value < 0x20 || 0x7f..<0xa0 ~= $0.value) },
                "\(text)")
        }
    }

    @Test func `the totals alone, and one array`() throws {
        let stats = try RecorderRun(TotalsForm(conversations: nil))
        stats.say("x", .client, in: stats.begin(), 1)
        let table = stats.finish()
        #expect(
            table.contains("               1  conversation\n") && table.contains("1  byte relayed") && !table.contains("packet"), "\(table)"
        )
        let array = try RecorderRun(RecordSettings(layout: .array))
        array.say("x", .client, in: array.begin(), 1)
        let log = array.finish()
        #expect(try LogValidation.verdict(on: log, form: "json") == nil)
        #expect((try JSONSerialization.jsonObject(with: Data(log.utf8)) as? [Any])?.count == 5)
    }

    @Test func `a recorder that records nothing still numbers`() {
        let recorder = Recorder()
        let beginning = Beginning(client: LiveEndpoint(endpoint: RecorderRun.client), server: LiveEndpoint(endpoint: RecorderRun.server))
        #expect(recorder.begin(beginning, at: RecorderRun.at(0)) == 1)
        recorder.received(ByteBuffer(string: "x"), from: .client, in: 1, at: RecorderRun.at(1))
        #expect(recorder.begin(beginning, at: RecorderRun.at(2)) == 2 && recorder.hasRoom)
        #expect(recorder.finish() == .complete)
    }
}
