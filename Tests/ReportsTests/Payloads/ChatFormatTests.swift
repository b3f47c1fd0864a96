import Dissection
import Testing

@testable import Reports

/// Formats of chats and channels over WebSocket: SockJS, Phoenix, ActionCable, WAMP, SignalR in MessagePack, XMPP.
@Suite struct ChatFormatTests {
    private typealias Talk = MessagingTalk

    @Test func `SockJS has frames, and messages of other protocols in them`() {
        var talk = Talk(target: "/chat/123/abcd1234/websocket")
        #expect(talk.say("o", from: .server)?.json == #"{"as":"sockjs","type":"open"}"#)
        #expect(talk.say("h", from: .server)?.line == "heartbeat")
        let sent = talk.say(#"["SEND\ndestination:/a\nreceipt:1\n\nhi\u0000"]"#)
        #expect(
            sent?.json
                == #"{"as":"sockjs","type":"message","messages":[{"as":"stomp","command":"SEND","#
                + #""headers":[["destination","/a"],["receipt","1"]],"length":2,"payload":"hi"}]}"#)
        #expect(sent?.line == "stomp SEND /a  hi")
        #expect(
            talk.say(#"a["plain","{\"a\":1}"]"#, from: .server)?.json == #"{"as":"sockjs","type":"message","messages":["plain",{"a":1}]}"#)
        #expect(talk.say(#"c[3000,"Go away!"]"#, from: .server)?.json == #"{"as":"sockjs","type":"close","code":3000,"reason":"Go away!"}"#)
        #expect(talk.say("a[1]", from: .server)?.json.hasSuffix(#""error":"a message is not a string","at":2}"#) == true)
        #expect(talk.say("a[\"x\"", from: .server)?.json.contains("\"error\"") == true)
        #expect(talk.say("hello", from: .server) == nil)
        // The raw endpoint has no frames, and neither has another target.
        for target in ["/chat/websocket", "/a.b/c/websocket", "/"] {
            var other = Talk(target: target)
            #expect(other.say("o", from: .server) == nil && other.say("h", from: .server) == nil, "\(target)")
            #expect(other.say(#"["x"]"#)?.json == #"{"as":"json"}"#)
        }
        var late = Talk()
        #expect(late.say(#"a["x"]"#, from: .server)?.line == "x")
        var polling = Talk(target: "/")
        let target = "/chat/123/abcd1234/xhr"
        #expect(polling.body("o\n", from: .server, target: target)?.json == #"{"as":"sockjs","type":"open"}"#)
        #expect(polling.body("h\na[\"x\"]\n", from: .server, target: target)?.line == "heartbeat; x")
        #expect(polling.body(#"["y"]"#, from: .client, target: target + "_send")?.line == "y")
        #expect(polling.body("oops", from: .server, target: target) == nil)
    }

    @Test func `SockJS polls by script and form too`() {
        var talk = Talk(target: "/")
        let target = "/chat/123/abcd1234/jsonp"
        func server(_ text: String) -> Talk.Said? {
            talk.body(text, from: .server, target: target + "?c=_jp.a1", type: "application/javascript")
        }
        #expect(server("/**/_jp.a1(\"o\");\r\n")?.json == #"{"as":"sockjs","type":"open"}"#)
        #expect(server(#"_jp.a1("a[\"x\",\"\u00fc\"]");"#)?.line == "x; ü")
        #expect(server(#"_jp.a1("c[3000,\"Go away!\"]");"#)?.line == #"close 3000 "Go away!""#)
        let form = "application/x-www-form-urlencoded"
        #expect(
            talk.body("d=%5B%22a%5C%5Cnb%22%5D", from: .client, target: target + "_send", type: form)?.json
                == #"{"as":"sockjs","type":"message","messages":["a\\nb"]}"#)
        #expect(talk.body(#"["y"]"#, from: .client, target: target + "_send")?.line == "y")
        // The answer to what was sent, and what is none of it.
        #expect(talk.body("ok", from: .server, target: target + "_send") == nil)
        for text in [#"_jp.a1("")"#, #"_jp.a1("a[\"x\"]""#, "_jp.a1()", "(", #"_jp.a1("hello")"#] {
            #expect(server(text)?.json.contains("sockjs") != true, "\(text)")
        }
        #expect(talk.body("d=", from: .client, target: target + "_send", type: form)?.json.contains("sockjs") != true)
        // What is wrong in a string is placed in the body.
        #expect(server(#"_jp.a1("a[1]");"#)?.json.contains(#""error":"a message is not a string""#) == true)
    }

    @Test func `Phoenix has topics and events, and replies with their time`() {
        var talk = Talk(target: "/socket/websocket?vsn=2.0.0")
        #expect(
            talk.say(#"["3","4","room:1","phx_join",{"a":1}]"#)?.json
                == #"{"as":"phoenix","topic":"room:1","event":"phx_join","joinRef":"3","ref":"4","payload":{"a":1}}"#)
        // Another topic has references of its own.
        #expect(
            talk.say(#"["9","4","room:2","phx_reply",{"status":"ok","response":{}}]"#, from: .server)?.json.contains("latency") == false)
        let reply = talk.say(#"["3","4","room:1","phx_reply",{"status":"ok","response":{"b":2}}]"#, from: .server)
        #expect(
            reply?.json
                == #"{"as":"phoenix","topic":"room:1","event":"phx_reply","joinRef":"3","ref":"4","status":"ok","payload":{"b":2},"latency":0.01}"#
        )
        #expect(reply?.line == #"phx_reply room:1 ok  {"b":2}, of phx_join, after 10 ms"#)
        #expect(talk.say(#"[null,null,"room:1","new_msg",{"body":"hi"}]"#, from: .server)?.line == #"new_msg room:1  {"body":"hi"}"#)
        #expect(talk.say(#"[null,null,"room:1",7,{}]"#)?.json == #"{"as":"json"}"#)
        var old = Talk()
        #expect(
            old.say(#"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"7"}"#)?.json
                == #"{"as":"phoenix","topic":"phoenix","event":"heartbeat","ref":"7","payload":{}}"#)
        #expect(
            old.say(#"{"topic":"phoenix","event":"phx_reply","payload":{"status":"ok","response":{}},"ref":"7"}"#, from: .server)?.line
                .hasSuffix("of heartbeat, after 5 ms") == true)
        #expect(old.say(#"{"topic":"news","event":"x","payload":{},"ref":"7"}"#)?.json == #"{"as":"json"}"#)
    }

    @Test func `Pusher has events of channels, and subscriptions have their time`() {
        var talk = Talk(target: "/app/key?protocol=7&client=js&version=8.4.0")
        #expect(
            talk.say(
                #"{"event":"pusher:connection_established","data":"{\"socket_id\":\"1.2\",\"activity_timeout\":120}"}"#, from: .server)?
                .json
                == #"{"as":"pusher","event":"pusher:connection_established","data":{"socket_id":"1.2","activity_timeout":120}}"#)
        #expect(
            talk.say(#"{"event":"pusher:subscribe","data":{"channel":"room"}}"#)?.json
                == #"{"as":"pusher","event":"pusher:subscribe","channel":"room","data":{"channel":"room"}}"#)
        #expect(
            talk.say(#"{"event":"pusher_internal:subscription_succeeded","channel":"room","data":"{}"}"#, from: .server)?.line
                == "pusher_internal:subscription_succeeded room  {}, after 5 ms")
        #expect(
            talk.say(#"{"event":"said","channel":"room","data":"{\"text\":\"hi\"}"}"#, from: .server)?.line
                == #"said room  {"text":"hi"}"#)
        #expect(talk.say(#"{"event":"pusher:ping"}"#)?.line == "pusher:ping")
        #expect(talk.say(#"{"type":"x"}"#)?.json == #"{"as":"json"}"#)
        // Apps have events as well.
        var other = Talk(target: "/app/ws")
        #expect(other.say(#"{"event":"said","channel":"room","data":{}}"#)?.json == #"{"as":"json"}"#)
    }

    @Test func `Centrifugo has commands, replies and pushes, matched by their number`() {
        var talk = Talk(target: "/connection/websocket")
        #expect(talk.say(#"{"id":1,"connect":{"token":"t"}}"#)?.line == #"connect  {"token":"t"}"#)
        #expect(
            talk.say(#"{"id":1,"connect":{"client":"c","ping":25,"pong":true}}"#, from: .server)?.line
                == #"reply  {"client":"c","ping":25,"pong":true}, of connect, after 5 ms"#)
        #expect(
            talk.say(#"{"id":2,"subscribe":{"channel":"news"}}"#)?.json
                == #"{"as":"centrifugo","type":"subscribe","id":2,"channel":"news","data":{"channel":"news"}}"#)
        #expect(
            talk.say(#"{"id":2,"error":{"code":103,"message":"permission denied"}}"#, from: .server)?.line
                == "error 103 permission denied, of subscribe news, after 5 ms")
        #expect(
            talk.say(#"{"push":{"channel":"news","pub":{"data":{"a":1}}}}"#, from: .server)?.json
                == #"{"as":"centrifugo","type":"push pub","channel":"news","data":{"a":1}}"#)
        #expect(
            talk.say(#"{"push":{"disconnect":{"code":3500,"reason":"invalid token"}}}"#, from: .server)?.line
                .hasPrefix("push disconnect 3500 invalid token") == true)
        #expect(talk.say("{}", from: .server)?.json == #"{"as":"centrifugo","type":"ping"}"#)
        #expect(talk.say("{}")?.json == #"{"as":"centrifugo","type":"pong"}"#)
        #expect(
            talk.say(#"{"id":3,"rpc":{"method":"sum"}}"# + "\n" + #"{"send":{"data":1}}"#)?.line
                == #"rpc sum  {"method":"sum"}; send  {"data":1}"#)
        #expect(talk.say("{}\n{\"x\":1}")?.json.contains("no command, reply or push") == true)
        #expect(talk.say(#"{"hello":1}"#)?.json == #"{"as":"json"}"#)
        // Apps have such members as well.
        var other = Talk(target: "/ws")
        #expect(other.say(#"{"id":2,"subscribe":{"channel":"news"}}"#)?.json == #"{"as":"json"}"#)
    }

    @Test func `a method of MCP says which tool, resource or client it is about`() {
        var talk = Talk(target: "/mcp")
        #expect(
            talk.say(
                #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"#
                    + #""clientInfo":{"name":"app","version":"1"}}}"#
            )?.line == "call initialize MCP 2025-06-18 of app  {}")
        #expect(
            talk.say(#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","arguments":{"city":"Graz"}}}"#)?.line
                == #"call tools/call weather  {"city":"Graz"}"#)
        #expect(
            talk.say(
                #"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no such city"}],"isError":true}}"#, from: .server)?
                .line.hasPrefix("result with isError of tools/call after ") == true)
        #expect(
            talk.say(#"{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"file:///a"}}"#)?.line
                == "call resources/read file:///a")
        #expect(
            talk.say(#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":3,"total":8}}"#)?.line
                == "notification notifications/progress 3 of 8")
        // A language server has a call of the same name, and apps have results with such a member.
        #expect(
            talk.say(#"{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"rootUri":null}}"#)?.line
                == #"call initialize  {"rootUri":null}"#)
        #expect(
            talk.say(#"{"jsonrpc":"2.0","id":3,"result":{"isError":true}}"#, from: .server)?.line.hasPrefix("result of initialize") == true)
    }

    @Test func `ActionCable names the channel, and confirmations have their time`() {
        var talk = Talk(subprotocol: "actioncable-v1-json")
        #expect(talk.say(#"{"type":"welcome"}"#, from: .server)?.json == #"{"as":"actioncable","type":"welcome"}"#)
        #expect(
            talk.say(#"{"command":"subscribe","identifier":"{\"channel\":\"ChatChannel\"}"}"#)?.json
                == #"{"as":"actioncable","command":"subscribe","identifier":{"channel":"ChatChannel"},"channel":"ChatChannel"}"#)
        #expect(
            talk.say(#"{"identifier":"{\"channel\":\"ChatChannel\"}","type":"confirm_subscription"}"#, from: .server)?.line
                == "confirm_subscription ChatChannel, after 5 ms")
        #expect(
            talk.say(#"{"command":"message","identifier":"{\"channel\":\"ChatChannel\"}","data":"{\"action\":\"speak\",\"x\":1}"}"#)?.json
                == #"{"as":"actioncable","command":"message","identifier":{"channel":"ChatChannel"},"channel":"ChatChannel","#
                + #""action":"speak","data":{"action":"speak","x":1}}"#)
        #expect(
            talk.say(#"{"identifier":"{\"channel\":\"ChatChannel\"}","message":{"body":"hi"}}"#, from: .server)?.line
                == #"message ChatChannel  {"body":"hi"}"#)
        #expect(talk.say(#"{"type":"ping","message":1700}"#, from: .server)?.json == #"{"as":"actioncable","type":"ping","data":1700}"#)
        #expect(talk.say(#"{"a":1}"#)?.json.contains("it has no type, command or message") == true)
        var other = Talk()
        #expect(other.say(#"{"type":"welcome"}"#, from: .server)?.json == #"{"as":"json"}"#)
    }

    @Test func `WAMP messages have their name, and results their time`() {
        var talk = Talk(subprotocol: "wamp.2.json")
        #expect(talk.say(#"[1,"realm1",{"roles":{}}]"#)?.json == #"{"as":"wamp","type":"HELLO","realm":"realm1","details":{"roles":{}}}"#)
        #expect(
            talk.say(#"[2,9129137332,{}]"#, from: .server)?.json == #"{"as":"wamp","type":"WELCOME","session":9129137332,"details":{}}"#)
        #expect(
            talk.say(#"[48,7814135,{},"com.example.add",[1,2]]"#)?.json
                == #"{"as":"wamp","type":"CALL","request":7814135,"details":{},"procedure":"com.example.add","args":[1,2]}"#)
        #expect(talk.say(#"[50,7814135,{},[3]]"#, from: .server)?.line == "RESULT  [3], of com.example.add, after 5 ms")
        // The router asks as well, with numbers of its own.
        _ = talk.say(#"[68,1,2,{},[1]]"#, from: .server)
        #expect(talk.say(#"[70,1,{},[2]]"#)?.json.hasSuffix(#""latency":0.005}"#) == true)
        _ = talk.say(#"[32,5,{},"com.example.topic"]"#)
        #expect(
            talk.say(#"[8,32,5,{},"wamp.error.not_authorized"]"#, from: .server)?.line
                == "ERROR wamp.error.not_authorized, of com.example.topic, after 5 ms")
        #expect(talk.say(#"[99,1]"#)?.json.contains("not the number of a message") == true)
        #expect(talk.say(#"{"a":1}"#)?.json.contains("its JSON is not valid or not whole") == true)
        #expect(talk.say(#"[5,"secret",{}]"#)?.json.contains("secret") == false)
        var batched = Talk(subprotocol: "wamp.2.json.batched")
        #expect(batched.say("[35,1]\u{1e}[35,2]\u{1e}")?.line == "UNSUBSCRIBED; UNSUBSCRIBED")
        #expect(batched.say("[35,1]\u{18}[35,2]\u{18}")?.line == "UNSUBSCRIBED; UNSUBSCRIBED")
    }

    @Test func `SignalR in MessagePack has the same keys`() {
        var talk = Talk()
        #expect(talk.say([2, 0x91, 6], opcode: 2)?.json == #"{"as":"signalr","type":"ping"}"#)
        let invocation: [UInt8] =
            [0x96, 1, 0x80, 0xa1, 0x37, 0xa4] + Array("Send".utf8) + [0x93, 0xa2, 0x68, 0x69, 0xff, 0xc4, 1, 0, 0x90]
        #expect(
            talk.say([UInt8(invocation.count)] + invocation, opcode: 2)?.json
                == #"{"as":"signalr","type":"invocation","target":"Send","invocationId":"7","arguments":["hi",-1,{"$binary":1}]}"#)
        #expect(talk.say([UInt8(invocation.count)] + invocation, opcode: 2)?.line == #"invocation "Send" "7" ["hi", -1, <1 byte>]"#)
        let completion: [UInt8] = [0x95, 3, 0x80, 0xa1, 0x37, 3, 0x2a]
        let completed = talk.say([7] + completion + [2, 0x91, 6], from: .server, opcode: 2)
        #expect(completed?.line == #"completion "7" 42, of Send, after 5 ms; ping"#)
        #expect(
            completed?.json
                == #"{"as":"signalr","messages":[{"type":"completion","invocationId":"7","result":42,"latency":0.005},{"type":"ping"}]}"#)
        // Lengths and shapes that do not fit.
        for bytes in [[3, 0x91, 6], [2, 0x91, 7], [1, 0x90], [0x80, 0x80, 0x80, 0x80, 0x80, 0x80], [2, 0x91, 6, 9]] as [[UInt8]] {
            #expect(talk.say(bytes, opcode: 2) == nil, "\(bytes)")
        }
        let deep: [UInt8] = [0x95, 1, 0x80, 0xc0, 0xa0] + [UInt8](repeating: 0x91, count: 10_000)
        let length: [UInt8] = [UInt8(deep.count & 0x7f) | 0x80, UInt8(deep.count >> 7)]
        #expect(talk.say(length + deep, opcode: 2)?.json.contains("nested deeper than 100 levels") == true)
    }

    @Test(arguments: [false, true])
    func `XMPP stanzas are named, and queries have their time`(isFramed: Bool) {
        var web = Talk(subprotocol: "xmpp")
        var framed = FramedMessagingTalk("xmpp")
        func say(_ text: String, from side: Side = .client) -> MessagingTalk.Said? {
            isFramed ? framed.say(text, from: side) : web.say(text, from: side)
        }
        #expect(
            say(#"<message to='b@x' from="a@x" type="chat" id="m1"><body>Hi &lt;you&gt;</body><x xmlns='y'/></message>"#)?.json
                == #"{"as":"xmpp","stanza":"message","type":"chat","to":"b@x","from":"a@x","id":"m1","child":"body","body":"Hi <you>"}"#)
        let query = say(#"<iq type='get' id='q1'><query xmlns='jabber:iq:roster'/></iq>"#)
        #expect(query?.line == "iq get  query jabber:iq:roster")
        #expect(say(#"<iq type='result' id='q1'/>"#, from: .client)?.json.contains("latency") == false)
        #expect(
            say(#"<iq type='result' id='q1'/>"#, from: .server)?.json
                == #"{"as":"xmpp","stanza":"iq","type":"result","id":"q1","latency":0.01}"#)
        #expect(say(#"<open xmlns="urn:ietf:params:xml:ns:xmpp-framing" to="x"/>"#)?.line == "open to x")
        #expect(say(#"<?xml version='1.0'?><stream:stream to='x' xmlns='jabber:client'>"#)?.json.contains("error") == false)
        #expect(say("</stream:stream>")?.line == "end of stream")
        #expect(say(" ")?.json == #"{"as":"xmpp","stanza":"keep-alive"}"#)
        #expect(say(#"<auth mechanism="PLAIN">c2VjcmV0</auth>"#)?.json.contains("c2VjcmV0") == false)
        #expect(say("<a><![CDATA[ </a> ]]></a>")?.json == #"{"as":"xmpp","stanza":"a"}"#)
        for text in [
            "<message", "<message><body>", "<message></message><x/>", "message", "<a b=c/>", "<a b='c>", "<a><![CDATA[ </a>", "<a></a",
        ] {
            #expect(say(text)?.json.contains("\"error\"") == true, "\(text)")
        }
        #expect(say(String(repeating: "<a>", count: 10_000))?.json.contains("its stanza has no end") == true)
    }

    @Test func `the body of XMPP is what was said`() {
        var talk = FramedMessagingTalk("xmpp")
        func body(_ text: String) -> String? { talk.say(text)?.line }
        #expect(body("<message><body>&#x41;&#128512; &amp;&unknown;&#0;</body></message>") == "message  body  A😀 &&unknown;&#0;")
        #expect(body("<message><body>a<![CDATA[<b> &amp; ]]>]]&gt;</body></message>") == "message  body  a<b> &amp; ]]>")
        #expect(body("<m:message xmlns:m='jabber:client'><m:body>hi</m:body></m:message>") == "message  m:body  hi")
        #expect(body("<message to='a&amp;b@x'/>") == "message to a&b@x")
        // The same identifier, however it is written.
        _ = talk.say("<iq type='get' id='x&#38;1'/>")
        #expect(talk.say("<iq type='result' id='x&amp;1'/>", from: .server)?.json.hasSuffix(#""id":"x&1","latency":0.005}"#) == true)
    }

    @Test func `lines of JSON in a message are so only where all are objects or arrays`() {
        var talk = Talk(target: "/")
        #expect(talk.say("{\"a\":1}\n[2]\r\n")?.json == #"{"as":"json-lines","count":2}"#)
        #expect(talk.say("{}\n{}", from: .server)?.json == #"{"as":"json-lines","count":2}"#)
        for text in ["{}\n7", "{}\n\n{}", "{}\n{", "{\n}", "{}\n"] {
            #expect(talk.say(text)?.json.contains("json-lines") != true, "\(text)")
        }
    }

    @Test func `JSON in bodies is called so, and what is wrong with it is said`() {
        var talk = Talk(target: "/")
        let type = "application/json; charset=utf-8"
        #expect(talk.body(#"{"a":[1]}"#, from: .client, target: "/", type: type)?.json == #"{"as":"json"}"#)
        #expect(talk.body("7", from: .server, target: "/", type: "application/problem+json")?.line == "")
        #expect(talk.body(#"{"a":x}"#, from: .server, target: "/", type: type)?.json.hasSuffix(#""at":5}"#) == true)
        #expect(
            talk.body("{} {}", from: .server, target: "/", type: type)?.json.contains(#""error":"something follows its JSON","at":3"#)
                == true)
        #expect(talk.body("hello", from: .server, target: "/") == nil)
        #expect(
            talk.body(#"{"jsonrpc":"2.0","method":"m","id":1}"#, from: .client, target: "/", type: type)?.json
                == #"{"as":"json-rpc","type":"call","method":"m","id":1}"#)
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        #expect(talk.body(deep, from: .server, target: "/", type: type)?.json.contains("deeper than 100 levels") == true)
        #expect(
            talk.body("{}\n[1]\r\n\n7", from: .server, target: "/", type: "application/x-ndjson")?.json == #"{"as":"json-lines","count":3}"#
        )
        #expect(
            talk.body("{}\n{\n", from: .server, target: "/", type: "application/x-ndjson")?.json.contains(#""count":1,"error":"#) == true)
    }

    /// A part of an event stream.
    private func events(_ text: String, isContinued: Bool) -> String? {
        var context = PayloadContext(from: .server, opcode: 0, isCut: false)
        context.carrier = .body
        context.contentType = Array("text/event-stream".utf8)
        context.isContinued = isContinued
        var memory = PayloadMemory()
        let bytes = Array(text.utf8)
        guard let decoded = PayloadTable.standard.decode(bytes.rawBytes, in: context, memory: &memory) else { return nil }
        return MessagingTalk.said(decoded).json
    }

    @Test func `only the beginning of an event stream may have a byte order mark`() {
        #expect(events("\u{feff}data: 1\n\n", isContinued: false) == #"{"as":"sse","data":"1"}"#)
        #expect(events("\u{feff}data: 1\n\n", isContinued: true) == #"{"as":"sse","events":[]}"#)
    }

    @Test func `server-sent events have their fields`() {
        var talk = Talk(target: "/")
        func body(_ text: String, _ element: BodyPart.Element? = .event) -> MessagingTalk.Said? {
            talk.body(Array(text.utf8), from: .server, target: "/s", type: "text/event-stream; charset=utf-8", element: element)
        }
        #expect(
            body("event: price\nid: 7\ndata: {\"a\":1}\ndata:2\n\n")?.json
                == #"{"as":"sse","event":"price","id":"7","data":"{\"a\":1}\n2"}"#)
        #expect(body("data: {\"a\":1}\r\n\r\n")?.json == #"{"as":"sse","data":{"a":1}}"#)
        #expect(body(": keep-alive\n\n")?.line == "comment keep-alive")
        #expect(body("retry: 3000\n\n")?.json == #"{"as":"sse","retry":3000}"#)
        #expect(body("data: 1\n\ndata: 2\n\n", nil)?.line == "message  1; message  2")
        // JSON-RPC in events answers what a request asked.
        _ = talk.body(#"{"jsonrpc":"2.0","method":"m","id":1}"#, from: .client, target: "/s", type: "application/json")
        #expect(
            body("event: message\ndata: {\"jsonrpc\":\"2.0\",\"result\":1,\"id\":1}\n\n")?.line
                == "message  json-rpc result of m after 5 ms  1")
    }
}
