import Dissection

/// Under which names the clients of brokers have connected, and on which conversations each did last: at most 1,024, of which the oldest are
/// forgotten.
struct ClientNames: Sendable {
    private var clients: [[UInt8]: [UInt64]] = [:]
    private var order: [[UInt8]] = []
    private static let most = 1_024
    /// Longer ones are not kept.
    private static let longest = 256
    /// Of a name that connects again and again, so many conversations are kept: one that begins may be captured before the end of the last.
    private static let mostConversations = 4

    /// Counted along: it is asked with each event.
    private(set) var heldBytes = 0

    /// What a name and its conversations take, in both tables.
    private static func bytes(of name: [UInt8]) -> Int { name.count * 2 + 144 }

    /// Takes what a client says. Returns the conversations that connected under the same name before; a server ends them (MQTT 3.1.4).
    mutating func take(_ decoded: DecodedPayload, _ conversation: UInt64) -> [UInt64] {
        guard decoded.format.description == "mqtt", decoded.says("type", "CONNECT"), let value = decoded.value(of: "clientId") else {
            return []
        }
        let name: [UInt8]
        switch value {
        case .text(let bytes), .json(let bytes): name = bytes
        case _: return []
        }
        // One that is empty is chosen by the server.
        guard !name.isEmpty, name.count <= Self.longest, name != Array("\"\"".utf8) else { return [] }
        let earlier = clients[name] ?? []
        guard !earlier.contains(conversation) else { return [] }
        if earlier.isEmpty {
            order.append(name)
            heldBytes += Self.bytes(of: name)
            if order.count > Self.most {
                let oldest = order.removeFirst()
                heldBytes -= Self.bytes(of: oldest)
                clients[oldest] = nil
            }
        }
        clients[name] = earlier.suffix(Self.mostConversations - 1) + [conversation]
        return earlier
    }
}
