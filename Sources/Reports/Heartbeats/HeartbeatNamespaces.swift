import Dissection

/// The namespaces of a Socket.IO session, as far as they were captured: a client that leaves one goes on in the others, and has taken its leave
/// with the last one.
///
/// ```
/// < 40{"sid":"a"}   < 40/chat,{"sid":"b"}     / and /chat
/// > 41/chat,                                  no goodbye: the session goes on in /
/// > 41                                        goodbye
/// ```
struct HeartbeatNamespaces: Sendable {
    /// Keys of their names.
    private var joined: [UInt64] = []
    /// The session began here, so that no other namespace was joined before.
    private var isWhole = false
    /// The last one was left, and none was joined since.
    private(set) var isLeft = false

    /// More are not kept apart: none of them is the last then.
    private static let mostNames = 64

    var heldBytes: Int { joined.capacity * MemoryLayout<UInt64>.stride }

    /// Whether a payload says something of them.
    static func areIn(_ decoded: DecodedPayload) -> Bool {
        let format = decoded.format.description
        return format == "socket.io" || format == "engine.io"
    }

    mutating func take(_ decoded: DecodedPayload, from side: Side) {
        switch decoded.format.description {
        case "engine.io": if decoded.word("type") == "open" { isWhole = true }
        case "socket.io":
            guard let name = decoded.name else { return }
            let key = UInt64(bitPattern: Int64(name.hashValue))
            switch decoded.word("type") {
            case "disconnect": leave(key, isMain: name == [UInt8(ascii: "/")])
            // Only the server's says that the client has joined (Socket.IO protocol, "Connection to a namespace").
            case "connect": if side == .server { join(key) } else { isLeft = false }
            case "connect_error", "error": break
            case nil: break
            // What is said in a namespace is said by a client that has joined it, be it while the session was polled.
            case _: join(key)
            }
        case _: break
        }
    }

    private mutating func join(_ key: UInt64) {
        isLeft = false
        guard joined.count < Self.mostNames, !joined.contains(key) else { return }
        joined.append(key)
    }

    private mutating func leave(_ key: UInt64, isMain: Bool) {
        guard joined.count < Self.mostNames else { return }
        let wasJoined = joined.contains(key)
        joined.removeAll { $0 == key }
        isLeft = joined.isEmpty && (isMain || wasJoined && isWhole)
    }
}

extension DecodedPayload {
    /// The word of an entry.
    fileprivate func word(_ key: StaticString) -> String? {
        switch entries.first(where: { $0.key.rawBytes.isEqual(key.bytes) })?.value {
        case .word(let word)?: "\(word)"
        case .text(let bytes)?: String(decoding: bytes.prefix(32), as: UTF8.self)
        case _: nil
        }
    }

    /// The namespace of Socket.IO.
    fileprivate var name: [UInt8]? {
        if case .text(let bytes)? = entries.first(where: { $0.key.rawBytes.isWord("namespace") })?.value { Array(bytes) } else { nil }
    }
}
