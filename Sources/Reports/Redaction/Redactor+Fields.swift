import Dissection

// Messages of MQTT and AMQP, whose lengths are binary: what is secret in a field is overwritten, and nothing that is no field.
extension Redactor {
    private enum Kind { case packet, packets, frame }

    /// Hands on a message of a protocol whose fields have binary lengths.
    ///
    /// - Returns: false where it is of no such protocol.
    func handFields(_ message: Message, _ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) -> Bool {
        guard let kind = kind(of: message, event) else { return false }
        let content = event.content.copy
        let length = event.shown(message.length)
        let missing = length - min(length, UInt64(content.count))
        let rules = rules
        var work = FieldWork(bytes: content, setting: kind == .packets ? .text : .commands, rules: rules)
        change(event) { talk, key in
            var side = talk.sides.removeValue(forKey: key) ?? RedactedSide()
            switch kind {
            case .frame: work.takeFrame(&side.contents)
            case .packet:
                // Each is whole by itself.
                var packets = MQTTPackets(walk: MQTTWalk(level: talk.levelOfMQTT))
                work.takePackets(&packets)
                talk.levelOfMQTT = packets.walk.level
            case .packets:
                var packets = side.packets ?? MQTTPackets(walk: MQTTWalk(level: 0))
                packets.walk.level = talk.levelOfMQTT
                work.takePackets(&packets)
                packets.walk.skip(missing)
                talk.levelOfMQTT = packets.walk.level
                side.packets = packets
            }
            talk.sides[key] = side
        }
        steps += work.steps
        guard work.places > 0 else {
            hand(event)
            return true
        }
        let piece = RedactionRun.Piece(bytes: work.bytes, places: work.places, length: content.count)
        handPiece(piece, .message(message), work.bytes, event, event.place, event.offset, hand)
        return true
    }

    private func kind(of message: Message, _ event: borrowing ConversationEvent) -> Kind? {
        if case .protocol(let spoken)? = message.frame?.framing {
            return switch spoken.word.description {
            case "mqtt": .packet
            case "amqp": .frame
            case _: nil
            }
        }
        // A packet may go on in the next WebSocket message (MQTT 5.0, section 6).
        return message.frame == nil && message.opcode == 2 && talks[event.conversation]?.speaksMQTT == true ? .packets : nil
    }

    /// Bytes of a side are missing, with them what its packets go on from.
    func loseFields(_ event: borrowing ConversationEvent) {
        guard let from = event.from else { return }
        let key = RedactedConversation.Key(side: from, channel: event.channel)
        guard talks[event.conversation]?.sides[key] != nil else { return }
        change(event, key) { talk, key in
            talk.sides[key]?.packets?.walk.lose()
            for channel in talk.sides[key]?.contents.keys.map({ $0 }) ?? [] { talk.sides[key]?.contents[channel]?.left = nil }
        }
    }
}

/// Overwrites the secrets of one message field by field.
private struct FieldWork {
    var bytes: [UInt8]
    let setting: SecretScan.Setting
    let rules: RedactionRules
    var places = 0
    var steps = 0

    mutating func takePackets(_ packets: inout MQTTPackets) {
        for segment in packets.walk.take(bytes) {
            switch segment.role {
            case .plain, .name, .named: break
            case .secret: overwrite(segment.range)
            case .text:
                if segment.begins { packets.text = OverwrittenText() }
                takeText(segment.range, &packets.text, goesOn: !segment.ends)
            }
        }
    }

    mutating func takeFrame(_ contents: inout [UInt16: AMQPContent]) {
        let parts = AMQPFrameParts(bytes)
        for range in parts.secrets { overwrite(range) }
        for range in parts.texts {
            var text = OverwrittenText()
            takeText(range, &text, goesOn: false)
        }
        if let length = parts.contentLength {
            if contents[parts.channel] == nil, contents.count >= AMQPContent.most { contents = [:] }
            contents[parts.channel] = AMQPContent(left: length)
        }
        guard let range = parts.content else { return }
        var content = contents.removeValue(forKey: parts.channel) ?? AMQPContent()
        let goesOn = content.goesOn(after: parts.length)
        takeText(range, &content.text, goesOn: goesOn)
        if goesOn, contents.count < AMQPContent.most { contents[parts.channel] = content }
    }

    private mutating func takeText(_ range: Range<Int>, _ text: inout OverwrittenText, goesOn: Bool) {
        let original = bytes
        let outcome = text.overwrite(range, of: &bytes, as: setting, rules, goesOn: goesOn)
        places += outcome.places
        steps += outcome.steps
        let inside = BinarySecrets(Array(original[range]))
        guard inside.places > 0 else { return }
        for (index, byte) in inside.bytes.enumerated() where byte != original[range.lowerBound + index] {
            bytes[range.lowerBound + index] = byte
        }
        places += inside.places
    }

    private mutating func overwrite(_ range: Range<Int>) {
        guard !bytes[range].allSatisfy({ $0 == BinarySecrets.filler }) else { return }
        for index in range { bytes[index] = BinarySecrets.filler }
        places += 1
    }
}
