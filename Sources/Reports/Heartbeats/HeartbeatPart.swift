import Dissection

/// Whether a message of a protocol inside is a sign of life.
enum HeartbeatPart: UInt8, Sendable {
    /// It asks for an answer, or stands for itself.
    case beat
    /// It answers one.
    case answer
}

extension DecodedPayload {
    /// Whether what the payload says is a sign of life and nothing else, by the word that its protocol has for it: `ping` and `pong` of Engine.IO,
    /// GraphQL, SignalR, ActionCable and NATS, `PINGREQ` and `PINGRESP` of MQTT, `heartbeat` of STOMP, SockJS, AMQP and Phoenix.
    var heartbeat: HeartbeatPart? {
        guard !hasStopped, entries.count <= 6 else { return nil }
        var (part, hasData, isReply): (HeartbeatPart?, Bool, Bool) = (nil, false, false)
        for entry in entries {
            let key = entry.key.rawBytes
            if key.isWord("type"), case .word(let word) = entry.value, format.description == "redis", word != "command" { isReply = true }
            if key.isWord("type") || key.isWord("command") || key.isWord("event") { part = part ?? HeartbeatPart(entry.value) }
            // A message type of the app's own: the enumerator or text of one of its fields.
            if key.isWord("fields"), case .object(let members) = entry.value {
                for member in members.prefix(8) { part = part ?? HeartbeatPart(member.value) }
            }
            // The probe of Engine.IO asks for the way, and for no sign of life.
            if key.isWord("data") || key.isWord("packets") || key.isWord("messages") || key.isWord("begins") { hasData = true }
        }
        guard let part, !hasData else { return nil }
        return isReply ? .answer : part
    }
}

extension HeartbeatPart {
    /// By the word for it; nil for other words.
    fileprivate init?(_ value: DecodedPayload.Value) {
        var text: [UInt8]
        switch value {
        case .word(let word): text = Array(word.utf8)
        case .text(let bytes): text = bytes
        case .json(let bytes) where bytes.count > 2 && bytes.first == UInt8(ascii: "\""): text = Array(bytes[1..<bytes.count - 1])
        case _: return nil
        }
        guard text.count <= 9 else { return nil }
        for index in text.indices where (0x41...0x5a).contains(text[index]) { text[index] |= 0x20 }
        switch String(decoding: text, as: UTF8.self) {
        case "ping", "pingreq", "heartbeat": self = .beat
        case "pong", "pingresp": self = .answer
        case _: return nil
        }
    }
}
