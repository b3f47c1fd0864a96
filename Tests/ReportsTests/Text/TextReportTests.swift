import Dissection
import Reports
import Testing

@Suite struct TextReportTests {
    typealias Script = RecordScript

    static func totals() -> Totals {
        var totals = Totals()
        (totals.packets, totals.conversations, totals.messages, totals.findings, totals.bytes) = (1_204, 1, 13, 1, 123_400)
        totals.skipped[SkipReason.allCases.firstIndex(of: .arp) ?? 0] = 2
        return totals
    }

    /// Compares line by line, so that a difference names its line.
    private func expect(_ shown: String, _ lines: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let (got, wanted) = (
            shown.split(separator: "\n", omittingEmptySubsequences: false), lines.split(separator: "\n", omittingEmptySubsequences: false)
        )
        for (got, wanted) in zip(got, wanted) { #expect(got == wanted, sourceLocation: sourceLocation) }
        #expect(got.count == wanted.count + 1 && got.last == "", sourceLocation: sourceLocation)
    }

    @Test func `a talk is a block`() {
        expect(
            Dialogue.text {
                $0.report.begin(Script.source)
                $0.chat()
                $0.report.finish(Self.totals())
            },
            #"""
             1  10.0.0.5:51422 > 10.0.0.9:8080   chat.example   WebSocket /room/7   2026-11-20 21:48:00.123 UTC
                0.000  >  GET /room/7 HTTP/1.1              upgrade to websocket, offers chat.v2, permessage-deflate
                0.004  <  101 Switching Protocols           4.1 ms   websocket, chat.v2, permessage-deflate (both sides keep contex…
                0.010  >  text      26 B deflated  {"type":"join","room":"7"}
                0.012  <  text    1.2 kB in 3 fragments     {"type":"history","messages":[{"from":"ana","text":"shall we meet at th…
                1.500  >  ping       4 B  hb-1
                1.501  <  pong       4 B  hb-1   1.2 ms
                3.900  >  text      12 B  \xff\xfe bad utf8␊   ff fe 20 62 61 64 20 75 74 66 38 0a
                       !  websocket.utf8-invalid   violation: text that is not UTF-8, first bad byte 0   RFC 6455 8.1   packet 10
                4.000  <  gap    1,448 bytes missing: lost before the capture
                4.200  <  close  1007     invalid frame payload data: "bad UTF-8"
                closed by the server with a Close frame: 1007 invalid frame payload data, answered after 3.0 ms
                4.2 s, packets 1-13   > 12 messages 3.4 kB   < 1 message 120 kB, 1,448 missing

            1 conversation, 1,204 packets, 123 kB, 13 messages, 1 finding
            not TCP: 2 packets of ARP
            """#)
    }

    @Test func `followed lines come at once, with their conversation and the time of day`() {
        var dialogue = Dialogue(TextReport(Output(), settings: TextSettings(usesColor: true, width: 140, follows: true)))
        dialogue.conversation = 12
        dialogue.say(0, nil, .opened(Script.opening))
        dialogue.message(10, .client, "hi".bytes)
        dialogue.finding(10, .client, Script.badText)
        expect(
            String(decoding: dialogue.report.takeBytes(), as: UTF8.self).replacing("\u{1b}", with: "^"),
            """
            ^[1m 12^[0m^[2m  21:48:00.123^[0m^[1m  =^[0m  10.0.0.5:51422 > 10.0.0.9:8080 opened on 2026-11-20 UTC
            ^[1m 12^[0m^[2m  21:48:00.133^[0m^[36m  >^[0m  text       2 B  hi
            ^[1m 12^[0m^[31m                !  websocket.utf8-invalid^[0m   violation: text that is not UTF-8, first bad byte 0^[2m   RFC 6455 8.1   packet 3^[0m
            """)
    }

    @Test func `a sealed talk shows its rhythm`() {
        expect(
            Dialogue.text(TextSettings(width: 140)) {
                $0.say(0, nil, .opened(Opening(client: Script.client, server: Script.server, start: .midstream, roles: .ports)))
                let (tls, parts) = Script.content("chat.example".bytes, [2] + "h2".bytes + [8] + "http/1.1".bytes)
                $0.say(
                    1, nil, .tls(TLSFacts(serverName: parts[0], offeredALPN: parts[1], version: 0x304, cipher: 0x1301, secrets: .missing)),
                    tls)
                func record(_ type: UInt8, _ length: UInt64) -> Fact {
                    .data(DataRun(length: length, framing: .tlsRecord(contentType: type)))
                }
                $0.say(2, .server, record(22, 90))
                $0.say(2, .client, record(20, 1))
                for turn in 0..<20 { $0.say(3 + Int64(turn), turn % 3 == 0 ? .client : .server, record(23, 1_400)) }
                $0.say(5_000, .client, record(23, 1_400))
                $0.say(5_001, .server, record(21, 24))
                $0.say(65_001, nil, .closed(Closing(by: .client, how: .reset, duration: 65_001_000_000)))
            },
            """
             1  10.0.0.5:51422 > 10.0.0.9:8080   chat.example   TLS   2026-11-20 21:48:00.123 UTC   seen from the middle on   roles guessed
                0.001  =  TLS 1.3 to chat.example, offers h2 or http/1.1, TLS_AES_128_GCM_SHA256; no keys, so contents stay sealed
                0.002  =  handshake       > 1 record  1 B   < 1 record  90 B
                0.003  =  sealed          > 7 records  9.8 kB   < 13 records  18 kB
                5.000  >  sealed          1 record  1.4 kB
                5.001  <  alert           1 record  24 B
                cut off by the client (RST), after 1 min 0 s of silence
                1 min 5 s, packets 1-27   > 0 B   < 0 B
            """)
    }

    /// What is shown of a conversation in TLS with a handshake, plaintext, and records after it.
    private func opened(_ secrets: TLSFacts.Secrets, _ finding: FindingRow? = nil) -> [Substring] {
        let text = Dialogue.text(TextSettings(width: 140)) {
            $0.say(0, nil, .opened(Script.opening))
            let (tls, parts) = Script.content("chat.example".bytes)
            $0.say(1, .server, .tls(TLSFacts(serverName: parts[0], version: 0x304, cipher: 0x1301, secrets: secrets)), tls)
            func record(_ type: UInt8, _ length: UInt64) -> Fact { .data(DataRun(length: length, framing: .tlsRecord(contentType: type))) }
            $0.say(2, .server, record(22, 90))
            $0.say(3, .client, .data(DataRun(length: 5)), "hello".bytes)
            if let finding { $0.finding(4, .client, finding, "why".bytes) }
            for type in [20, 22, 22, 21] as [UInt8] { $0.say(5, .client, record(type, 74)) }
            $0.say(6, .client, record(23, 500))
            $0.say(7, nil, .closed(Closing(by: .client, how: .fin, duration: 7_000_000)))
        }
        return text.split(separator: "\n").dropFirst(2).dropLast(2).map { $0.drop { $0 == " " } }
    }

    @Test func `what keys have opened is no sealed row`() {
        #expect(opened(.keylog) == ["0.003  >  data       5 B  hello", "0.006  >  sealed          1 record  500 B"])
    }

    @Test func `without keys, and where they do not open a record, handshakes and alerts have their rows`() {
        let rows = ["0.005  >  handshake       3 records  222 B", "0.005  >  alert           1 record  74 B"]
        #expect(opened(.missing).contains("0.002  <  handshake       1 record  90 B"))
        #expect(rows.allSatisfy { opened(.missing).contains($0[...]) }, "\(opened(.missing))")
        let unopened = opened(.keylog, .tlsRecordSealed)
        #expect(rows.allSatisfy { unopened.contains($0[...]) } && !unopened.contains { $0.contains("90 B") }, "\(unopened)")
    }

    @Test func `requests and answers have a line each, and their bodies`() {
        expect(
            Dialogue.text {
                $0.say(0, nil, .opened(Script.opening))
                $0.request(1, ("POST", "/api/login", "HTTP/1.1"), "Host: api.example\r\nContent-Type: application/json\r\n")
                $0.say(
                    1, .client, .body(BodyPart(length: 15, wireLength: 15, part: 1, final: true, payload: ByteRange(0..<15))),
                    #"{"user": "ana"}"#.bytes)
                $0.response(24, 401, "Unauthorized", "content-type: application/json\r\n", latency: 23_400_000)
                $0.say(
                    24, .server,
                    .body(
                        BodyPart(
                            length: 1_000, wireLength: 300, part: 1, final: true, encoding: ByteRange(0..<4), payload: ByteRange(4..<6))),
                    "gzip[]".bytes)
                $0.request(30, ("GET", "/", "HTTP/1.1"), "Host: other.example\r\n")
                $0.response(32, 302, "Found", "Location: /login\r\n", latency: 340_000)
                $0.say(40_000, nil, .closed(Closing(by: .unknown, how: .endOfCapture, duration: 40_000_000_000)))
            },
            """
             1  10.0.0.5:51422 > 10.0.0.9:8080   api.example   HTTP /api/login and 1 more request   2026-11-20 21:48:00.123 UTC
                0.001  >  POST /api/login HTTP/1.1          application/json
                0.001  >  body      15 B  {"user": "ana"}
                0.024  <  401 Unauthorized                  23 ms   application/json
                0.024  <  body    1.0 kB gzip      []…
                0.030  >  GET / HTTP/1.1                    host other.example
                0.032  <  302 Found                         0.34 ms   to /login
                still open at the end of the capture, after 40 s of silence
                40 s, packets 1-8   > 0 B   < 0 B
            """)
    }

    @Test func `a WebSocket that ends without a Close frame says what apps make of it`() {
        let shown = Dialogue.text {
            $0.say(0, nil, .opened(Script.opening))
            $0.message(1, .server, (0..<40).map { $0 }, opcode: 2)
            $0.say(2, nil, .closed(Closing(by: .server, how: .fin)))
        }
        #expect(shown.contains("\n    0.001  <  binary    40 B  00 01 02 03 "))
        #expect(shown.contains(" …  |....................."))
        #expect(shown.contains("\n    closed by the server (FIN); no Close frame, which apps see as code 1006\n"))
    }

    @Test func `a silence is rounded as the finding about it is`() {
        func silence(_ nanoseconds: Int64) -> String {
            var closing = Closing(by: .server, how: .fin)
            closing.silence = nanoseconds
            let shown = Dialogue.text {
                $0.say(0, nil, .opened(Script.opening))
                $0.message(1, .server, "hi".bytes)
                $0.say(2, nil, .closed(closing))
            }
            return shown.split(separator: "after ").last?.split(separator: " of silence").first.map(String.init) ?? ""
        }
        #expect(silence(99_990_000_000) == "1 min 40 s")
        #expect(silence(59_500_000_000) == "1 min 0 s")
        #expect(silence(59_499_999_999) == "59 s")
        #expect(silence(9_999_000_000) == "10 s")
        #expect(silence(3_599_600_000_000) == "1 h 0 min")
        #expect(silence(7_169_000_000_000) == "1 h 59 min")
        #expect(silence(7_170_000_000_000) == "2 h 0 min")
    }

    @Test func `Close frames that cross answer neither`() {
        let shown = Dialogue.text {
            $0.say(0, nil, .opened(Script.opening))
            $0.say(1, .client, .close(CloseFrame(code: 1000)))
            $0.say(2, .server, .close(CloseFrame(code: 1001)))
            $0.say(3, nil, .closed(Closing(by: .client, how: .closeFrame, code: 1000)))
        }
        #expect(
            shown.contains("closed by the client with a Close frame: 1000 normal closure; the other side sent one before that arrived\n"),
            "\(shown)")
    }

    @Test func `one conversation can be picked`() {
        let shown = Dialogue.text(TextSettings(conversations: ConversationSelection(2))) {
            $0.chat()
            $0.conversation = 2
            $0.chat()
        }
        #expect(shown.hasPrefix(" 2  10.0.0.5"))
        #expect(!shown.contains("\n 1  "))
    }

    @Test func `packets behind a close are not called anything but TCP`() {
        var totals = Self.totals()
        totals.skipped[SkipReason.afterClose.index] = 3
        #expect(
            Dialogue.text { $0.report.finish(totals) }.hasSuffix(
                "\n3 packets with payload came after their conversation had closed\nnot TCP: 2 packets of ARP\n"))
    }

    @Test func `a capture without TCP says what it has`() {
        var totals = Totals()
        totals.packets = 1_207
        totals.skipped[SkipReason.allCases.firstIndex(of: .quic) ?? 0] = 1_204
        totals.skipped[SkipReason.allCases.firstIndex(of: .arp) ?? 0] = 3
        #expect(Dialogue.text { $0.report.finish(totals) } == "\nno TCP here: 1,204 packets of QUIC, 3 of ARP\n")
    }

    @Test func `lines are cut at the columns of the terminal, wide characters counted as two`() {
        func payload(_ text: String, width: Int?) -> Substring {
            let shown = Dialogue.text(TextSettings(width: width, payload: .full)) {
                $0.message(0, .client, text.bytes)
                $0.say(2, nil, .closed(Closing(by: .server, how: .fin)))
            }
            return shown.split(separator: "\n")[1].split(separator: "B  ", maxSplits: 1)[1]
        }
        #expect(payload("abcdefghijkl", width: 42) == "abcdefghijkl")
        #expect(payload("abcdefghijklm", width: 42) == "abcdefghijk…")
        #expect(payload("漢字漢字漢字漢", width: 42) == "漢字漢字漢…")
        #expect(payload("a漢字漢字漢字", width: 42) == "a漢字漢字漢…")
        #expect(
            payload("e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}", width: 42)
                == "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}")
        #expect(payload("🎈🎈🎈🎈🎈🎈🎈", width: 42) == "🎈🎈🎈🎈🎈…")
        let long = String(repeating: "x", count: 5_000)
        #expect(payload(long, width: nil) == long)
    }
}
