import Dissection
import Support

/// What is found in packets of MQTT.
extension FindingCase {
    static let mqtt: [FindingCase] = FindingCase.table {
        FindingCase(
            "mqtt.topic-wildcard", ["> @\(connect().count) mqtt.topic-wildcard: the topic of a PUBLISH has a wildcard: home/+/light"],
            fires: session([.client(publish("home/+/light"))]),
            // A filter of a subscription has them, and so has a payload.
            nearly: session([.client(subscribe("home/+/light")), .client(publish("home/light"))]))
        FindingCase(
            "mqtt.topic-wildcard", ["< @4 mqtt.topic-wildcard: the topic of a PUBLISH has a wildcard: home/#"],
            fires: session([.server(publish("home/#"))]), nearly: session([.server(publish("home/$"))]))
        FindingCase(
            "mqtt.protocol-level",
            ["> @0 mqtt.protocol-level: the CONNECT has the protocol MQTT with level 3, which do not belong together"],
            fires: Talk([.client(connect(level: 3))]), nearly: Talk([.client(connect("MQIsdp", level: 3))]))
        FindingCase(
            "mqtt.protocol-level",
            ["> @0 mqtt.protocol-level: the CONNECT has the protocol MQIsdp with level 4, which do not belong together"],
            fires: Talk([.client(connect("MQIsdp", level: 4))]), nearly: Talk([.client(connect(level: 5))]))
        FindingCase(
            "mqtt.refused", ["< @0 mqtt.refused: the server refused the connection with CONNACK 5: not authorized"],
            fires: Talk([.client(connect()), .server([0x20, 2, 0, 5])]), nearly: Talk([.client(connect()), .server([0x20, 2, 1, 0])]))
        FindingCase(
            "mqtt.refused", ["< @0 mqtt.refused: the server refused the connection with CONNACK 135: not authorized"],
            fires: Talk([.client(connect(level: 5)), .server([0x20, 3, 0, 0x87, 0])]),
            nearly: Talk([.client(connect(level: 5)), .server([0x20, 3, 0, 0, 0])]))
        FindingCase(
            "mqtt.refused", ["< @0 mqtt.refused: the server refused the connection with CONNACK 9: a code that is not known"],
            fires: Talk([.client(connect()), .server([0x20, 2, 0, 9])]), nearly: Talk([.client(connect()), .server([0x20, 2, 0, 0])]))
        // The same packets in the messages of a WebSocket.
        overWebSocket(
            "mqtt.topic-wildcard", ["> @\(6 + connect().count) mqtt.topic-wildcard: the topic of a PUBLISH has a wildcard: home/+/light"],
            [.clientFrame(2, connect()), .serverFrame(2, [0x20, 2, 0, 0]), .clientFrame(2, publish("home/+/light"))],
            nearly: [.clientFrame(2, connect()), .clientFrame(2, subscribe("home/+/light") + publish("home/light"))])
        overWebSocket(
            "mqtt.refused", ["< @0 mqtt.refused: the server refused the connection with CONNACK 5: not authorized"],
            [.clientFrame(2, connect()), .serverFrame(2, [0x20, 2, 0, 5])],
            nearly: [.clientFrame(2, connect()), .serverFrame(2, [0x20, 2, 1, 0])])
        overWebSocket(
            "mqtt.protocol-level",
            ["> @0 mqtt.protocol-level: the CONNECT has the protocol MQTT with level 3, which do not belong together"],
            [.clientFrame(2, connect(level: 3))],
            // Another subprotocol may have these bytes for something else.
            nearly: [.clientFrame(2, connect(level: 3))], nearlySpeaks: "chat")
        // A packet may end in the next message, and a message may have several; what stands in the middle of one begins none.
        overWebSocket(
            "mqtt.topic-wildcard", ["> @18 mqtt.topic-wildcard: the topic of a PUBLISH has a wildcard: home/#"],
            [
                .clientFrame(2, Array(connect().prefix(12))),
                .clientFrame(2, Array(connect().dropFirst(12)) + publish("home/#") + [0xC0, 0]),
            ],
            nearly: [
                .clientFrame(2, connect() + [0x30, UInt8(publish("home/#").count + 8)] + text("home/a")),
                .clientFrame(2, publish("home/#")),
            ])
        // After what is no packet nothing is read.
        overWebSocket(
            "mqtt.topic-wildcard", ["> @0 mqtt.topic-wildcard: the topic of a PUBLISH has a wildcard: home/#"],
            [.clientFrame(2, publish("home/#"))],
            nearly: [.clientFrame(1, Array("hello".utf8)), .clientFrame(2, publish("home/#"))])
    }

    private static func overWebSocket(
        _ row: String, _ found: [String], _ steps: [Talk.Step], nearly: [Talk.Step], nearlySpeaks: String = "mqtt"
    ) -> FindingCase {
        func talk(_ steps: [Talk.Step], _ name: String) -> Talk {
            let (asked, said) = handshake(name)
            return Talk([.client(asked), .server(said)] + steps)
        }
        let (asked, said) = handshake("mqtt")
        // Places count from the end of the handshake.
        let moved = found.map { line in
            let parts = line.split(separator: " ", maxSplits: 2)
            let before = parts[0] == ">" ? asked.utf8.count : said.utf8.count
            return "\(parts[0]) @\((Int(parts[1].dropFirst()) ?? 0) + before) \(parts[2])"
        }
        return FindingCase(row, moved, fires: talk(steps, "mqtt"), nearly: talk(nearly, nearlySpeaks))
    }

    private static func handshake(_ subprotocol: String) -> (asked: String, said: String) {
        (
            "GET /mqtt HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: \(subprotocol)\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: \(subprotocol)\r\n\r\n"
        )
    }

    private static func packet(_ first: UInt8, _ body: [UInt8]) -> [UInt8] { [first, UInt8(body.count)] + body }
    private static func text(_ text: String) -> [UInt8] { [0, UInt8(text.utf8.count)] + text.utf8 }
    private static func connect(_ name: String = "MQTT", level: UInt8 = 4) -> [UInt8] {
        packet(0x10, text(name) + [level, 2, 0, 60] + (level == 5 ? [0] : []) + text("c1"))
    }
    private static func publish(_ topic: String) -> [UInt8] { packet(0x30, text(topic) + "a+b#".utf8) }
    private static func subscribe(_ topic: String) -> [UInt8] { packet(0x82, [0, 1] + text(topic) + [0]) }
    private static func session(_ steps: [Talk.Step]) -> Talk { Talk([.client(connect()), .server([0x20, 2, 0, 0])] + steps) }
}
