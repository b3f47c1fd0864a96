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
