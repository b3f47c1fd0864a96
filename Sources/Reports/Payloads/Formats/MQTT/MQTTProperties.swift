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

/// What the reason codes of MQTT 5 (section 2.4) and the return codes of 3.1.1 (sections 3.2.2.3 and 3.9.3) mean.
enum MQTTReasons {
    /// Of a packet of this type; nil for one that is not known.
    static func name(_ code: UInt8, type: Int, level: UInt8) -> StaticString? {
        if level != 5 {
            if type == 9 { return code < 3 ? nil : code == 0x80 ? "failure" : nil }
            let names: [StaticString] = [
                "accepted", "unacceptable protocol version", "identifier rejected", "server unavailable", "bad user name or password",
                "not authorized",
            ]
            return code < names.count ? names[Int(code)] : nil
        }
        switch code {
        case 0x00:
            switch type {
            case 2: return "success"
            case 9: return "granted QoS 0"
            case 14: return "normal disconnection"
            case _: return "success"
            }
        case 0x01: return "granted QoS 1"
        case 0x02: return "granted QoS 2"
        case 0x04: return "disconnect with will message"
        case 0x10: return "no matching subscribers"
        case 0x11: return "no subscription existed"
        case 0x18: return "continue authentication"
        case 0x19: return "re-authenticate"
        case 0x80: return "unspecified error"
        case 0x81: return "malformed packet"
        case 0x82: return "protocol error"
        case 0x83: return "implementation specific error"
        case 0x84: return "unsupported protocol version"
        case 0x85: return "client identifier not valid"
        case 0x86: return "bad user name or password"
        case 0x87: return "not authorized"
        case 0x88: return "server unavailable"
        case 0x89: return "server busy"
        case 0x8a: return "banned"
        case 0x8b: return "server shutting down"
        case 0x8c: return "bad authentication method"
        case 0x8d: return "keep alive timeout"
        case 0x8e: return "session taken over"
        case 0x8f: return "topic filter invalid"
        case 0x90: return "topic name invalid"
        case 0x91: return "packet identifier in use"
        case 0x92: return "packet identifier not found"
        case 0x93: return "receive maximum exceeded"
        case 0x94: return "topic alias invalid"
        case 0x95: return "packet too large"
        case 0x96: return "message rate too high"
        case 0x97: return "quota exceeded"
        case 0x98: return "administrative action"
        case 0x99: return "payload format invalid"
        case 0x9a: return "retain not supported"
        case 0x9b: return "QoS not supported"
        case 0x9c: return "use another server"
        case 0x9d: return "server moved"
        case 0x9e: return "shared subscriptions not supported"
        case 0x9f: return "connection rate exceeded"
        case 0xa0: return "maximum connect time"
        case 0xa1: return "subscription identifiers not supported"
        case 0xa2: return "wildcard subscriptions not supported"
        case _: return nil
        }
    }
}
