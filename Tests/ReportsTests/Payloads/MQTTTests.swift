import Dissection
import Testing

@testable import Reports

/// MQTT 3.1.1 and 5, over WebSocket and on raw TCP.
@Suite struct MQTTTests {
    private static let connect: [UInt8] = [0x10, 14, 0, 4] + Array("MQTT".utf8) + [4, 2, 0, 60, 0, 2] + Array("me".utf8)
    private static let connect5: [UInt8] = [0x10, 15, 0, 4] + Array("MQTT".utf8) + [5, 2, 0, 60, 0, 0, 2] + Array("me".utf8)

    private func talk(_ connect: [UInt8]) -> FramedMessagingTalk {
        var talk = FramedMessagingTalk("mqtt")
        _ = talk.say(connect)
        return talk
    }

    @Test func `packets are told with their topic, and answers with their time`() {
        var talk = MessagingTalk(subprotocol: "mqtt")
        #expect(
            talk.say(Self.connect, opcode: 2)?.json
                == #"{"as":"mqtt","type":"CONNECT","protocol":"MQTT","version":"3.1.1","keepAlive":60,"cleanStart":true,"clientId":"me"}"#)
        let accepted = talk.say([0x20, 2, 0, 0], from: .server, opcode: 2)
        #expect(accepted?.line == "CONNACK accepted, after 5 ms")
        #expect(
            accepted?.json
                == #"{"as":"mqtt","type":"CONNACK","sessionPresent":false,"reason":0,"reasonName":"accepted","latency":0.005}"#)
        let publish: [UInt8] = [0x32, 11, 0, 3] + Array("a/b".utf8) + [0, 9] + Array("hiya".utf8)
        #expect(
            talk.say(publish, opcode: 2)?.json
                == #"{"as":"mqtt","type":"PUBLISH","topic":"a/b","qos":1,"retain":false,"packetId":9,"payload":"hiya"}"#)
        let answer = talk.say([0x40, 2, 0, 9], from: .server, opcode: 2)
        #expect(answer?.json == #"{"as":"mqtt","type":"PUBACK","packetId":9,"topic":"a/b","latency":0.005}"#)
        #expect(answer?.line == "PUBACK, id 9, of a/b, after 5 ms")
        #expect(talk.say([0xc0, 0, 0xe0, 0], opcode: 2)?.json == #"{"as":"mqtt","packets":[{"type":"PINGREQ"},{"type":"DISCONNECT"}]}"#)
        #expect(talk.say([0xd0, 0], from: .server, opcode: 2)?.line == "PINGRESP, after 5 ms")
        // Not as text, and not without the subprotocol.
        #expect(talk.say([0xc0, 0], opcode: 1) == nil)
        var other = MessagingTalk()
        #expect(other.say(Self.connect, opcode: 2) == nil)
    }

    @Test func `QoS 2 ends with PUBCOMP, and a message sent again is the same`() {
        var talk = talk(Self.connect)
        #expect(
            talk.say([0x34, 7, 0, 1, 0x61, 0, 5, 0x7b, 0x7d])?.json.hasSuffix(#""qos":2,"retain":false,"packetId":5,"payload":{}}"#) == true
        )
        let again = talk.say([0x3c, 7, 0, 1, 0x61, 0, 5, 0x7b, 0x7d])
        #expect(again?.line == "PUBLISH a, QoS 2, id 5, sent again  {}")
        // What comes before the end says how long it has taken so far, each with the topic.
        #expect(
            talk.say([0x50, 2, 0, 5], from: .server)?.json == #"{"as":"mqtt","type":"PUBREC","packetId":5,"topic":"a","latency":0.01}"#)
        #expect(talk.say([0x62, 2, 0, 5])?.line == "PUBREL, id 5, of a, after 15 ms")
        #expect(talk.say([0x70, 2, 0, 5], from: .server)?.line == "PUBCOMP, id 5, of a, after 20 ms")
        #expect(talk.say([0x70, 2, 0, 5], from: .server)?.line == "PUBCOMP, id 5")
    }

    @Test func `will, user and password are told, the password not`() {
        let fields: [UInt8] =
            [0, 4] + Array("MQTT".utf8) + [4, 0xee, 0, 10, 0, 1, 0x63, 0, 1, 0x74, 0, 2, 0, 1, 0, 1, 0x75, 0, 6] + Array("secret".utf8)
        var talk = FramedMessagingTalk("mqtt")
        let said = talk.say([0x10, UInt8(fields.count)] + fields)
        #expect(
            said?.json
                == #"{"as":"mqtt","type":"CONNECT","protocol":"MQTT","version":"3.1.1","keepAlive":10,"cleanStart":true,"clientId":"c","#
                + #""will":{"topic":"t","qos":1,"retain":true,"payload":{"$binary":2}},"username":"u","hasPassword":true}"#)
        #expect(said?.line == "CONNECT c, user u, keep alive 10 s")
    }

