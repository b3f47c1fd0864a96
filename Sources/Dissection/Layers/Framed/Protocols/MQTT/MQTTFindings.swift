/// What is found in single packets of MQTT, on raw TCP and in the messages of a WebSocket.
extension FindingRow {
    package static let mqttTopicWildcard = FindingRow(
        id: "mqtt.topic-wildcard", severity: .violation, reference: "MQTT-3.3.2-2",
        detail: "the topic of a PUBLISH has a wildcard: {text}",
        explanation: """
            `+` and `#` are for the topic filters of subscriptions; the topic of a message has none of them (MQTT 3.1.1 and 5, 3.3.2.1). A broker \
            closes the connection, and apps report "malformed packet", "protocol error" or a connection that was lost. Reported where the \
            wildcard is among the first 1,000 bytes of the packet.
            """)

    package static let mqttProtocolLevel = FindingRow(
        id: "mqtt.protocol-level", severity: .violation, reference: "MQTT-3.1.2-1",
        detail: "the CONNECT has the protocol {text} with level {a}, which do not belong together",
        explanation: """
            `MQIsdp` has level 3 (MQTT 3.1), `MQTT` has level 4 (MQTT 3.1.1) or 5 (MQTT 5). A broker refuses another pair with CONNACK 1 or \
            closes the connection. The highest bit of the level, which bridges of mosquitto set, is left out.
            """)

    package static let mqttRefused = FindingRow(
        id: "mqtt.refused", severity: .warning, reference: "MQTT 3.2.2",
        detail: "the server refused the connection with CONNACK {a}: {text}",
        explanation: """
            The return code of a CONNACK of MQTT 3.1 and 3.1.1, or the reason code of MQTT 5, says why; the connection is closed after it. \
            Clients call it rc or reasonCode, and many connect again at once with the same result.
            """)

    /// The rows of this file.
    package static let mqttRows: [FindingRow] = [mqttTopicWildcard, mqttProtocolLevel, mqttRefused]
}

extension MQTTGrammar {
    /// Bytes of a packet that are looked at, whatever more of it is kept.
    private static let mostLookedAt = 1_000

    package static func fault(in message: RawSpan, length: UInt64, from side: Side) -> PacketFault? {
        guard message.byteCount > 1, let body = self.length(in: message)?.end else { return nil }
        let packet = message.extracting(0..<min(message.byteCount, mostLookedAt))
        return switch (message[0] >> 4, side) {
        case (1, .client): connectFault(packet, from: body)
        case (2, .server): connackFault(packet, from: body, length: length &- UInt64(body))
        case (3, _): publishFault(packet, from: body)
        case _: nil
        }
    }

    /// Bytes with two bytes of length before them, as far as they are there.
    private static func text(_ packet: RawSpan, at start: Int) -> Range<Int>? {
        guard packet.byteCount >= start + 2 else { return nil }
        let first = start + 2
        return first..<min(packet.byteCount, first + Int(packet.bigEndianUInt16(at: start)))
    }

    private static func connectFault(_ packet: RawSpan, from start: Int) -> PacketFault? {
        guard let name = text(packet, at: start), packet.byteCount > name.upperBound else { return nil }
        let level = packet[name.upperBound] & 0x7f
        var words = FindingText()
        words.append(packet.extracting(name), most: 32)
        let isOlder = words.bytes == Array("MQIsdp".utf8)
        guard isOlder ? level != 3 : words.bytes != Array("MQTT".utf8) || level != 4 && level != 5 else { return nil }
        return PacketFault(row: .mqttProtocolLevel, a: UInt64(level), words: words)
    }

    /// Version 5 has properties after the code, 3.1 and 3.1.1 have nothing (MQTT 5, section 3.2.2).
    private static func connackFault(_ packet: RawSpan, from start: Int, length: UInt64) -> PacketFault? {
        guard packet.byteCount >= start + 2, case let code = packet[start + 1], code > 0 else { return nil }
        // Of version 5 the codes from 0x80 on refuse; a server of that version may answer one of 3.1.1 with its own form.
        let name = MQTTReasons.name(code, type: 2, level: length > 2 || code >= 0x80 ? 5 : 4)
        var words = FindingText()
        words.append(name ?? "a code that is not known")
        return PacketFault(row: .mqttRefused, a: UInt64(code), words: words)
    }

    private static func publishFault(_ packet: RawSpan, from start: Int) -> PacketFault? {
        guard let topic = text(packet, at: start) else { return nil }
        for index in topic where packet[index] == UInt8(ascii: "+") || packet[index] == UInt8(ascii: "#") {
            var words = FindingText()
            words.append(packet.extracting(topic))
            return PacketFault(row: .mqttTopicWildcard, words: words)
        }
        return nil
    }
}
