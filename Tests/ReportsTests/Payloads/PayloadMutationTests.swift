import Dissection
import Support
import Testing

@testable import Reports

/// What formats make of bytes that are cut, changed at random, nested deep, or long: a record that is valid, without a trap.
@Suite struct PayloadMutationTests {
    /// A payload of a format, and where it comes from.
    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        let context: PayloadContext
        let bytes: [UInt8]

        var testDescription: String { name }

        init(
            _ name: String, _ bytes: [UInt8], from side: Side = .client, opcode: UInt8 = 1,
            _ change: (inout PayloadContext) -> Void = { _ in }
        ) {
            self.name = name
            self.bytes = bytes
            var context = PayloadContext(from: side, opcode: opcode, isCut: false, time: Timestamp(nanoseconds: 1_000_000))
            change(&context)
            self.context = context
        }

        init(_ name: String, _ text: String, from side: Side = .client, _ change: (inout PayloadContext) -> Void = { _ in }) {
            self.init(name, Array(text.utf8), from: side, change)
        }

        static func framed(_ framing: String, _ bytes: [UInt8], from side: Side = .client) -> Sample {
            Sample(framing, bytes, from: side, opcode: 0) {
                $0.carrier = .framed
                $0.framing = Array(framing.utf8)
            }
        }

        static func framed(_ framing: String, _ text: String, from side: Side = .client) -> Sample {
            framed(framing, Array(text.utf8), from: side)
        }

