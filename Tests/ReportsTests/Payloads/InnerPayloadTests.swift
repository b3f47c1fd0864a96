import Dissection
import Testing

@testable import Reports

/// Payloads inside of payloads: what messages of brokers carry, and bytes in fields of protobuf.
@Suite struct InnerPayloadTests {
    private static let proto = """
        syntax = "proto3";
        package chat;
        import "google/protobuf/any.proto";
        enum Kind { NONE = 0; LOGIN = 1; TEXT = 2; }
        message Envelope { Kind kind = 1; bytes payload = 2; uint32 number = 3; string name = 4; bool yes = 5; bytes other = 6; }
        message Login { string user = 1; }
        message Message { string text = 1; Envelope again = 2; }
        message Holder { google.protobuf.Any any = 1; repeated google.protobuf.Any all = 2; }
        """

    private func table(_ rules: String...) throws -> PayloadTable {
        let schema = try ProtobufSchema.load([ProtoSource(name: "chat.proto", bytes: Array(Self.proto.utf8))]) { _ in nil }
        return try PayloadTable.standard.with(rules: rules, schema: schema)
    }

    private func publish(_ topic: String, _ payload: [UInt8]) -> [UInt8] {
        [0x30, UInt8(2 + topic.utf8.count + payload.count), 0, UInt8(topic.utf8.count)] + topic.utf8 + payload
    }

    private static let hello = hex("0a 05 68 65 6c 6c 6f")
    private static let told = #""payload":{"as":"protobuf","type":"chat.Message","fields":{"text":"hello"}}"#

    // MARK: - Topics

    @Test(arguments: [
        ("chat/+", "chat/7", true), ("chat/+", "chat/7/typing", false), ("chat/+", "chat/", true), ("chat/+", "chat", false),
        ("chat/#", "chat/7/typing", true), ("chat/#", "chat", true), ("chat/#", "chats", false), ("+/7/#", "chat/7", true),
        ("#", "a/b", true), ("#", "$SYS/load", false), ("+/load", "$SYS/load", false), ("$SYS/#", "$SYS/load", true),
        ("*", "$SYS/load", true),
        ("a/#", "a/$b", true),
        ("chat/*", "chat/7/typing", true), ("chat.*", "chat.7", true), ("chat.>", "chat.7.a", true), ("chat.>", "chat", false),
        ("chat/+x", "chat/+x", true), ("chat/+x", "chat/7x", false), ("a", "a", true), ("a", "ab", false),
    ]) func `topics are filters`(pattern: String, topic: String, fits: Bool) {
        #expect(TopicPattern(pattern).matches(Array(topic.utf8).rawBytes) == fits)
    }

    @Test func `a rule binds a topic of MQTT to a message type`() throws {
        var talk = FramedMessagingTalk("mqtt", try table("topic=chat/+=protobuf:chat.Message", "topic=log/#=none"))
        #expect(talk.say(publish("chat/7", Self.hello))?.json.contains(Self.told) == true)
        #expect(talk.say(publish("chat/7", Self.hello))?.line == #"PUBLISH chat/7  protobuf chat.Message {text: "hello"}"#)
        #expect(talk.say(publish("chats", [0xff, 0]))?.json.hasSuffix(#""payload":{"$binary":2}}"#) == true)
        #expect(talk.say(publish("log/a", Array("{}".utf8)))?.json.hasSuffix(#""payload":{}}"#) == true)
        // Where it does not fit, it says so, and the message is what it was.
        #expect(talk.say(publish("chat/7", [0x0a, 9]))?.json.contains(#""payload":{"as":"protobuf","type":"chat.Message""#) == true)
        #expect(talk.say(publish("chat/7", [0x0a, 9]))?.json.contains(#""error":"#) == true)
    }

