/// Control packets of MQTT (MQTT 5, section 2.1): type and flags, the length of what follows as a varint of at most four bytes.
///
/// ```
/// 30 │ 0B │ …
/// ```
package enum MQTTGrammar: ProtocolGrammar {
    package static var name: StaticString { "mqtt" }
    package static var title: StaticString { "MQTT" }

    package static func cutter() -> any CuttingMachine { MQTTCutter() }

    package static func search(from side: Side, after loss: FramingLoss) -> (any MessageSearch)? { BoundarySearch(MQTTPlaces(side)) }

    /// CONNECT with its length, the name of the protocol and a level that there is (MQTT 5, section 3.1).
    package static func begins(client: RawSpan, server: RawSpan) -> Recognized {
        guard client.byteCount > 0, client[0] == 0x10 else { return .no }
        var position = 1
        while true {
            guard position < client.byteCount else { return .undecided }
            position += 1
            if client[position - 1] & 0x80 == 0 { break }
            guard position < 5 else { return .no }
        }
        let rest = client.suffix(from: position)
        guard rest.byteCount > 0 else { return .undecided }
        for (name, levels) in [([0x00, 0x04, 0x4D, 0x51, 0x54, 0x54], 3...5), ([0x00, 0x06, 0x4D, 0x51, 0x49, 0x73, 0x64, 0x70], 3...3)]
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
