import Dissection
import Reports
import Testing

@Suite("an HTTP archive")
struct HARReportTests {
    private static let source = CaptureSource(kind: .file, name: "talk.pcapng", tool: "unmask 0.1.0")

    private static func archive(_ settings: HARSettings = HARSettings(), _ talk: (inout Dialogue<HARReport>) -> Void) -> String {
        var dialogue = Dialogue(HARReport(Output(), settings: settings))
        dialogue.report.begin(source)
        talk(&dialogue)
        dialogue.report.finish(TextReportTests.totals())
        return String(decoding: dialogue.report.takeBytes(), as: UTF8.self)
    }

    @Test("has an entry with the messages of a WebSocket, as Chromium writes them")
    func webSocket() throws {
        let text = Self.archive { $0.chat(asked: 1) }
        let entry = try #require(text.split(separator: "\n").dropFirst().first)
        #expect(text.hasPrefix(#"{"log":{"version":"1.2","creator":{"name":"unmask","version":"0.1.0"},"pages":[],"entries":["# + "\n"))
        #expect(text.hasSuffix("\n]}}\n"))
        #expect(entry.hasPrefix(#"{"_resourceType":"websocket","startedDateTime":""#))
        #expect(entry.contains(#""request":{"method":"GET","url":"ws://chat.example/room/7","httpVersion":"HTTP/1.1""#))
        #expect(entry.contains(#""timings":{"blocked":-1,"dns":-1,"connect":-1,"ssl":-1,"send":0,"wait":4.100000,"receive":"#))
        #expect(entry.contains(#""opcode":1,"data":"{\"type\":\"join\",\"room\":\"7\"}"}"#))
        // What calls itself text and is none.
        #expect(entry.contains(#""opcode":1,"data":"//4gYmFkIHV0ZjgK","_encoding":"base64"}"#))
        // A message of which less is there than was sent.
        #expect(entry.contains(#"too early\"}]}","_length":1240}"#))
        #expect(entry.contains(#""_webSocketClose":{"type":"receive","code":1007,"reason":"bad UTF-8"}"#))
    }

    @Test("has cookies, parameters, bodies and the time of each")
    func exchange() throws {
        let text = Self.archive { talk in
            talk.say(0, nil, .opened(RecordScript.opening))
            talk.request(
                0, ("POST", "/a?q=1&empty&=x#part", "HTTP/1.1"),
                "Host: a.example:8080\r\nCookie: sid=31; t = x\r\nContent-Length: 3\r\nContent-Type: text/plain\r\n")
            talk.say(
                1, .client, .body(BodyPart(length: 3, wireLength: 3, part: 1, final: true, payload: ByteRange(0..<3))), "a\"b".bytes)
            talk.response(
                6, 302, "Found",
                "Location: /b\r\nSet-Cookie: sid=32; Path=/; HttpOnly; Secure\r\nContent-Type: image/png\r\nContent-Encoding: gzip\r\n",
                latency: 5_000_000, asked: 1)
            talk.say(
                8, .server, .body(BodyPart(length: 4, wireLength: 2, part: 1, final: true, payload: ByteRange(0..<4))),
                [0x89, 0x50, 0xff, 0])
        }
        #expect(text.contains(#""url":"http://a.example:8080/a?q=1&empty&=x#part""#))
        #expect(text.contains(#""cookies":[{"name":"sid","value":"31"},{"name":"t","value":"x"}]"#))
        #expect(text.contains(#""queryString":[{"name":"q","value":"1"},{"name":"empty","value":""},{"name":"","value":"x"}]"#))
        #expect(text.contains(#""bodySize":3,"postData":{"mimeType":"text/plain","params":[],"text":"a\"b"}}"#))
        #expect(text.contains(#""cookies":[{"name":"sid","value":"32","path":"/","httpOnly":true,"secure":true}]"#))
        #expect(text.contains(#""redirectURL":"/b""#))
        #expect(
            text.contains(
                #""bodySize":2,"content":{"size":4,"mimeType":"image/png","compression":2,"text":"iVD/AA==","encoding":"base64"}}"#))
        #expect(text.contains(#""time":7,"#))
    }

    @Test("says what was never answered, and what there was no room for")
    func missing() throws {
        let unanswered = Self.archive { talk in
            talk.say(0, nil, .opened(RecordScript.opening))
            talk.request(0, ("GET", "http://b.example/x", "HTTP/1.1"), "")
        }
        #expect(unanswered.contains(#""url":"http://b.example/x""#))
        #expect(unanswered.contains(#""response":{"status":0,"#))
        #expect(unanswered.contains(#""_error":"no answer was seen""#))

        var settings = HARSettings()
        settings.totalBytes = 4_096
        let crowded = Self.archive(settings) { talk in
            talk.chat(asked: 1)
            talk.say(5_000, nil, .opened(RecordScript.opening))
            talk.request(5_000, ("GET", "/", "HTTP/1.1"), "Host: a\r\n")
            talk.response(5_001, 200, "OK", "", latency: 1, asked: 1)
            let body = [UInt8](repeating: 0x61, count: 60_000)
            talk.say(
                5_002, .server, .body(BodyPart(length: 60_000, wireLength: 60_000, part: 1, final: true, payload: ByteRange(0..<60_000))),
                body)
        }
        #expect(crowded.contains(" bytes of bodies are left out\"}"))
    }

    @Test("of a run without HTTP is whole and empty")
    func empty() {
        #expect(
            Self.archive { $0.say(0, nil, .opened(RecordScript.opening)) }
                == #"{"log":{"version":"1.2","creator":{"name":"unmask","version":"0.1.0"},"pages":[],"entries":["# + "\n]}}\n")
    }
}