    @Test func `a message without a byte is one of a type that a rule names`() throws {
        func say(_ bytes: [UInt8], _ rule: String) throws -> String? {
            var memory = PayloadMemory()
            let context = PayloadContext(from: .client, opcode: 2, isCut: false)
            return try table(rule).decode(bytes.rawBytes, in: context, memory: &memory).map { MessagingTalk.said($0).json }
        }
        #expect(try say([], "*=protobuf:chat.Message") == #"{"as":"protobuf","type":"chat.Message","fields":{}}"#)
        for rule in ["*=protobuf", "*=json", "*=mqtt", "*=none", "from=server=protobuf:chat.Message"] {
            #expect(try say([], rule) == nil, "\(rule)")
        }
        var talk = FramedMessagingTalk("mqtt", try table("topic=chat/+=protobuf:chat.Message"))
        #expect(talk.say(publish("chat/7", []))?.line == "PUBLISH chat/7  protobuf chat.Message {}")
        #expect(talk.say(publish("other", []))?.json.hasSuffix(#""payload":""}"#) == true)
    }

    @Test func `a rule binds subjects, destinations and routing keys`() throws {
        let table = try table("topic=chat.*=protobuf:chat.Message")
        let payload = Self.hello
        var nats = FramedMessagingTalk("nats", table)
        #expect(nats.say(Array("PUB chat.7 7\r\n".utf8) + payload + [13, 10])?.json.contains(Self.told) == true)
        var stomp = FramedMessagingTalk("stomp", table)
        #expect(stomp.say(Array("SEND\ndestination:chat.7\ncontent-length:7\n\n".utf8) + payload + [0])?.json.contains(Self.told) == true)
        #expect(stomp.say("SEND\ndestination:b\n\n{\"a\":1}\0")?.json.hasSuffix(#""length":7,"payload":{"a":1}}"#) == true)
        var amqp = FramedMessagingTalk("amqp", table)
        func frame(_ type: UInt8, _ content: [UInt8]) -> [UInt8] { [type, 0, 1, 0, 0, 0, UInt8(content.count)] + content + [0xce] }
        func header(_ length: UInt8) -> [UInt8] { frame(2, [0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, length, 0, 0]) }
        let publish = frame(1, [0, 60, 0, 40, 0, 0, 0, 6] + "chat.7".utf8 + [0])
        _ = amqp.say(publish)
        _ = amqp.say(header(7))
        #expect(amqp.say(frame(3, payload))?.json.contains(Self.told) == true)
        // Not of a content in several frames, nor from the other side.
        _ = amqp.say(header(14))
        #expect(amqp.say(frame(3, payload))?.json.contains("chat.Message") == false)
        _ = amqp.say(header(7))
        #expect(amqp.say(frame(3, payload), from: .server)?.json.contains("chat.Message") == false)
    }

    @Test func `a media type names the format as well`() throws {
        var stomp = FramedMessagingTalk("stomp")
        let json = stomp.say(Array("SEND\ncontent-type:application/msgpack\ncontent-length:4\n\n".utf8) + [0x81, 0xa1, 0x61, 1, 0])?.json
        #expect(json?.hasSuffix(#""payload":{"as":"msgpack","value":{"a":1}}}"#) == true, "\(json ?? "")")
        // One that lies is not believed.
        let lie = stomp.say(Array("SEND\ncontent-type:application/msgpack\ncontent-length:2\n\n".utf8) + [0xc1, 0xff, 0])?.json
        #expect(lie?.hasSuffix(#""payload":{"$binary":2}}"#) == true, "\(lie ?? "")")
        #expect(stomp.say("SEND\ncontent-type:application/json\n\n{\"a\":1}\0")?.json.hasSuffix(#""payload":{"a":1}}"#) == true)
    }

    // MARK: - Fields

    private func fields(_ bytes: [UInt8], _ type: String, _ rules: String...) throws -> String {
        let schema = try ProtobufSchema.load([ProtoSource(name: "chat.proto", bytes: Array(Self.proto.utf8))]) { _ in nil }
        var talk = ValueTalk(try PayloadTable.standard.with(rules: rules + ["*=protobuf:\(type)"], schema: schema))
        return talk.message(bytes)?.json ?? ""
    }

