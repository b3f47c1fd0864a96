import Dissection
import Support
import Testing

@testable import Reports

/// Calls that had no answer when their conversation ended: in `closed`, and in a line of text.
@Suite struct UnansweredCallTests {
    /// What the record of the end has of them after a WebSocket of a subprotocol that ends at 10 s.
    func record(
        _ subprotocol: String = "", how: Closing.Manner = .fin, _ talk: (inout Dialogue<RecordReport>) -> Void
    ) -> String? {
        var settings = RecordSettings()
        settings.payloads = .standard
        var dialogue = Dialogue(RecordReport(Output(), settings: settings))
        open(subprotocol, &dialogue)
        talk(&dialogue)
        dialogue.say(10_000, nil, .closed(Closing(by: .client, how: how)))
        return unanswered(in: dialogue.report.takeBytes())
    }

    /// What the last record says of calls.
    func unanswered(in records: [UInt8]) -> String? {
        let closed = String(decoding: records, as: UTF8.self).split(separator: "\n").last ?? ""
        return closed.split(separator: #","unanswered":"#).dropFirst().first.map { String($0.dropLast()) }
    }

    private func text(_ subprotocol: String = "", _ talk: (inout Dialogue<TextReport>) -> Void) -> [String] {
        var dialogue = Dialogue(TextReport(Output(), settings: TextSettings(width: 200)))
        open(subprotocol, &dialogue)
        talk(&dialogue)
        var closing = Closing(by: .client, how: .fin)
        closing.client.bytes = 1
        dialogue.say(10_000, nil, .closed(closing))
        return String(decoding: dialogue.report.takeBytes(), as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { $0.contains("no response") }
    }

    private func open<Report: ReportSink & ~Copyable>(_ subprotocol: String, _ dialogue: inout Dialogue<Report>) {
        dialogue.say(0, nil, .opened(RecordScript.opening))
        var upgrade = Upgrade(protocolName: ByteRange(), accepted: true)
        upgrade.subprotocol = ByteRange(0..<subprotocol.utf8.count)
        dialogue.say(0, .server, .upgrade(upgrade), subprotocol.bytes)
    }

    private func call(_ id: Int, _ method: String = "sum") -> [UInt8] { #"{"jsonrpc":"2.0","method":"\#(method)","id":\#(id)}"#.bytes }
    private func result(_ id: Int) -> [UInt8] { #"{"jsonrpc":"2.0","result":1,"id":\#(id)}"#.bytes }

    @Test func `a call without an answer is named, and one with an answer is not`() {
        let one = record { dialogue in
            dialogue.message(1_000, .client, call(1))
            dialogue.message(1_100, .client, call(2, "mul"))
            dialogue.message(1_200, .server, result(1))
            dialogue.message(2_000, .server, call(9, "ask"))
        }
        #expect(one == #"[{"from":"client","call":"mul (id 2)","waited":8.9},{"from":"server","call":"ask (id 9)","waited":8}]"#)
        let none = record { dialogue in
            dialogue.message(1_000, .client, call(1))
            dialogue.message(1_200, .server, result(1))
            dialogue.message(1_300, .client, #"{"jsonrpc":"2.0","method":"note"}"#.bytes)
        }
        #expect(none == nil)
    }

    @Test func `of many the first are named, and how many there are`() {
        let many = record { dialogue in for id in 0..<20 { dialogue.message(1_000, .client, call(id)) } }
        #expect(many?.contains("sum (id 15)") == true && many?.contains("sum (id 16)") == false)
        #expect(many?.hasSuffix(#"],"unansweredTotal":20"#) == true)
        let lines = text { dialogue in for id in 0..<5 { dialogue.message(1_000 + Int64(id) * 1_000, .client, call(id)) } }
        #expect(
            lines == [
                "    no response to 5 calls of the client: sum (id 0), sent 9.0 s before the end, sum (id 1), sent 8.0 s before the end, "
                    + "sum (id 2), sent 7.0 s before the end, and 2 more"
            ])
    }

    @Test func `where something of the other side was lost or not read, nobody is accused`() {
        let lost = record { dialogue in
            dialogue.message(1_000, .client, call(1))
            dialogue.say(2_000, .server, .gap(Gap(length: 10, cause: .missing)))
        }
        #expect(lost == nil)
        let broken = record { dialogue in
            dialogue.message(1_000, .client, call(1))
            dialogue.message(2_000, .server, #"{"jsonrpc":"2.0","result":1,"id":"#.bytes)
        }
        #expect(broken == nil)
        let unread = record { dialogue in
            dialogue.message(1_000, .client, call(1))
            dialogue.message(2_000, .server, [0, 1, 2, 3], opcode: 2)
        }
        #expect(unread == nil)
        // What the own side lost was no answer, and what was lost before is none either.
        let own = record { dialogue in
            dialogue.say(500, .server, .gap(Gap(length: 10, cause: .missing)))
            dialogue.message(1_000, .client, call(1))
            dialogue.say(2_000, .client, .gap(Gap(length: 10, cause: .missing)))
        }
        #expect(own == #"[{"from":"client","call":"sum (id 1)","waited":9}]"#)
    }

    @Test func `MQTT: who has to go on is told, and no other`() {
        let publish: [UInt8] = [0x34, 0x05, 0, 1, 0x61, 0, 7]
        let id: [UInt8] = [2, 0, 7]
        func talk(_ packets: (Side, [UInt8])...) -> String? {
            record("mqtt") { dialogue in
                for (index, packet) in packets.enumerated() { dialogue.message(1_000 * Int64(index + 1), packet.0, packet.1, opcode: 2) }
            }
        }
        #expect(talk((.client, publish)) == #"[{"from":"client","call":"PUBLISH a (id 7)","waited":9}]"#)
        // The publisher has not released it.
        #expect(talk((.client, publish), (.server, [0x50] + id)) == nil)
        #expect(
            talk((.client, publish), (.server, [0x50] + id), (.client, [0x62] + id))
                == #"[{"from":"client","call":"PUBREL a (id 7)","waited":7}]"#)
        #expect(talk((.client, publish), (.server, [0x50] + id), (.client, [0x62] + id), (.server, [0x70] + id)) == nil)
        // QoS 1, from the broker.
        #expect(talk((.server, [0x32] + publish.dropFirst())) == #"[{"from":"server","call":"PUBLISH a (id 7)","waited":9}]"#)
        #expect(talk((.server, [0x32] + publish.dropFirst()), (.client, [0x40] + id)) == nil)
        #expect(
            talk((.client, [0x82, 6, 0, 3, 0, 1, 0x62, 0])) == #"[{"from":"client","call":"SUBSCRIBE b (id 3)","waited":9}]"#)
    }

    /// The same of raw messages of MQTT.
    private func framed(how: Closing.Manner = .fin, _ packets: [(Side, [UInt8])]) -> Bool {
        var settings = RecordSettings()
        settings.payloads = .standard
        var dialogue = Dialogue(RecordReport(Output(), settings: settings))
        dialogue.say(0, nil, .opened(RecordScript.opening))
        for (side, bytes) in packets {
            let length = UInt64(bytes.count)
            dialogue.say(
                1_000, side, .message(Message(cut: MessageFrame(.protocol(.mqtt)), length: length, wireLength: length)), bytes)
        }
        dialogue.say(10_000, nil, .closed(Closing(by: .client, how: how)))
        return String(decoding: dialogue.report.takeBytes(), as: UTF8.self).contains("unanswered")
    }

    @Test func `a side of which nothing was captured is not accused, nor one whose conversation was given up`() {
        let publish: (Side, [UInt8]) = (.client, [0x32, 5, 0, 1, 0x61, 0, 7])
        let pong: (Side, [UInt8]) = (.server, [0xd0, 0])
        #expect(framed([publish, pong]))
        #expect(!framed([publish]))
        for how in [Closing.Manner.evicted, .limit, .timeout] { #expect(!framed(how: how, [publish, pong])) }
    }

    @Test func `a receipt is what a client asks for`() {
        let message = "MESSAGE\ndestination:/q\nmessage-id:1\nsubscription:0\nreceipt:r1\n\nhi\0"
        #expect(record("v12.stomp") { $0.message(1_000, .server, message.bytes) } == nil)
    }

    @Test(
        arguments: [
            ("wamp.2.json", #"[48,5,{},"com.sum"]"#, "CALL com.sum (request 5)"),
            ("wamp.2.json", #"[16,5,{},"com.news"]"#, nil),
            ("ocpp1.6", #"[2,"19","Heartbeat",{}]"#, "Heartbeat (id 19)"),
            ("ocpp2.1", #"[6,"19","NotifyPeriodicEventStream",{}]"#, nil),
            ("graphql-transport-ws", #"{"id":"7","type":"subscribe","payload":{"query":"query Me { me }"}}"#, "query Me (id 7)"),
            ("graphql-transport-ws", #"{"id":"7","type":"subscribe","payload":{"query":"subscription News { news }"}}"#, nil),
            ("v12.stomp", "SEND\ndestination:/q\nreceipt:r1\n\nhi\0", "SEND (receipt r1)"),
            ("v12.stomp", "SEND\ndestination:/q\n\nhi\0", nil),
            ("", "{\"type\":1,\"invocationId\":\"3\",\"target\":\"Send\",\"arguments\":[]}\u{1e}", "Send (id 3)"),
            ("", "{\"type\":4,\"invocationId\":\"3\",\"target\":\"Watch\",\"arguments\":[]}\u{1e}", nil),
            ("", #"420["ask",1]"#, "ask (acknowledgement 0)"),
            ("", #"42["tell",1]"#, nil),
            ("", #"["1","2","room:1","phx_join",{}]"#, "phx_join room:1"),
            ("xmpp", #"<iq type="get" id="a1" xmlns="jabber:client"><query xmlns="x"/></iq>"#, "iq get (id a1)"),
        ] as [(String, String, String?)])
    func `each format knows what has to be answered`(subprotocol: String, message: String, call: String?) {
        let said = record(subprotocol) { dialogue in
            dialogue.message(1_000, .client, message.bytes)
        }
        #expect(said == call.map { #"[{"from":"client","call":"\#($0)","waited":9}]"# })
    }
}