        static func body(_ name: String, _ text: String, type: String = "text/plain", target: String = "/") -> Sample {
            Sample(name, Array(text.utf8), from: .server, opcode: 0) {
                $0.carrier = .body
                $0.contentType = Array(type.utf8)
                $0.target = Array(target.utf8)
            }
        }
    }

    private static func agreed(_ name: String, _ text: String, from side: Side = .client) -> Sample {
        Sample(name, text, from: side) { $0.subprotocol = Array(name.utf8) }
    }

    private static func at(_ target: String, _ text: String, from side: Side = .client) -> Sample {
        Sample(target, text, from: side) { $0.target = Array(target.utf8) }
    }

    static let samples: [Sample] = [
        at("/?EIO=4", #"42/admin,17["chat",{"text":"hi"},3]"#), at("/?EIO=4", #"451-["upload",{"_placeholder":true,"num":0}]"#),
        at("/?EIO=4", #"0{"sid":"abc","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#, from: .server),
        Sample("attachment", [4, 1, 2, 3], opcode: 2) { $0.target = Array("/?EIO=3".utf8) },
        .body(
            "polling", "42[\"a\",1]\u{1e}2\u{1e}451-[\"f\",{\"_placeholder\":true,\"num\":0}]\u{1e}bAQID",
            target: "/?EIO=4&transport=polling"),
        .body("polling 3", #"9:42["é😀"]1:210:b4AQIDBA=="#, target: "/?EIO=3&transport=polling&sid=x"),
        at("/a/123/abcd1234/websocket", #"a["SEND\ndestination:/a\n\nhi\u0000","x"]"#, from: .server),
        at("/s?vsn=2.0.0", #"["3","4","room:1","phx_join",{"a":1}]"#),
        agreed("actioncable-v1-json", #"{"command":"message","identifier":"{\"channel\":\"C\"}","data":"{\"action\":\"a\"}"}"#),
        at("/app/k?protocol=7", #"{"event":"said","channel":"room","data":"{\"text\":\"hi\"}"}"#),
        at(
            "/connection/websocket",
            #"{"id":2,"error":{"code":103,"message":"no"}}"# + "\n{}\n" + #"{"push":{"channel":"a","pub":{"data":[1]}}}"#, from: .server),
        agreed("ocpp1.6", #"[2,"19","BootNotification",{"chargePointModel":"a"}]"#),
        agreed("ocpp2.0.1", #"[4,"19","NotSupported","no such action",{}]"#),
        agreed("wamp.2.json", #"[48,7814135,{},"com.example.add",[1,2],{"a":1}]"#),
        agreed("graphql-transport-ws", #"{"id":"7","type":"subscribe","payload":{"query":"subscription N { m }"}}"#),
        agreed("xmpp", #"<message to='b@x' type="chat"><body>Hi &lt;you&gt;</body><x xmlns='y'/><![CDATA[ ]]></message>"#),
        agreed("v12.stomp", "SEND\ndestination:/q\nreceipt:r\\c1\ncontent-length:2\n\nhi\0"),
        Sample("signalr", "{\"type\":1,\"invocationId\":\"3\",\"target\":\"Send\",\"arguments\":[\"x\"]}\u{1e}{\"type\":6}\u{1e}"),
        Sample(
            "signalr pack", [14, 0x96, 1, 0x80, 0xa1, 0x37, 0xa2, 0x53, 0x64, 0x93, 0xa1, 0x68, 0xff, 0xc0, 0x90, 2, 0x91, 6], opcode: 2),
        Sample("wamp pack", [0x95, 0x30, 7, 0x80, 0xa3, 0x61, 0x64, 0x64, 0x92, 1, 2], opcode: 2) {
            $0.subprotocol = Array("wamp.2.msgpack".utf8)
        },
        .body("polling 3 by script", #"___eio[0]("16:42[\"chat\",\"\u00e9\\n\"]");"#, target: "/?EIO=3&transport=polling&j=0&sid=x"),
        Sample("json-rpc", #"{"jsonrpc":"2.0","method":"sum","params":[1,2],"id":1}"#), Sample("json", #"{"a":[1,{"b":"c\n"}]}"#),
        .body("json body", #"{"a":[1,{"b":"c\n"}]}"#, type: "application/json"),
        .body("lines", "{\"a\":1}\n[2]\n", type: "application/x-ndjson"),
        .body("sse", "event: a\r\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"result\":1,\"id\":1}\n\n: c\n\n", type: "text/event-stream"),
        .framed("mqtt", [0x10, 15, 0, 4, 0x4d, 0x51, 0x54, 0x54, 5, 2, 0, 60, 0, 0, 2, 0x6d, 0x65]),
        .framed("mqtt", [0x32, 18, 0, 1, 0x74, 0, 9, 10, 35, 0, 1, 38, 0, 1, 0x6b, 0, 1, 0x76, 0x68, 0x69]),
        Sample("mqtt", [0x82, 8, 0, 1, 0, 3, 0x61, 0x2f, 0x23, 1, 0xc0, 0, 0x30, 9, 0, 1], opcode: 2) {
            $0.subprotocol = Array("mqtt".utf8)
        },
        .framed("redis", "*3\r\n$3\r\nset\r\n$1\r\na\r\n$2\r\nhi\r\n"),
        .framed("redis", "%1\r\n+a\r\n*2\r\n:-1\r\n,1.5\r\n", from: .server),
        .framed("amqp", [1, 0, 1, 0, 0, 0, 14, 0, 60, 0, 40, 0, 0, 2, 0x61, 0x62, 3, 0x61, 0x2e, 0x62, 0, 0xce]),
        .framed("amqp", [2, 0, 1, 0, 0, 0, 18, 0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0xd0, 0, 1, 0x61, 0, 2, 0xce]),
        .framed("nats", "HMSG a 1 _INBOX.1 12 14\r\nNATS/1.0\r\n\r\nhi\r\n", from: .server),
        .framed("nats", "INFO {\"server_name\":\"n1\"}\r\n", from: .server),
        .framed("irc", "@t=1 :alice!a@h PRIVMSG #room :Hello there\r\n"), .framed("xmpp", "<iq type='get' id='q1'><query xmlns='r'/></iq>"),
        .framed("stomp", "\nMESSAGE\nmessage-id:1\n\nhi\0\n", from: .server),
    ]

    /// Whatever it is made of, the record is valid.
    private func check(_ bytes: [UInt8], _ sample: Sample, _ memory: inout PayloadMemory) {
        guard let decoded = PayloadTable.standard.decode(bytes.rawBytes, in: sample.context, memory: &memory) else { return }
        var output = OutputBuffer(capacity: 256)
        output.append(decoded)
        let record = output.bytes.copy
        var reader = JSONReader(Array(record.dropFirst(",\"decoded\":".utf8.count)).rawBytes)
        let isValid = (try? reader.whole()) != nil && String(validating: record, as: UTF8.self) != nil && !record.contains { $0 < 0x20 }
        if !isValid { Issue.record("\(sample.name): \(bytes): \(String(decoding: record, as: UTF8.self))") }
        if decoded.hasStopped {
            guard decoded.entries.suffix(2).first?.key == Array("error".utf8), case .number(let at)? = decoded.entries.last?.value else {
                Issue.record("\(sample.name): stopped without a reason")
                return
            }
            if at > UInt64(bytes.count) { Issue.record("\(sample.name): stopped at \(at) of \(bytes.count): \(bytes)") }
        }
        for node in decoded.nodes where !node.isInside(bytes.count) {
            Issue.record("\(sample.name): \(node.path) at \(String(describing: node.range)) of \(bytes.count) lies outside: \(bytes)")
        }
        if memory.heldBytes > 1 << 20 { Issue.record("\(sample.name): \(memory.heldBytes) bytes are kept") }
    }

    @Test(arguments: samples) func `a sample is read whole`(sample: Sample) {
        var memory = PayloadMemory()
        let decoded = PayloadTable.standard.decode(sample.bytes.rawBytes, in: sample.context, memory: &memory)
        #expect(decoded != nil && decoded?.hasStopped == false, "\(String(describing: decoded.map { MessagingTalk.said($0).json }))")
    }

    @Test(arguments: samples) func `cut at each byte`(sample: Sample) {
        var memory = PayloadMemory()
        for count in 0...sample.bytes.count {
            check(Array(sample.bytes[..<count]), sample, &memory)
            check(Array(sample.bytes[count...]), sample, &memory)
        }
    }

    @Test(arguments: samples) func `changed at random`(sample: Sample) {
        var random = SplitMix(seed: 17)
        var memory = PayloadMemory()
        for _ in 0..<2_000 {
            var bytes = sample.bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<max(1, bytes.count), using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
                case 2 where place < bytes.count: bytes.remove(at: place)
                case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: min(place, bytes.count))
                case 4 where place < bytes.count: bytes.insert(contentsOf: bytes[place...].prefix(8), at: place)
                case 5 where place < bytes.count:
                    bytes[place] = [0, 0x7f, 0x80, 0xff, 0x22, 0x5c, 0x7b, 0x0a].randomElement(using: &random) ?? 0
                case _: bytes.append(0xff)
                }
            }
            check(bytes, sample, &memory)
        }
    }

    private static let long: [Sample] = {
        func many(_ text: String, _ count: Int = 60_000) -> String { String(repeating: text, count: count) }
        return [
            at("/?EIO=4", "42[" + many("{")), at("/?EIO=4", "42[\"a\"," + many("[") + many("]") + "]"), at("/?EIO=4", "42" + many("1")),
            at("/?EIO=4", "451-[\"a\"" + many(",{\"num\":0,") + "]"), at("/?EIO=4", "42/" + many("/")),
            .body("polling", many("2\u{1e}"), target: "/?EIO=4&transport=polling"),
            .body("polling 3", many("1:2"), target: "/?EIO=3&transport=polling"),
            .body("polling 3", "59999:" + many("é"), target: "/?EIO=3&transport=polling"),
            at("/a/123/abcd1234/websocket", "a[" + many("\"x\",") + "]", from: .server), agreed("xmpp", many("<a>")),
            agreed("xmpp", "<a " + many("b='c' ")), agreed("xmpp", "<a>" + many("<![CDATA[")), agreed("xmpp", "<a><body>" + many("&lt;")),
            agreed("v12.stomp", "SEND\n" + many("a:b\n")), agreed("v12.stomp", many("\n")), agreed("wamp.2.json", many("[35]\u{1e}")),
            .body("sse", many("data:\n"), type: "text/event-stream"), .body("sse", many("data:\n\n"), type: "text/event-stream"),
            .body("lines", many("{}\n"), type: "application/x-ndjson"), .body("json", many("["), type: "application/json"),
            .framed("redis", many("*1\r\n"), from: .server), .framed("redis", "*60000\r\n" + many(":1\r\n"), from: .server),
            .framed("redis", many("a ")), .framed("irc", "A " + many(" ")), .framed("irc", "A" + many(" b")),
            .framed("nats", many("PING ")),
            .framed("mqtt", [0x82, 0xb6, 0xea, 1, 0, 1] + [UInt8](repeating: 0, count: 30_004)),
            Sample("mqtt", [UInt8](repeating: 0xc0, count: 1) + Array(many("\0").utf8), opcode: 2) { $0.subprotocol = Array("mqtt".utf8) },
            Sample("signalr pack", Array(repeating: [2, 0x91, 6] as [UInt8], count: 20_000).flatMap { $0 }, opcode: 2),
        ]
    }()

    @Test(.timeLimit(.minutes(1)), arguments: long) func `long and deep`(sample: Sample) {
        var memory = PayloadMemory()
        check(sample.bytes, sample, &memory)
    }

    @Test(.timeLimit(.minutes(1))) func `a packet of MQTT that comes byte by byte is copied a few times at most`() {
        var talk = MessagingTalk(subprotocol: "mqtt")
        let packet: [UInt8] = [0x30, 0xe0, 0xd4, 0x03, 0, 1, 0x74] + [UInt8](repeating: 0x78, count: 59_997)
        for byte in packet.dropLast() { _ = talk.say([byte], opcode: 2) }
        #expect(talk.say([0x78], opcode: 2)?.json.hasPrefix(#"{"as":"mqtt","type":"PUBLISH","topic":"t""#) == true)
    }
}