    @Test func `the bytes of a field are a message where another field says so`() throws {
        let login = hex("08 01 12 05 0a 03 6d 65 21")
        let text = hex("12 04 0a 02 68 69 08 02")
        let rules = [
            "field=chat.Envelope.payload,where=kind:LOGIN=protobuf:chat.Login",
            "field=chat.Envelope.payload,where=kind:2=protobuf:chat.Message",
        ]
        let first = try fields(login, "chat.Envelope", rules[0], rules[1])
        #expect(first.hasSuffix(#""fields":{"kind":"LOGIN","payload":{"type":"chat.Login","fields":{"user":"me!"}}}}"#), "\(first)")
        // Whatever comes first.
        let second = try fields(text, "chat.Envelope", rules[0], rules[1])
        #expect(second.hasSuffix(#""fields":{"payload":{"type":"chat.Message","fields":{"text":"hi"}},"kind":"TEXT"}}"#), "\(second)")
        #expect(try fields(hex("08 03 12 02 0a 00"), "chat.Envelope", rules[0], rules[1]).contains(#""payload":{"$binary":2}"#))
        // What is not there has its default.
        let missing = try fields(hex("12 02 0a 00"), "chat.Envelope", "field=chat.Envelope.payload,where=number:0=protobuf:chat.Login")
        #expect(missing.contains(#""payload":{"type":"chat.Login","fields":{"user":""}}"#), "\(missing)")
        let always = try fields(hex("32 02 0a 00"), "chat.Envelope", "field=chat.Envelope.other=protobuf:chat.Login")
        #expect(always.contains("chat.Login"), "\(always)")
    }

    @Test(arguments: [
        ("field=chat.Envelope.payload=msgpack", "by its message type"), ("field=chat.Envelope.payload=protobuf", "by its message type"),
        ("field=chat.Nothing.payload=protobuf:chat.Login", "message type not found"),
        ("field=payload=protobuf:chat.Login", "MESSAGE.FIELD"),
        ("field=chat.Envelope.kind=protobuf:chat.Login", "no field of bytes kind"),
        ("field=chat.Envelope.payload=protobuf:chat.Nothing", "no message type chat.Nothing"),
        ("field=chat.Envelope.payload,where=kind=protobuf:chat.Login", "FIELD:VALUE"),
        ("field=chat.Envelope.payload,where=kind:NEVER=protobuf:chat.Login", "kind has no value NEVER"),
        ("field=chat.Envelope.payload,where=other:1=protobuf:chat.Login", "not a number, text"),
        ("where=kind:1=protobuf:chat.Login", "where= belongs to field="),
        ("tcp.port=7000,field=chat.Envelope.payload=protobuf:chat.Login", "where= belongs to field="),
    ]) func `a rule that cannot be says why`(rule: String, words: String) throws {
        #expect { try table(rule) } throws: { "\($0)".contains(words) }
    }

    @Test func `Any is what its type says`() throws {
        // type.googleapis.com/chat.Login, then a type that nobody knows.
        let url = Array("type.googleapis.com/chat.Login".utf8)
        func any(_ url: [UInt8], _ value: [UInt8]) -> [UInt8] {
            let content = [0x0a, UInt8(url.count)] + url + [0x12, UInt8(value.count)] + value
            return [UInt8(content.count)] + content
        }
        let known = try fields([0x0a] + any(url, hex("0a 02 6d 65")), "chat.Holder")
        #expect(known.contains(#""value":{"type":"chat.Login","fields":{"user":"me"}}"#), "\(known)")
        let unknown = try fields([0x12] + any(Array("x/chat.Nothing".utf8), [1, 2]), "chat.Holder")
        #expect(unknown.contains(#""value":{"$binary":2}"#), "\(unknown)")
    }

