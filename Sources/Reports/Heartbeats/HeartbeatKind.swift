import Dissection

/// By what a side shows that it is there.
enum HeartbeatKind: Sendable, Equatable {
    /// A WebSocket ping, which its peer answers with a pong (RFC 6455, section 5.5.2).
    case ping
    /// A WebSocket pong that answers nothing (RFC 6455, section 5.5.3).
    case pong
    /// The heartbeat of a protocol inside: the name of its format.
    case format(FormatName)
    /// An event of the app's own in a protocol inside that calls itself a heartbeat and says more: one only where it comes at regular times.
    case claim(FormatName)
    /// A message of the app's own that comes back as it is at regular times: what it has in common with the others.
    case message(UInt64)
    /// A message of the app's own that comes back at regular times but for its numbers.
    case shape(UInt64)

    /// As records have it.
    var word: String {
        switch self {
        case .ping: "websocket.ping"
        case .pong: "websocket.pong"
        case .format(let format), .claim(let format): format.name.description
        case .message, .shape: "message"
        }
    }

    /// For people.
    var words: String {
        switch self {
        case .ping: "WebSocket pings"
        case .pong: "WebSocket pongs"
        case .format(let format), .claim(let format): "\(format.name) pings"
        case .message, .shape: "a message"
        }
    }

    /// Whether only a row of such beats shows that they are some.
    var isOwn: Bool {
        switch self {
        case .ping, .pong, .format: false
        case .claim, .message, .shape: true
        }
    }

    /// Whether its protocol says that the peer answers.
    var wantsAnswer: Bool {
        switch self {
        case .ping: true
        case .format(let format): format.traits?.beatsAreAnswered ?? false
        case .pong, .claim, .message, .shape: false
        }
    }

    /// A message type of the app's own that calls itself a heartbeat: no protocol says what answers it.
    var isTypeOfApp: Bool {
        switch self {
        case .format(let format), .claim(let format): format.traits?.typesAreOfApp ?? false
        case .ping, .pong, .message, .shape: false
        }
    }

    /// What delays a beat.
    var delay: BeatDelay { if case .format(let format) = self { format.traits?.beatDelay ?? .nothing } else { .nothing } }
}

extension HeartbeatKind {
    /// Longer messages say something.
    static let longestMessage = 128

    /// What a message has in common with others like it: all of its bytes; where it calls itself a heartbeat, all but its numbers. Nil for
    /// one that says too much.
    static func fingerprint(_ bytes: RawSpan) -> (value: UInt64, isNamed: Bool)? {
        guard (1...longestMessage).contains(bytes.byteCount) else { return nil }
        let isNamed = isNamed(bytes)
        var hash = Fingerprint()
        var wasDigit = false
        for index in 0..<bytes.byteCount {
            var byte = bytes[index]
            if isNamed, byte.isDigit {
                if wasDigit { continue }
                wasDigit = true
                byte = UInt8(ascii: "0")
            } else {
                wasDigit = false
            }
            hash.add(byte)
        }
        return (hash.value, isNamed)
    }

    /// Whether it calls itself one: by its first word, or by the member of a JSON object that says what it is, beside which there is no other
    /// text. A word for it somewhere else says nothing.
    private static func isNamed(_ bytes: RawSpan) -> Bool {
        guard bytes[0] == UInt8(ascii: "{") else {
            var end = 0
            while end < bytes.byteCount, bytes[end].isWordLetter { end += 1 }
            return isName(bytes.extracting(0..<end))
        }
        guard let members = JSONParts(bytes), members.isAll(of: bytes) else { return false }
        var isNamed = false
        for part in members.parts where bytes[part.value.lowerBound] == UInt8(ascii: "\"") {
            let key = bytes.extracting(part.name)
            let kinds: [StaticString] = ["type", "event", "cmd", "command", "action", "op", "kind", "t", "method", "msg", "name"]
            guard kinds.contains(where: { key.isWord($0) }),
                isName(bytes.extracting(part.value.lowerBound + 1..<part.value.upperBound - 1))
            else { return false }
            isNamed = true
        }
        return isNamed
    }

    private static func isName(_ word: RawSpan) -> Bool {
        let names: [StaticString] = [
            "heartbeat", "heart_beat", "heart-beat", "keepalive", "keep-alive", "keep_alive", "ping", "pong", "hb",
            "heartbeat_ack", "heartbeat-ack", "heartbeatack",
        ]
        return names.contains { word.isWord($0) }
    }
}

extension UInt8 {
    /// A letter of ASCII, or what joins two words.
    fileprivate var isWordLetter: Bool { (0x61...0x7a).contains(self | 0x20) || self == UInt8(ascii: "_") || self == UInt8(ascii: "-") }
}