    @Test func `subscriptions have their topics, and what was granted`() {
        var talk = talk(Self.connect)
        let asked = talk.say([0x82, 12, 0, 1, 0, 3, 0x61, 0x2f, 0x23, 1, 0, 1, 0x62, 0])
        #expect(asked?.json == #"{"as":"mqtt","type":"SUBSCRIBE","packetId":1,"topics":[{"topic":"a/#","qos":1},{"topic":"b","qos":0}]}"#)
        #expect(asked?.line == "SUBSCRIBE a/#, b")
        let granted = talk.say([0x90, 4, 0, 1, 1, 0x80], from: .server)
        #expect(
            granted?.json
                == #"{"as":"mqtt","type":"SUBACK","packetId":1,"reasons":[1,128],"#
                + #""refused":[{"topic":"b","reason":128,"reasonName":"failure"}],"latency":0.005}"#)
        #expect(granted?.line == "SUBACK, refused b: failure, of a/# and 1 more, after 5 ms")
        // Of one that nobody saw asked the topics are not known.
        #expect(talk.say([0x90, 3, 0, 9, 0x80], from: .server)?.line == "SUBACK, refused: failure")
        #expect(talk.say([0xa2, 5, 0, 2, 0, 1, 0x62])?.json.hasSuffix(#""topics":[{"topic":"b"}]}"#) == true)
        #expect(talk.say([0xb0, 2, 0, 2], from: .server)?.line == "UNSUBACK, of b, after 5 ms")
        #expect(talk.say([0x82, 2, 0, 3])?.json.contains("it has no topic") == true)
    }

    @Test func `topics that wait for their answer are bounded`() {
        var talk = MessagingTalk(subprotocol: "mqtt")
        _ = talk.say(Self.connect, opcode: 2)
        let topic: [UInt8] = [1, 0] + [UInt8](repeating: 0x61, count: 256) + [0]
        let topics = [[UInt8]](repeating: topic, count: 40).flatMap { $0 }
        let length = topics.count + 2
        for id in 1...200 as ClosedRange<UInt8> {
            let head: [UInt8] = [0x82, UInt8(length & 0x7f) | 0x80, UInt8(length >> 7), 0, id]
            _ = talk.say(head + topics, opcode: 2)
        }
        #expect(talk.reader.heldBytes < 200_000)
        // The first of the topics are known, and the last subscriptions.
        let refusals = [UInt8](repeating: 0x80, count: 40)
        let last: [UInt8] = [0x90, 42, 0, 200]
        let said = talk.say(last + refusals, from: .server, opcode: 2)
        #expect(said?.line.contains("refused aaaa") == true && said?.line.contains(", and 32 more") == true)
        let first: [UInt8] = [0x90, 42, 0, 1]
        #expect(talk.say(first + refusals, from: .server, opcode: 2)?.line.contains("refused: failure") == true)
    }

    @Test func `a text that is long is cut between two characters`() {
        var talk = talk(Self.connect)
        let text = Array(("x" + String(repeating: "漢", count: 300)).utf8)
        let length = text.count + 3
        let head: [UInt8] = [0x30, UInt8(length & 0x7f) | 0x80, UInt8(length >> 7), 0, 1, 0x74]
        let said = talk.say(head + text)
        #expect(said?.line == "PUBLISH t  x" + String(repeating: "漢", count: 170) + "…")
        let noText: [UInt8] = [0xbc, 0x80, 0x80, 0x80, 0x80, 0x80]
        let kept = noText.rawBytes.wholeCharacters(in: 5).byteCount
        #expect(kept == 5)
    }

    @Test func `version 5 has properties, reasons and aliases`() {
        var talk = FramedMessagingTalk("mqtt")
        #expect(talk.say(Self.connect5)?.json.contains(#""version":"5""#) == true)
        let refused = talk.say([0x20, 10, 0, 0x87, 7, 31, 0, 4] + Array("nope".utf8), from: .server)
        #expect(
            refused?.json
                == #"{"as":"mqtt","type":"CONNACK","sessionPresent":false,"reason":135,"reasonName":"not authorized","latency":0.005,"#
                + #""properties":{"reasonString":"nope"}}"#)
        #expect(refused?.line == "CONNACK refused: not authorized, after 5 ms")
        let publish: [UInt8] = [0x30, 16, 0, 1, 0x74, 10, 35, 0, 1, 38, 0, 1, 0x6b, 0, 1, 0x76] + Array("hi".utf8)
        #expect(
            talk.say(publish)?.json
                == #"{"as":"mqtt","type":"PUBLISH","topic":"t","qos":0,"retain":false,"#
                + #""properties":{"topicAlias":1,"userProperties":[["k","v"]]},"payload":"hi"}"#)
        #expect(talk.say([0x30, 7, 0, 0, 3, 35, 0, 1, 0x21])?.line == "PUBLISH t  !")
        #expect(talk.say([0xe0, 1, 0x8e], from: .server)?.line == "DISCONNECT, session taken over")
        #expect(talk.say([0x30, 6, 0, 1, 0x74, 2, 99, 1])?.json.contains(#""error":"a property is not known","at":6"#) == true)
        #expect(talk.say([0x30, 4, 0, 1, 0x74, 9])?.json.contains("its properties are longer than the packet") == true)
        // A receiver that refuses ends the wait of QoS 2.
        _ = talk.say([0x34, 6, 0, 1, 0x74, 0, 7, 0])
        #expect(talk.say([0x50, 3, 0, 7, 0x97], from: .server)?.line == "PUBREC, id 7, quota exceeded, of t, after 5 ms")
    }

