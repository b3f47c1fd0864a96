import Dissection

/// The properties of MQTT 5 (section 2.2.2.2).
enum MQTTProperties {
    private enum Kind { case byte, uint16, uint32, variable, text, binary, pair }

    private static func row(_ id: Int) -> (name: StaticString, kind: Kind)? {
        switch id {
        case 1: ("payloadFormat", .byte)
        case 2: ("messageExpiry", .uint32)
        case 3: ("contentType", .text)
        case 8: ("responseTopic", .text)
        case 9: ("correlationData", .binary)
        case 11: ("subscriptionIdentifier", .variable)
        case 17: ("sessionExpiry", .uint32)
        case 18: ("assignedClientId", .text)
        case 19: ("serverKeepAlive", .uint16)
        case 21: ("authenticationMethod", .text)
        case 22: ("authenticationData", .binary)
        case 23: ("requestProblemInformation", .byte)
        case 24: ("willDelay", .uint32)
        case 25: ("requestResponseInformation", .byte)
        case 26: ("responseInformation", .text)
        case 28: ("serverReference", .text)
        case 31: ("reasonString", .text)
        case 33: ("receiveMaximum", .uint16)
        case 34: ("topicAliasMaximum", .uint16)
        case 35: ("topicAlias", .uint16)
        case 36: ("maximumQoS", .byte)
        case 37: ("retainAvailable", .byte)
        case 38: ("userProperties", .pair)
        case 39: ("maximumPacketSize", .uint32)
        case 40: ("wildcardSubscriptionAvailable", .byte)
        case 41: ("subscriptionIdentifiersAvailable", .byte)
        case 42: ("sharedSubscriptionAvailable", .byte)
        case _: nil
        }
    }

    /// Reads the properties that stand next. Returns their names and values, user properties together as `[[name, value], …]`; nil where they
    /// are not valid.
    static func read(_ reader: inout MQTTReader, alias: inout UInt16?) -> [DecodedPayload.Value.Member]? {
        guard let length = reader.variableInteger() else { return nil }
        guard length <= reader.end - reader.position else {
            reader.fail("its properties are longer than the packet")
            return nil
        }
        let packetEnd = reader.end
        reader.end = reader.position + length
        defer { reader.end = packetEnd }
        var told: [DecodedPayload.Value.Member] = []
        var pairs: [DecodedPayload.Value.Field] = []
        let first = reader.position
        while !reader.isAtEnd {
            let start = reader.position
            guard let id = reader.variableInteger() else { return nil }
            guard let (name, kind) = row(id) else {
                reader.fail("a property is not known", at: start)
                return nil
            }
            let place = reader.position
            let value: DecodedPayload.Value?
            switch kind {
            case .byte: value = reader.byte().map { .number(UInt64($0)) }
            case .uint16:
                let number = reader.uint16()
                if id == 35 { alias = number }
                value = number.map { .number(UInt64($0)) }
            case .uint32: value = reader.uint32().map { .number(UInt64($0)) }
            case .variable: value = reader.variableInteger().map { .number(UInt64($0)) }
            case .text: value = reader.text().map { .text($0) }
            case .binary: value = reader.binary().map { .binary(UInt64($0.count)) }
            case .pair:
                guard let name = reader.text(), let text = reader.text() else { return nil }
                pairs.append(.init(name, text, at: reader.read(from: place)))
                continue
            }
            guard let value else { return nil }
            told.append(.init(name.bytes.copy, value, at: reader.read(from: place)))
        }
        if !pairs.isEmpty { told.append(.init("userProperties", .fields(pairs), at: reader.read(from: first))) }
        return told
    }
}
