import Dissection

/// By what a side shows that it is there.
enum HeartbeatKind: Sendable, Equatable {
    /// A WebSocket ping, which its peer answers with a pong (RFC 6455, section 5.5.2).
    case ping
    /// A WebSocket pong that answers nothing (RFC 6455, section 5.5.3).
    case pong
    /// The heartbeat of a protocol inside: the name of its format.
    case format(String)
    /// A message of the app's own that comes back as it is at regular times: what it has in common with the others.
    case message(UInt64)

    /// As records have it.
    var word: String {
        switch self {
        case .ping: "websocket.ping"
        case .pong: "websocket.pong"
        case .format(let name): name
        case .message: "message"
        }
    }

    /// For people.
    var words: String {
        switch self {
        case .ping: "WebSocket pings"
        case .pong: "WebSocket pongs"
        case .format(let name): "\(name) pings"
        case .message: "the same message"
        }
    }
}

extension HeartbeatKind {
    /// Longer messages say something.
    static let longestMessage = 128

    /// What a message has in common with others like it: all of its bytes; where it calls itself a heartbeat, all but its numbers. Nil for
    /// one that says too much.
    static func fingerprint(_ bytes: RawSpan) -> UInt64? {
        guard (1...longestMessage).contains(bytes.byteCount) else { return nil }
        let isNamed = isNamed(bytes)
        // FNV-1a.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        var wasDigit = false
        for index in 0..<bytes.byteCount {
            var byte = bytes[index]
            if isNamed, byte.isDecimalDigit {
                if wasDigit { continue }
                wasDigit = true
                byte = UInt8(ascii: "0")
            } else {
                wasDigit = false
            }
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return hash
    }

    /// Whether it has a word that such messages have.
    private static func isNamed(_ bytes: RawSpan) -> Bool {
        let lower = (0..<bytes.byteCount).map { (0x41...0x5a).contains(bytes[$0]) ? bytes[$0] | 0x20 : bytes[$0] }
        let words: [StaticString] = ["heartbeat", "heart_beat", "keepalive", "keep-alive", "keep_alive", "ping", "pong", "\"hb\""]
        return words.contains { lower.rawBytes.contains($0) }
    }
}
