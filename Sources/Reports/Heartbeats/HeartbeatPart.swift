import Dissection

/// Whether a message of a protocol inside is a sign of life.
enum HeartbeatPart: UInt8, Sendable {
    /// It asks for an answer, or stands for itself.
    case beat
    /// It answers one.
    case answer
    /// It calls itself one, and has content of its own.
    case claim
}

extension DecodedPayload {
    /// Whether what the payload says is a sign of life and nothing else, by the word that its protocol has for it: `ping` and `pong` of Engine.IO,
    /// GraphQL, SignalR, ActionCable and NATS, `ka` of the older GraphQL, `PINGREQ` and `PINGRESP` of MQTT, `heartbeat` of STOMP, SockJS, AMQP and
    /// Phoenix, and the reply to the latter.
    var heartbeat: HeartbeatPart? {
        guard !hasStopped, entries.count <= 6 else { return nil }
        if format.description == "phoenix", let part = phoenixHeartbeat { return part }
        var (part, hasContent): (HeartbeatPart?, Bool) = (nil, false)
        for entry in entries {
            let key = entry.key.rawBytes
            if key.isWord("type") || key.isWord("command") || key.isWord("event") { part = part ?? HeartbeatPart(entry.value, in: format) }
            // A message type of the app's own: the enumerator or text of the field that has it.
            if key.isWord("fields"), case .object(let members) = entry.value {
                for member in members.prefix(8) {
                    if let found = member.name.rawBytes.isNameOfKind ? HeartbeatPart(member.value, in: format) : nil, part == nil {
                        part = found
                    } else if member.value.isContent {
                        hasContent = true
                    }
                }
                if members.count > 8 { hasContent = true }
            }
            if key.isWord("args") || key.isWord("payload"), entry.value.isContent { hasContent = true }
            // The probe of Engine.IO asks for the way, and for no sign of life. ActionCable's pings have the time.
            if key.isWord("data"), entry.value.isContent { return nil }
            if key.isWord("packets") || key.isWord("messages") || key.isWord("begins") { return nil }
        }
        guard let part else { return nil }
        if hasContent { return part == .beat ? .claim : nil }
        return traits?.isReply(self) == true ? .answer : part
    }

    /// Of a message of the app's own whose type says that it answers a heartbeat, such as `HEARTBEAT_ACK` or `pingResponse`: what its type is;
    /// nil for others.
    var nameOfHeartbeatAnswer: UInt64? {
        guard !hasStopped, entries.count <= 6 else { return nil }
        for entry in entries {
            if case .object(let members) = entry.value, entry.key.rawBytes.isWord("fields") {
                for member in members.prefix(8) where member.name.rawBytes.isNameOfKind {
                    if let name = member.value.asHeartbeatAnswer { return name }
                }
            } else if entry.key.rawBytes.isWord("type") || entry.key.rawBytes.isWord("event") || entry.key.rawBytes.isWord("method"),
                let name = entry.value.asHeartbeatAnswer
            {
                return name
            }
        }
        return nil
    }

    /// Of the topic that its heartbeats have.
    private var phoenixHeartbeat: HeartbeatPart? {
        func has(_ key: StaticString, _ word: StaticString) -> Bool {
            guard case .json(let bytes)? = entries.first(where: { $0.key.rawBytes.isWord(key) })?.value, bytes.count > 2
            else { return false }
            return bytes.rawBytes.extracting(1..<bytes.count - 1).isWord(word)
        }
        guard has("topic", "phoenix") else { return nil }
        return has("event", "heartbeat") ? .beat : has("event", "phx_reply") ? .answer : nil
    }
}

extension DecodedPayload.Value {
    /// The fingerprint of a name for the answer to a heartbeat: with a word for a heartbeat and one for an answer, or `pong`; nil for another.
    fileprivate var asHeartbeatAnswer: UInt64? {
        var text: [UInt8]
        switch self {
        case .word(let word): text = Array(word.utf8)
        case .text(let bytes): text = bytes
        case .json(let bytes) where bytes.first == UInt8(ascii: "\""): text = bytes
        case _: return nil
        }
        guard (4...64).contains(text.count) else { return nil }
        let words = Self.words(of: text)
        func has(_ names: [StaticString]) -> Bool { words.contains { word in names.contains { word.rawBytes.isWord($0) } } }
        let isOfHeartbeat = has(["heartbeat", "ping", "alive", "keepalive"])
        guard has(["pong"]) || isOfHeartbeat && has(["ack", "res", "resp", "response", "reply", "answer"]) else { return nil }
        var hash = Fingerprint()
        hash.add(text.rawBytes)
        return hash.value
    }

    /// The words of a name: `KEEP_ALIVE_ACK` has three, `heartbeatResponse` two.
    private static func words(of name: [UInt8]) -> [[UInt8]] {
        var words: [[UInt8]] = [[]]
        var wasLower = false
        for byte in name {
            let isUpper = (0x41...0x5a).contains(byte)
            let isLetter = (0x61...0x7a).contains(byte | 0x20)
            if !isLetter || isUpper && wasLower, words[words.count - 1] != [] { words.append([]) }
            if isLetter { words[words.count - 1].append(byte | 0x20) }
            wasLower = isLetter && !isUpper
        }
        return words
    }

    /// Whether it says more than a number does.
    fileprivate var isContent: Bool {
        switch self {
        case .text(let bytes): !bytes.allSatisfy(\.isDigit)
        case .json(let bytes): bytes.contains { $0 == UInt8(ascii: "\"") || $0 > 0x7e } || bytes.first == UInt8(ascii: "t")
        case .binary(let length): length > 0
        case .items(let members), .object(let members): !members.isEmpty
        case .fields(let lines): !lines.isEmpty
        case .word, .number, .signed, .real, .flag, .nothing, .duration: false
        }
    }
}

extension RawSpan {
    /// Whether a field of this name says what a message is.
    var isNameOfKind: Bool {
        let names: [StaticString] = ["type", "event", "cmd", "command", "action", "op", "kind", "t", "method"]
        return names.contains { isWord($0) }
    }
}

extension HeartbeatPart {
    /// By the word for it; nil for other words.
    fileprivate init?(_ value: DecodedPayload.Value, in format: StaticString) {
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
        case "ka" where format.description == "graphql-ws": self = .beat
        case "pong", "pingresp": self = .answer
        case _: return nil
        }
    }
}