    @Test func `messages in bytes in messages end somewhere`() throws {
        var bytes: [UInt8] = []
        for _ in 0..<200 {
            let count = bytes.count
            bytes = (count < 120 ? [0x12, UInt8(count)] : [0x12, UInt8(count & 0x7f) | 0x80, UInt8(count >> 7)]) + bytes
        }
        let told = try fields(bytes, "chat.Envelope", "field=chat.Envelope.payload=protobuf:chat.Envelope")
        #expect(told.contains(#""error":"#), "\(told.suffix(200))")
    }

    // MARK: - JSONP and WAMP in MessagePack

    @Test func `packets of Engine IO 3 come by script and form too`() {
        let target = "/socket.io/?EIO=3&transport=polling&j=0&sid=x"
        var talk = MessagingTalk()
        let polled = talk.body(#"___eio[0]("16:42[\"chat\",\"\u00e9\\n\"]");"#, from: .server, target: target, type: "text/javascript")
        #expect(polled?.json.contains(#""event":"chat","args":["é\n"]"#) == true, "\(String(describing: polled))")
        let sent = talk.body("d=12%3A42%5B%22chat%22%2C1%5D", from: .client, target: target, type: "application/x-www-form-urlencoded")
        #expect(sent?.json.contains(#""event":"chat","args":[1]"#) == true, "\(String(describing: sent))")
        #expect(talk.body("ok", from: .server, target: target, type: "text/html")?.json.contains("socket.io") != true)
        #expect(talk.body("___eio[0](\"9:42[\\\"a\\\"]", from: .server, target: target)?.json.contains("event") != true)
    }

    @Test func `WAMP is read in MessagePack`() {
        var talk = MessagingTalk(subprotocol: "wamp.2.msgpack")
        let call = hex("95 30 07 80 a3 61 64 64 92 01 02")
        #expect(
            talk.say(call, opcode: 2)?.json
                == #"{"as":"wamp","type":"CALL","request":7,"details":{},"procedure":"add","args":[1,2]}"#)
        #expect(talk.say(hex("94 32 07 80 91 03"), from: .server, opcode: 2)?.line.hasPrefix("RESULT  [3], of add, after 5 ms") == true)
        #expect(talk.say(hex("94 32 07"), from: .server, opcode: 2)?.json.contains("not a whole array of MessagePack") == true)
        var batched = MessagingTalk(subprotocol: "wamp.2.msgpack.batched")
        let two = hex("0000000b") + call + hex("00000003 92 23 07")
        #expect(batched.say(two, opcode: 2)?.json.contains(#""messages":[{"type":"CALL""#) == true)
        #expect(batched.say(hex("000000ff 92"), opcode: 2)?.json.contains("more than came") == true)
    }

    @Test func `WAMP is read in CBOR`() {
        var talk = MessagingTalk(subprotocol: "wamp.2.cbor")
        let call = hex("85 18 30 07 a0 63 61 64 64 82 01 02")
        #expect(
            talk.say(call, opcode: 2)?.json
                == #"{"as":"wamp","type":"CALL","request":7,"details":{},"procedure":"add","args":[1,2]}"#)
        #expect(talk.say(hex("84 18 32 07 a0 81 03"), from: .server, opcode: 2)?.line.hasPrefix("RESULT  [3], of add, after 5 ms") == true)
        for wrong in ["84 18 32 07", "a0", "80", "", "85 18 30 07 a0 63 61 64 64 82 01 02 00"].map(hex) where !wrong.isEmpty {
            #expect(talk.say(wrong, from: .server, opcode: 2)?.json.contains(#""error":"#) == true, "\(wrong)")
        }
        var batched = MessagingTalk(subprotocol: "wamp.2.cbor.batched")
        let two = hex("0000000c") + call + hex("00000004 82 18 23 07")
        #expect(batched.say(two, opcode: 2)?.json.contains(#"{"type":"UNSUBSCRIBED","request":7}"#) == true)
        #expect(batched.say(hex("000000ff 92"), opcode: 2)?.json.contains("more than came") == true)
    }
}
