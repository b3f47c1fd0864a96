import Dissection
import Reports
import Testing

@Suite("an entry of an HTTP archive")
struct HARRecordsTests {
    /// The records that come of an entry, or what is wrong with it.
    private static func told(_ entry: String) -> String {
        var teller = LogTeller()
        var records = HARRecords()
        var report = RecordReport(Output())
        let source = CaptureSource(kind: .file, name: "talk.har", tool: "unmask 0.1.0")
        teller.begin(source, after: Totals())
        let bytes = Array(entry.utf8)
        let outcome = records.tell(bytes.span.bytes) { teller.tell($0, into: &report, begin: { _, _ in }) }
        if case .problem(let words) = outcome { return words }
        return String(decoding: report.takeBytes(), as: UTF8.self)
    }

    @Test("of Chromium is told as the conversation that it was")
    func chromium() {
        let text = Self.told(
            #"""
            {
              "_connectionId": "17", "_initiator": { "type": "script", "stack": { "callFrames": [] } }, "_priority": "High",
              "_resourceType": "websocket",
              "_webSocketMessages": [
                { "type": "send", "time": 1700000000.25, "opcode": 1, "data": "{\"a\":\"\u00e4\"}" },
                { "type": "receive", "time": 1700000000.5, "opcode": 2, "data": "AAH/" }
              ],
              "cache": {}, "connection": "443",
              "request": {
                "method": "GET", "url": "wss://chat.example/room?x=1", "httpVersion": "HTTP/1.1",
                "headers": [{ "name": "Host", "value": "chat.example" }, { "name": "Origin", "value": "https://chat.example" }],
                "queryString": [{ "name": "x", "value": "1" }], "cookies": [], "headersSize": -1, "bodySize": 0
              },
              "response": {
                "status": 101, "statusText": "Switching Protocols", "httpVersion": "HTTP/1.1",
                "headers": [{ "name": "Upgrade", "value": "websocket" }], "cookies": [],
                "content": { "size": 0, "mimeType": "x-unknown" }, "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 0,
                "_error": null
              },
              "serverIPAddress": "[2001:db8::7]", "startedDateTime": "2023-11-14T22:13:20.000Z", "time": 1500,
              "timings": { "blocked": 1.5, "dns": -1, "ssl": -1, "connect": 2, "send": 0.5, "wait": 20, "receive": 0, "_blocked_queueing": -1 }
            }
            """#)
        #expect(
            text == #"""
                {"kind":"opened","conversation":1,"time":"2023-11-14T22:13:20.000000000Z","client":{},"server":{"address":"2001:db8::7","port":443,"name":"chat.example"},"transport":"tcp","start":"midstream","roles":"content"}
                {"kind":"tls","conversation":1,"time":"2023-11-14T22:13:20.000000000Z","serverName":"chat.example","secrets":"terminated"}
                {"kind":"request","conversation":1,"time":"2023-11-14T22:13:20.000000000Z","from":"client","exchange":1,"method":"GET","target":"/room?x=1","version":"HTTP/1.1","headers":[["Host","chat.example"],["Origin","https://chat.example"]]}
                {"kind":"response","conversation":1,"time":"2023-11-14T22:13:20.024000000Z","from":"server","exchange":1,"method":"GET","target":"/room?x=1","status":101,"reason":"Switching Protocols","version":"HTTP/1.1","headers":[["Upgrade","websocket"]],"latency":0.02}
                {"kind":"upgrade","conversation":1,"time":"2023-11-14T22:13:20.024000000Z","from":"server","protocol":"websocket","accepted":true,"host":"chat.example","target":"/room?x=1"}
                {"kind":"message","conversation":1,"time":"2023-11-14T22:13:20.250000000Z","from":"client","opcode":"text","length":10,"wireLength":10,"fragments":1,"compressed":false,"text":"{\"a\":\"ä\"}"}
                {"kind":"message","conversation":1,"time":"2023-11-14T22:13:20.500000000Z","from":"server","opcode":"binary","length":3,"wireLength":3,"fragments":1,"compressed":false,"base64":"AAH/"}
                {"kind":"closed","conversation":1,"by":"unknown","how":"end-of-capture","ends":{"client":"open","server":"open"},"duration":1.5,"client":{"bytes":0,"messages":0,"frames":0,"missing":0},"server":{"bytes":0,"messages":0,"frames":0,"missing":0}}

                """#)
    }

    @Test("over HTTP/2 has its host from the pseudo-field, and a body of what is there of it")
    func overHTTP2() {
        let text = Self.told(
            #"""
            {"request":{"method":"POST","url":"https://a.example:8443","httpVersion":"http/2.0","headers":[{"name":":method","value":"POST"},
            {"name":":authority","value":"a.example:8443"}],"bodySize":2,"postData":{"mimeType":"text/plain","text":"hi"}},
            "response":{"status":200,"statusText":"","httpVersion":"http/2.0","headers":[],"bodySize":5,
            "content":{"size":9,"mimeType":"application/json","text":"eyJhIjox","encoding":"base64"}},
            "startedDateTime":"2023-11-14T23:13:20.5+01:00","time":3.5,"timings":{"wait":3,"receive":0.5,"send":0}}
            """#)
        #expect(text.contains(#""target":"/","version":"http/2.0","headers":[["host","a.example:8443"]]}"#))
        #expect(text.contains(#""from":"client","length":2,"wireLength":2,"part":1,"final":true,"text":"hi"}"#))
        #expect(
            text.contains(
                #""time":"2023-11-14T22:13:20.503500000Z","from":"server","length":9,"wireLength":5,"part":1,"final":true,"text":"{\"a\":1","truncated":true}"#
            ))
        #expect(text.contains(#""latency":0.003"#))
    }

    @Test("without an answer has none")
    func unanswered() {
        let text = Self.told(
            #"""
            {"request":{"method":"GET","url":"http://a.example/","httpVersion":"","headers":[]},"response":{"status":0,"_error":"net::ERR_FAILED"},
            "startedDateTime":"","time":-1,"timings":{}}
            """#)
        #expect(text.contains(#""kind":"request""#))
        #expect(!text.contains(#""kind":"response""#))
    }

    @Test("that is none says why")
    func broken() {
        #expect(Self.told("{}") == "it has no request or no response")
        #expect(Self.told(#"{"request":{"url":"about:blank"},"response":{}}"#) == "its request has no URL of HTTP or WebSocket")
        #expect(Self.told(#"{"request":"#).hasPrefix("it is not valid JSON at its byte "))
        #expect(Self.told(String(repeating: "[", count: 10_000)).hasPrefix("it is not valid JSON at its byte "))
        #expect(Self.told(#"{"request":[],"response":7}"#) == "its request has no URL of HTTP or WebSocket")
    }
}
