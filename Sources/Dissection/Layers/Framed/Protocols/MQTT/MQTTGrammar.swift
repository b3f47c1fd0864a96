/// Control packets of MQTT (MQTT 5, section 2.1): type and flags, the length of what follows as a varint of at most four bytes.
///
/// ```
/// 30 │ 0B │ …
/// ```
package enum MQTTGrammar: ProtocolGrammar {
    package static var name: StaticString { "mqtt" }
    package static var title: StaticString { "MQTT" }

    /// `mqtt` by MQTT 3.1.1 and 5 (section 6); the others are in use for 3.1 and 5.
    package static var subprotocols: [StaticString] { ["mqtt", "mqttv3.1", "mqttv5"] }

    /// What packets are called by their type, the upper half of their first byte (section 2.1.2).
    package static let types: [StaticString] = [
        "reserved", "CONNECT", "CONNACK", "PUBLISH", "PUBACK", "PUBREC", "PUBREL", "PUBCOMP", "SUBSCRIBE", "SUBACK", "UNSUBSCRIBE",
        "UNSUBACK", "PINGREQ", "PINGRESP", "DISCONNECT", "AUTH",
    ]

    /// Whether the lower half of the first byte is as the type has it (section 2.1.3); of PUBLISH it says more.
    package static func flagsFit(_ first: UInt8) -> Bool {
        let type = first >> 4
        return type == 3 || first & 15 == (type == 6 || type == 8 || type == 10 ? 2 : 0)
    }

    /// The length of what follows the header (section 2.1.4), and where that begins; nil where it is not whole, or has more than four bytes.
    package static func length(in bytes: RawSpan) -> (value: UInt64, end: Int)? { bytes.varint(at: 1, most: 4) }

    package static func cutter() -> any CuttingMachine { MQTTCutter() }

    package static func search(from side: Side, after loss: FramingLoss) -> (any MessageSearch)? { BoundarySearch(MQTTPlaces(side)) }

    /// CONNECT with its length, the name of the protocol and a level that there is (MQTT 5, section 3.1).
    package static func begins(client: RawSpan, server: RawSpan) -> Recognized {
        guard client.byteCount > 0, client[0] == 0x10 else { return .no }
        guard let body = length(in: client)?.end else { return client.byteCount < 5 ? .undecided : .no }
        let rest = client.suffix(from: body)
        guard rest.byteCount > 0 else { return .undecided }
        for (name, levels) in [([0x00, 0x04, 0x4D, 0x51, 0x54, 0x54], 3...5), ([0x00, 0x06, 0x4D, 0x51, 0x49, 0x73, 0x64, 0x70], 3...5)]
            as [([UInt8], ClosedRange<UInt8>)]
        {
            switch begin(rest, with: name) {
            case .no: continue
            case .undecided: return .undecided
            case .yes:
                guard rest.byteCount > name.count else { return .undecided }
                return levels.contains(rest[name.count]) ? .yes : .no
            }
        }
        return .no
    }
}

struct MQTTCutter: CuttingMachine {
    private var packet = LengthCutter(LengthPrefix(.varint, offset: 1, most: 268_435_455))
    private(set) var lookedAt = 0

    var remaining: UInt64? { packet.remaining }

    mutating func restart() { self = MQTTCutter() }

    mutating func advance(over bytes: RawSpan) -> Cut {
        let before = packet.came
        // The type 0 is reserved.
        if before == 0, bytes[0] >> 4 == 0 { return .broken(.malformed) }
        let cut = packet.advance(over: bytes)
        if case .broken = cut { lookedAt = Int(packet.came - before) }
        return cut
    }
}
