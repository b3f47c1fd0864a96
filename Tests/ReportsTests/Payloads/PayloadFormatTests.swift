import Dissection
import Testing

@testable import Reports

/// What messages say, format by format: the record's `decoded`, and the line for people.
@Suite struct PayloadFormatTests {
    typealias Talk = MessagingTalk

    @Test func `GraphQL over WebSocket names the operation and its first result`() {
        var talk = Talk(subprotocol: "graphql-transport-ws")
        #expect(talk.say(#"{"type":"connection_init"}"#)?.json == #"{"as":"graphql-ws","type":"connection_init"}"#)
        let asked = talk.say(#"{"id":"7","type":"subscribe","payload":{"query":"subscription  OnMessage($room: ID!) { message }"}}"#)
        #expect(asked?.json == #"{"as":"graphql-ws","type":"subscribe","id":"7","operation":"subscription","name":"OnMessage"}"#)
        let first = talk.say(#"{"id":"7","type":"next","payload":{"data":{"message":"hi"}}}"#, from: .server)
        #expect(first?.json == #"{"as":"graphql-ws","type":"next","id":"7","latency":0.005}"#)
        #expect(
            talk.say(#"{"id":"7","type":"error","payload":[{"message":"no"}]}"#, from: .server)?.json
                == #"{"as":"graphql-ws","type":"error","id":"7","errors":[{"message":"no"}],"name":"OnMessage","duration":0.01}"#)
        #expect(talk.say(#"{"query":"{ me }"}"#)?.json.contains("it has no type") == true)
    }

    @Test func `STOMP frames have their command, headers and length`() {
        var talk = Talk()
        let frame = "SEND\r\ndestination:/queue/a\ncontent-type:text/plain\n\nhello\0"
        #expect(
            talk.say(frame)?.json
                == #"{"as":"stomp","command":"SEND","headers":[["destination","/queue/a"],["content-type","text/plain"]],"length":5,"payload":"hello"}"#
        )
        #expect(talk.say(frame)?.line == "SEND /queue/a  hello")
        #expect(talk.say("SENDING\n\n\0") == nil)
        #expect(talk.say("SEND\nbroken\n\n\0")?.json.contains(#""error":"a header has no colon","at":5"#) == true)
        var agreed = Talk(subprotocol: "v12.stomp")
        #expect(agreed.say("\n")?.json == #"{"as":"stomp","command":"heartbeat"}"#)
        #expect(agreed.say("SEND\na:b\n\nno end")?.json.contains("its frame does not end with NUL") == true)
        // A NUL inside of a body whose length is known.
        #expect(agreed.say("SEND\ncontent-length:3\n\na\0b\0")?.json.contains(#""length":3,"payload":"#) == true)
    }

    @Test func `SignalR messages are split, and completions have their time`() {
        var talk = Talk()
        #expect(
            talk.say("{\"protocol\":\"json\",\"version\":1}\u{1e}")?.json
                == #"{"as":"signalr","type":"handshake","protocol":"json","version":1}"#)
        #expect(talk.say(#"{"protocol":"json","version":1}"#)?.json.contains("does not end with 0x1e") == true)
        #expect(talk.say(#"{"protocol":"http","version":1}"#)?.json.contains("signalr") != true)
        #expect(talk.say("{\"type\":6}\u{1e}")?.json == #"{"as":"signalr","type":"ping"}"#)
        #expect(
            talk.say("{\"type\":1,\"invocationId\":\"3\",\"target\":\"Send\",\"arguments\":[\"x\"]}\u{1e}")?.json
                == #"{"as":"signalr","type":"invocation","target":"Send","invocationId":"3","arguments":["x"]}"#)
        #expect(
            talk.say("{\"type\":3,\"invocationId\":\"3\",\"result\":1}\u{1e}{\"type\":6}\u{1e}", from: .server)?.json
                == #"{"as":"signalr","messages":[{"type":"completion","invocationId":"3","result":1,"latency":0.005},{"type":"ping"}]}"#
        )
        #expect(talk.say("{\"type\":6}")?.json == #"{"as":"json"}"#)
    }

    @Test func `JSON-RPC results name their call`() {
        var talk = Talk()
        #expect(
            talk.say(#"{"jsonrpc":"2.0","method":"sum","params":[1,2],"id":1}"#)?.json
                == #"{"as":"json-rpc","type":"call","method":"sum","id":1}"#)
        let result = talk.say(#"{"jsonrpc":"2.0","result":3,"id":1}"#, from: .server)
        #expect(result?.json == #"{"as":"json-rpc","type":"result","id":1,"method":"sum","latency":0.005}"#)
        #expect(result?.line == "result of sum after 5 ms  3")
        #expect(talk.say(#"{"jsonrpc":"2.0","method":"tick"}"#)?.line == "notification tick")
        #expect(talk.say(#"{"jsonrpc":"2.0","error":{"code":-1},"id":null}"#, from: .server)?.json == #"{"as":"json-rpc","type":"error"}"#)
        #expect(talk.say(#" {"jsonrpc":"2.0","method":"tock"}"#)?.line == "notification tock")
        #expect(talk.say(#"{"result":1,"error":null,"id":5,"jsonrpc":"2.0"}"#)?.line == "result  1")
        #expect(talk.say(#"{"jsonrpc":"2.0","method":"#)?.json.contains("not valid or not whole") == true)
    }

    @Test func `batches of JSON-RPC have their messages, and results find their calls`() {
        var talk = Talk()
        let asked = talk.say(
            #"[{"jsonrpc":"2.0","method":"sum","params":[1],"id":1},{"jsonrpc":"2.0","method":"tick"},{"jsonrpc":"2.0","method":"b","id":2}]"#
        )
        #expect(
            asked?.json
                == #"{"as":"json-rpc","type":"batch","count":3,"messages":[{"type":"call","method":"sum","id":1},"#
                + #"{"type":"notification","method":"tick"},{"type":"call","method":"b","id":2}]}"#)
        #expect(asked?.line == "batch of 3: call sum  [1]; notification tick; call b")
        // One of them is answered alone, and one in a batch.
        #expect(talk.say(#"{"jsonrpc":"2.0","result":0,"id":2}"#, from: .server)?.line == "result of b after 5 ms  0")
        #expect(
            talk.say(#"[{"jsonrpc":"2.0","error":{"code":1},"id":1}]"#, from: .server)?.json
                == #"{"as":"json-rpc","type":"batch","count":1,"messages":[{"type":"error","id":1,"method":"sum","latency":0.01}]}"#)
        let many = "[" + (1...1_001).map { #"{"jsonrpc":"2.0","method":"m","id":\#($0)}"# }.joined(separator: ",") + "]"
        let said = talk.say(many)
        #expect(said?.json.hasPrefix(#"{"as":"json-rpc","type":"batch","count":1001,"messages":["#) == true)
        #expect(said?.json.contains("error") == false && said?.line.hasSuffix("; call m; …") == true)
        for (text, reason) in [
            (
                #"[{"jsonrpc":"2.0"},{"jsonrpc":"2.0"}]"#,
                #""messages":[],"error":"a message has no method, result or error","at":1"#
            ),
            (
                #"[{"jsonrpc":"2.0","method":"a"},7]"#,
                #""method":"a"}],"error":"a message has no method, result"#
            ),
            (#"[{"jsonrpc":"2.0","method":"a"}"#, "its JSON is not valid or not whole"),
            (#"[{"jsonrpc":"2.0","method":"a"}] 7"#, "something follows its JSON"),
        ] { #expect(talk.say(text)?.json.contains(reason) == true, "\(text)") }
    }

    @Test func `JSON-RPC has its version among its own members`() {
        var talk = Talk()
        for text in [
            #"{"payload":{"jsonrpc":"2.0","id":1,"method":"x"},"type":"wrapped"}"#, #"["jsonrpc",{"jsonrpc":"2.0"}]"#,
            #"{"text":"say \"jsonrpc\": now","a":1}"#,
        ] { #expect(talk.say(text)?.json == #"{"as":"json"}"#, "\(text)") }
        let long = String(repeating: "x", count: 10_000)
        #expect(talk.say(#"{"params":["\#(long)"],"method":"late","id":3,"jsonrpc":"2.0"}"#)?.json.contains(#""type":"call""#) == true)
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        #expect(
            talk.say(#"{"jsonrpc":"2.0","method":"a","params":\#(deep)}"#)?.json.contains("it is nested deeper than 100 levels") == true)
    }

    @Test func `over HTTP a result belongs to the call of its exchange`() {
        var talk = Talk(target: "/")
        func call(_ method: String, _ exchange: UInt64) {
            _ = talk.body(
                Array(#"{"jsonrpc":"2.0","method":"\#(method)","id":1}"#.utf8), from: .client, target: "/r", type: "application/json",
                exchange: exchange)
        }
        func result(_ exchange: UInt64, _ type: String = "application/json") -> String? {
            let text = #"{"jsonrpc":"2.0","result":1,"id":1}"#
            let body = type == "application/json" ? text : "data: \(text)\n\n"
            return talk.body(Array(body.utf8), from: .server, target: "/r", type: type, exchange: exchange)?.line
        }
        // Both are asked before the first is answered.
        call("slow", 1)
        call("fast", 2)
        #expect(result(1) == "result of slow after 10 ms  1")
        #expect(result(2) == "result of fast after 10 ms  1")
        // The call of this exchange was not captured: no other is taken for it.
        call("other", 3)
        #expect(result(4) == "result  1")
        // In events of another request it may be answered.
        #expect(result(5, "text/event-stream")?.contains("result of other after 10 ms") == true)
    }

    @Test func `SignalR is known by its members, wherever they stand`() {
        var talk = Talk()
        for text in [
            #"{"type":"chat","text":"secret words"}"#, #"{"protocol":"chat"}"#, #"{"protocol":"chat","version":"1"}"#, #"{"type":17}"#,
            #"{"a":{"type":1}}"#, "{}", #"{"error":"no"}"#,
        ] { #expect(talk.say(text + "\u{1e}")?.json.contains("signalr") != true, "\(text)") }
        #expect(talk.say("{}\u{1e}", from: .server)?.line == "handshake")
        #expect(talk.say("{\"error\":\"no\"}\u{1e}", from: .server)?.line == #"handshake "no""#)
        // The client of browsers writes the type last.
        let long = String(repeating: "long ", count: 100)
        #expect(
            talk.say("{\"arguments\":[\"\(long)\"],\"invocationId\":\"1\",\"target\":\"Say\",\"type\":1}\u{1e}")?.json
                .hasPrefix(#"{"as":"signalr","type":"invocation","target":"Say","invocationId":"1""#) == true)
        #expect(
            talk.say("{\"type\":3,\"invocationId\":\"1\",\"result\":7}\u{1e}", from: .server)?.line
                == #"completion "1" 7, of Say, after 5 ms"#)
        let mixed = talk.say("{\"type\":6}\u{1e}{\"type\":\"x\"}\u{1e}")
        #expect(mixed?.json == #"{"as":"signalr","type":"ping","error":"a message has no type of the hub protocol","at":11}"#)
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        #expect(talk.say("{\"type\":1,\"arguments\":\(deep)}\u{1e}")?.json.contains("nested deeper than 100 levels") == true)
    }

    private static let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)

    @Test(arguments: [
        ("/", "actioncable-v1-json", #"{"type":"x","message":DEEP}"#, Side.server),
        ("/", "graphql-transport-ws", #"{"type":"next","id":"1","payload":DEEP}"#, .server),
        ("/", "graphql-ws", #"{"type":"data","id":"1","payload":DEEP}"#, .server),
        ("/socket/websocket?vsn=2.0.0", "", #"["1","2","room:1","shout",DEEP]"#, .client),
        ("/socket/websocket?vsn=1.0.0", "", #"{"topic":"a","event":"shout","ref":"1","payload":DEEP}"#, .client),
        ("/", "wamp.2.json", "[48,1,{},\"com.sum\",DEEP]", .client),
        ("/echo/123/abcd1234/websocket", "", "aDEEP", .server),
        ("/", "", #"42["e",DEEP]"#, .client),
    ])
    func `JSON that nests deeper than it is read is not called invalid`(target: String, subprotocol: String, text: String, from: Side) {
        var talk = Talk(target: target, subprotocol: subprotocol)
        let said = talk.say(text.replacing("DEEP", with: Self.deep), from: from)
        #expect(said?.json.contains(#""error":"it is nested deeper than 100 levels""#) == true, "\(said?.json ?? "nothing")")
        // The same that ends in the middle is not whole.
        let cut = talk.say(text.replacing("DEEP", with: "[["), from: from)
        #expect(cut?.json.contains(#""error":"it is nested"#) != true, "\(cut?.json ?? "nothing")")
    }

    @Test func `several STOMP frames of one message are read`() {
        var talk = Talk(subprotocol: "v12.stomp")
        let asked = talk.say("SUBSCRIBE\nid:0\ndestination:/t\nreceipt:r1\n\n\0\nSEND\ndestination:/t\nreceipt:r2\n\nhi\0\n")
        #expect(
            asked?.json
                == #"{"as":"stomp","frames":[{"command":"SUBSCRIBE","headers":[["id","0"],["destination","/t"],["receipt","r1"]],"length":0},"#
                + #"{"command":"SEND","headers":[["destination","/t"],["receipt","r2"]],"length":2,"payload":"hi"}]}"#)
        #expect(asked?.line == "SUBSCRIBE /t; SEND /t  hi")
        let answers = talk.say("RECEIPT\nreceipt-id:r1\n\n\0RECEIPT\nreceipt-id:r2\n\n\0", from: .server)
        #expect(answers?.line == "RECEIPT r1, of SUBSCRIBE, after 5 ms; RECEIPT r2, of SEND, after 5 ms")
        #expect(
            talk.say("SEND\n\nhi\0what\0")?.json
                == #"{"as":"stomp","command":"SEND","headers":[],"length":2,"payload":"hi","error":"it does not begin with a command of STOMP","at":9}"#
        )
        let many = String(repeating: "SEND\n\n\0", count: 300)
        #expect(talk.say(many)?.json.hasSuffix(#""error":"it has more than 256 frames","at":1792}"#) == true)
    }

    @Test func `plain text and JSON stay what they are`() {
        var talk = Talk()
        for text in ["hello", "42", "4", "0", "2", "42 is the answer", "SEND me", "40 days", "[INFO] started", "{a}", "o", "h", "a[1]"] {
            #expect(talk.say(text) == nil, "\(text)")
        }
        for text in ["{}", "[]", "{\"a\":1}", "[null,null,\"t\",\"e\",{}]"] {
            // Shown as it is.
            let said = talk.say(text)
            #expect(said?.json == #"{"as":"json"}"# && said?.line == "", "\(text)")
        }
        #expect(talk.say([0x10, 0], opcode: 2) == nil)
    }

    @Test func `a closed conversation takes no memory, and calls are bounded`() {
        var talk = Talk()
        for id in 0..<5_000 { _ = talk.say(#"{"jsonrpc":"2.0","method":"m","id":\#(id)}"#) }
        #expect(talk.reader.heldBytes > 0 && talk.reader.heldBytes < 100_000)
        let closing = ConversationEvent(
            conversation: 1, from: nil, place: Place(), offset: nil, fact: .closed(Closing(by: .client, how: .fin)), content: RawSpan())
        _ = talk.reader.read(closing)
        #expect(talk.reader.heldBytes == 0)
    }

    @Test(arguments: [
        (#"{"a":[1,{"b":null}],"c":"\"}"}"#, true), ("-0.5e+3", true), ("[[],{}]", true), ("01", false), ("[1,]", false),
        ("{\"a\"}", false),
        ("\"a", false), ("1.", false), ("tru", false), (String(repeating: "[", count: 20_000), false), ("\"\\", false),
    ])
    func `JSON is walked whole, or not at all`(text: String, isValid: Bool) {
        let bytes = Array(text.utf8)
        var cursor = JSONCursor(bytes.rawBytes)
        let range = cursor.value()
        #expect((range == 0..<bytes.count) == isValid, "\(text.prefix(20))")
    }
}

/// What a peer writes cannot leave its place in a record, and nothing that it sent is hidden.
@Suite struct HostilePayloadTests {
    /// As JSON in a record: one line, valid, UTF-8.
    private func record(_ text: [UInt8], target: String = "/socket.io/?EIO=4", subprotocol: String = "", opcode: UInt8 = 1) throws -> String
    {
        var talk = PayloadFormatTests.Talk(target: target, subprotocol: subprotocol)
        let said = talk.say(text, opcode: opcode)
        let json = try #require(said).json
        var reader = JSONReader(Array(json.utf8).rawBytes)
        #expect((try? reader.whole()) != nil, "\(json)")
        #expect(json.utf8.allSatisfy { $0 >= 0x20 } && !json.contains("\u{fffd}"), "\(json)")
        return json
    }

    @Test(arguments: [
        "42[\"a\",1,\n{\"kind\":\"finding\",\"id\":\"forged\"}\n,2]", "42[\"a\\x\"]", "42[\"a\",\"\\u12\"]", "40{\"a\":zz", "44\"err",
        "40{bad",
        "42[\"a\",\t[ 1 ,\r\n2 ] ]",
    ])
    func `Socket.IO`(text: String) throws { _ = try record(Array(text.utf8)) }

    @Test func `bytes that are not UTF-8 do not come into a record`() throws {
        #expect(try record(Array("42[\"a\",\"".utf8) + [0xff, 0xfe] + Array("\"]".utf8)).contains("\"as\":\"socket.io\""))
    }

    @Test func `a name that is too long to keep is left out, not cut`() {
        var talk = PayloadFormatTests.Talk()
        let name = String(repeating: "a", count: 127) + "\\n€"
        _ = talk.say("{\"jsonrpc\":\"2.0\",\"method\":\"\(name)\",\"id\":1}")
        #expect(
            talk.say("{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":1}", from: .server)?.json
                == #"{"as":"json-rpc","type":"result","id":1,"latency":0.005}"#)
    }

    @Test func `what follows is not hidden`() throws {
        for (text, subprotocol) in [
            ("SEND\n\nhi\0SECOND\0", ""), ("SEND\ncontent-length:9\n\nhi\0", ""), ("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}HIDDEN", ""),
            ("{\"type\":\"ping\"} x", "graphql-ws"),
        ] {
            #expect(try record(Array(text.utf8), target: "/", subprotocol: subprotocol).contains("\"error\":"), "\(text)")
        }
        #expect(try record([0x30, 4, 0, 9, 0x61, 0x62], target: "/", subprotocol: "mqtt", opcode: 2).contains("\"error\":"))
    }

    @Test func `words that only look alike are left alone`() {
        var talk = PayloadFormatTests.Talk()
        for text in ["42/7", "42/100 done", "{\"x\":\"json-seq\"}\u{1e}"] { #expect(talk.say(text) == nil, "\(text)") }
        #expect(talk.say("{\"type\":\"jsonrpc\",\"a\":1}")?.json == #"{"as":"json"}"#)
    }
}