    @Test(
        arguments: [
            ([0x00, 0], "the type of a packet is 0, which is reserved", 0), ([0xc0, 1, 7], "a packet has bytes after its last field", 2),
            ([0x36, 5, 0, 1, 0x61, 0, 1], "a PUBLISH has QoS 3", 0),
            ([0x60, 2, 0, 1], "the flags of a packet are not those of its type", 0),
            ([0xc1, 0], "the flags of a packet are not those of its type", 0), ([0x40, 2, 0, 0], "the identifier of a packet is 0", 4),
            ([0x30, 4, 0, 9, 0x61, 0x62], "a packet ends in the middle of a field", 4),
            ([0x30, 4, 0, 2, 0xff, 0xfe], "a text is not UTF-8", 4),
            ([0x30, 0xff, 0xff, 0xff, 0xff, 1], "the length of a packet is too long", 0),
            ([0x30, 5, 0, 3], "a packet is longer than the message", 0),
            ([0xc0, 0, 0x30, 2, 0, 0], "a PUBLISH has an empty topic", 6),
        ] as [([UInt8], String, Int)])
    func `packets that are not valid say why`(packet: [UInt8], error: String, at: Int) {
        var talk = talk(Self.connect)
        let json = talk.say(packet)?.json
        #expect(json?.contains(#""error":"\#(error)","at":\#(at)"#) == true, "\(json ?? "nothing")")
    }

    @Test func `a packet that goes on in the next message is put together`() {
        let packet: [UInt8] = [0x30, 9, 0, 3] + Array("a/b".utf8) + Array("hiya".utf8)
        let whole = #"{"as":"mqtt","type":"PUBLISH","topic":"a/b","qos":0,"retain":false,"payload":"hiya"}"#
        for cut in 1..<packet.count {
            var talk = MessagingTalk(subprotocol: "mqtt")
            let first = talk.say(Array(packet[..<cut]), opcode: 2)
            let awaits = cut == 1 ? "" : #","awaits":\#(packet.count - cut)"#
            #expect(first?.json == #"{"as":"mqtt","begins":"PUBLISH"\#(awaits)}"#)
            // The other side has packets of its own.
            #expect(talk.say([0xd0, 0], from: .server, opcode: 2)?.line == "PINGRESP")
            #expect(
                talk.say(Array(packet[cut...]) + [0xc0, 0], opcode: 2)?.json.hasPrefix(#"{"as":"mqtt","packets":[{"type":"PUBLISH""#)
                    == true)
            #expect(talk.say(packet, opcode: 2)?.json == whole)
        }
        var bytewise = MessagingTalk(subprotocol: "mqtt")
        for (index, byte) in packet.enumerated() {
            let said = bytewise.say([byte], opcode: 2)
            if index == packet.count - 1 { #expect(said?.json == whole) }
        }
    }

    @Test func `of a packet that is too long to keep the rest is passed over`() {
        var talk = MessagingTalk(subprotocol: "mqtt")
        let beginning: [UInt8] = [0x30, 0xa0, 0x8d, 0x06, 0, 1, 0x74] + [UInt8](repeating: 0x78, count: 50_000)
        let first = talk.say(beginning, opcode: 2)
        #expect(first?.json == #"{"as":"mqtt","begins":"PUBLISH","awaits":49997,"topic":"t"}"#)
        #expect(talk.reader.heldBytes < 10_000)
        #expect(talk.say([UInt8](repeating: 0x78, count: 49_000), opcode: 2)?.json == #"{"as":"mqtt","continues":49000}"#)
        #expect(
            talk.say([UInt8](repeating: 0x78, count: 997) + [0xc0, 0], opcode: 2)?.json
                == #"{"as":"mqtt","continues":997,"type":"PINGREQ"}"#)
    }
}
