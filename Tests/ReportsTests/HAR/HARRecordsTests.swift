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
        let text = String(decoding: report.takeBytes(), as: UTF8.self)
        return switch outcome {
        case .problem(let words): words
        case .loss(let words): text + "left out: " + words
        case _: text
        }
    }

    /// An entry of a WebSocket, or of what is none.
    private static func entry(
        _ messages: String = "[]", url: String = "ws://a.example/x", status: String = "101", request: String = "", response: String = "",
        more: String = ""
    ) -> String {
        #"""
        {"request":{"method":"GET","url":"\#(url)","headers":[]\#(request)},"response":{"status":\#(status),"headers":[],"statusText":"OK"\#(response)},
        "_webSocketMessages":\#(messages)\#(more)}
        """#
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
                {"kind":"closed","conversation":1,"by":"unknown","how":"end-of-capture","ends":{"client":"open","server":"open"},"duration":1.5,"client":{"bytes":10,"messages":1,"frames":1,"missing":0},"server":{"bytes":3,"messages":1,"frames":1,"missing":0}}

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

    @Test("whose request nobody saw has none, and what else was agreed on with 101 is no WebSocket")
    func unseen() {
        let unseen = #""startedDateTime":"","time":-1,"timings":{}}"#
        let response = Self.told(
            #"{"request":{"method":"","url":"http://[2001:db8::7]:80/","headers":[]},"response":{"status":200,"headers":[]},"# + unseen)
        #expect(!response.contains(#""kind":"request""#) && response.contains(#""kind":"response""#))
        let upgraded = Self.told(
            #"{"request":{"method":"GET","url":"http://a.example/","headers":[]},"response":{"status":101,"headers":[{"name":"Upgrade","value":"h2c"}]},"#
                + unseen)
        #expect(!upgraded.contains(#""kind":"upgrade""#))
        let tunnel = Self.told(
            #"{"request":{"method":"CONNECT","url":"http://a.example:443/","headers":[]},"response":{"status":200,"headers":[]},"# + unseen)
        #expect(tunnel.contains(#""method":"CONNECT","target":"a.example:443""#))
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

    @Test("is read as far as it can be, and says what is left out")
    func losses() {
        let message = #"{"type":"send","time":1,"opcode":1,"data":"kept"}"#
        let broken = Self.told(Self.entry("[1,\(message),null,[{}]]"))
        #expect(broken.contains(#""text":"kept""#))
        #expect(broken.hasSuffix("left out: 3 of its messages are not objects"))
        #expect(Self.told(Self.entry("5")).hasSuffix(#"left out: its "_webSocketMessages" is not a list"#))
        #expect(!Self.told(Self.entry("null")).contains("left out"))

        let opcodes = Self.told(Self.entry(#"[{"type":"send","opcode":-1,"data":"a"},{"type":"send","opcode":16,"data":"b"}]"#))
        #expect(opcodes.contains(#""text":"a""#) && opcodes.contains(#""text":"b""#))
        #expect(opcodes.hasSuffix("left out: 2 of its messages have no valid opcode"))

        let close = Self.told(Self.entry(more: #","_webSocketClose":{"type":"send","code":99999999999,"reason":"why"}"#))
        #expect(close.contains(#""kind":"close","conversation":1,"from":"client","text":"why""#), "\(close)")
        #expect(close.hasSuffix("left out: its close code is not valid"))

        let content = #","content":{"text":"!!","encoding":"base64"}"#
        let encoded = Self.told(Self.entry(url: "http://a.example/", status: "200", response: content))
        #expect(encoded.contains(#""text":"!!""#) && encoded.hasSuffix("left out: 1 of its contents is not valid Base64"))
    }

    @Test("has its messages whatever its URL and its status are")
    func messagesAnywhere() {
        let text = Self.told(
            Self.entry(
                #"[{"type":"receive","opcode":1,"data":"kept"}]"#, url: "http://a.example/x", status: "200",
                response: #","content":{"text":"abc"}"#))
        #expect(text.contains(#""kind":"body""#) && text.contains(#""text":"abc""#))
        #expect(text.contains(#""kind":"upgrade""#) && text.contains(#""accepted":true"#) && text.contains(#""text":"kept""#))
        #expect(!text.contains("left out"))
    }

    @Test("has a status that is a number in text, and says where it is none")
    func status() {
        let text = Self.told(Self.entry(url: "http://a.example/x", status: #""200""#))
        #expect(text.contains(#""status":200,"#) && !text.contains("left out"))
        let negative = Self.told(Self.entry(url: "http://a.example/x", status: "-5", response: #","content":{"text":"abc"}"#))
        #expect(negative.contains(#""status":0,"#) && negative.contains(#""text":"abc""#))
        #expect(negative.hasSuffix("left out: its status is not valid"))
        let huge = Self.told(Self.entry(url: "http://a.example/x", status: "65536"))
        #expect(huge.contains(#""status":65535,"#) && huge.hasSuffix("left out: its status is not valid"))
    }

    @Test("has what was posted, of which the parameters alone are told")
    func parameters() {
        let values = #"[{"name":"a","value":"x y&é"},{"name":"b","value":"%41"}]"#
        let form = #","postData":{"mimeType":"application/x-www-form-urlencoded","params":\#(values)}"#
        let text = Self.told(Self.entry(url: "http://a.example/x", status: "200", request: form))
        #expect(text.contains(#""text":"a=x+y%26%C3%A9&b=%41""#), "\(text)")
        #expect(!text.contains("left out"))
        let other = #","postData":{"mimeType":"multipart/form-data","params":[{"name":"a","value":"secret","fileName":"f"}]}"#
        let multipart = Self.told(Self.entry(url: "http://a.example/x", status: "200", request: other))
        #expect(multipart.contains(#""text":"a=secret""#))
        #expect(multipart.hasSuffix(#"left out: what was posted is in "params" alone"#))
    }

    @Test("has what the handshake agreed on, and the port of its URL where it has no address")
    func handshake() {
        let text = Self.told(
            #"""
            {"request":{"method":"GET","url":"ws://127.0.0.1:8080/x","headers":[]},"response":{"status":101,"statusText":"","headers":[
            {"name":"sec-websocket-protocol","value":"chat.v2"},{"name":"Sec-WebSocket-Extensions","value":"permessage-deflate"}]}}
            """#)
        #expect(text.contains(#""server":{"port":8080,"name":"127.0.0.1"}"#), "\(text)")
        #expect(text.contains(#""subprotocol":"chat.v2","extensions":"permessage-deflate""#), "\(text)")
    }

    @Test("has the times of messages in seconds, as Chromium writes them, or in milliseconds, as Playwright does")
    func times() {
        let text = Self.told(
            Self.entry(
                #"[{"type":"send","time":1700000000.25,"opcode":1,"data":"a"},{"type":"send","time":1700000000250.5,"opcode":1,"data":"b"}]"#
            ))
        #expect(text.contains(#""time":"2023-11-14T22:13:20.250000000Z","from":"client""#))
        #expect(text.contains(#""time":"2023-11-14T22:13:20.250500000Z","from":"client""#))
    }

    @Test("hands on one record after another, and stops where no more are wanted")
    func streaming() {
        var records = HARRecords()
        let messages = [String](repeating: #"{"type":"send","opcode":1,"data":""}"#, count: 1_000).joined(separator: ",")
        let bytes = Array(Self.entry("[\(messages)]").utf8)
        var told = 0
        let outcome = records.tell(bytes.span.bytes) { record in
            #expect(record.byteCount < 512)
            told += 1
            return told < 500 ? .told : nil
        }
        #expect(told == 500)
        if outcome != nil { Issue.record("it was told to its end") }
        #expect(records.heldBytes < 128 << 10)
    }
}
