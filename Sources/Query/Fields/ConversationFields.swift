import Dissection
import Reports

/// What holds for all events of a conversation, although only some of them carry it.
enum ConversationField: Sendable, Hashable {
    /// Addresses and ports of both sides.
    case addresses(IPAddress.Family?), ports
    /// Of the sender, and of the other side.
    case sourceAddress(IPAddress.Family?), sourcePort, destinationAddress(IPAddress.Family?), destinationPort
    case clientAddress, clientPort, serverAddress, serverPort
    /// What the source calls them.
    case clientName, serverName
    /// The process of the first packet.
    case processName, processIdentifier
    /// What the TLS client asked for.
    case tlsName
    /// Of the request that an event belongs to, otherwise of the last one.
    case host, path

    var needs: ConversationNeeds {
        switch self {
        case .addresses, .ports, .sourceAddress, .sourcePort, .destinationAddress, .destinationPort, .clientAddress, .clientPort,
            .serverAddress, .serverPort:
            .endpoints
        case .clientName, .serverName, .tlsName, .processName, .processIdentifier: [.endpoints, .names]
        case .host, .path: [.endpoints, .exchanges]
        }
    }

    /// - Parameter known: nil where the beginning of the conversation was not told.
    func visit(_ event: borrowing ConversationEvent, _ known: KnownConversation?, _ take: ValueVisitor) -> Bool {
        guard let known else { return false }
        switch self {
        case .addresses(let family):
            return address(known.client, family, take) || address(known.server, family, take)
        case .ports: return port(known.client, take) || port(known.server, take)
        case .sourceAddress(let family): return address(endpoint(event.from, known), family, take)
        case .destinationAddress(let family): return address(endpoint(event.from?.peer, known), family, take)
        case .sourcePort: return port(endpoint(event.from, known), take)
        case .destinationPort: return port(endpoint(event.from?.peer, known), take)
        case .clientAddress: return address(known.client, nil, take)
        case .serverAddress: return address(known.server, nil, take)
        case .clientPort: return port(known.client, take)
        case .serverPort: return port(known.server, take)
        case .clientName: return handUnlessEmpty(known.clientName.rawBytes, take)
        case .serverName: return handUnlessEmpty(known.serverName.rawBytes, take)
        case .processName: return handUnlessEmpty(known.processName.rawBytes, take)
        case .processIdentifier: return known.processIdentifier.map { take(.number(UInt64($0))) } ?? false
        case .tlsName: return handUnlessEmpty(known.tlsName.rawBytes, take)
        case .host:
            guard let target = known.target(of: event) else { return false }
            return handUnlessEmpty(target.host.rawBytes, take)
        case .path:
            guard let target = known.target(of: event), !target.target.isEmpty else { return false }
            return hand(target.target.rawBytes.part(TargetParts(target.target.rawBytes).path), take)
        }
    }

    private func endpoint(_ side: Side?, _ known: KnownConversation) -> Endpoint? {
        switch side {
        case .client: known.client
        case .server: known.server
        case nil: nil
        }
    }

    private func address(_ endpoint: Endpoint?, _ family: IPAddress.Family?, _ take: ValueVisitor) -> Bool {
        guard let address = endpoint?.address.unmapped, address.family != .none, family == nil || address.family == family else {
            return false
        }
        return take(.address(address))
    }

    private func port(_ endpoint: Endpoint?, _ take: ValueVisitor) -> Bool {
        guard let endpoint, endpoint.address.family != .none else { return false }
        return take(.number(UInt64(endpoint.port)))
    }
}

/// Where the parts of a request's target lie (RFC 9112, section 3.2).
struct TargetParts {
    private(set) var path = ByteRange()
    /// After the question mark.
    private(set) var query = ByteRange()
    /// It names scheme and host itself.
    private(set) var isAbsolute = false

    init(_ target: RawSpan) {
        var start = 0
        if target.byteCount > 0, target[0] != UInt8(ascii: "/"), target[0] != UInt8(ascii: "*") {
            // scheme://authority/path
            var slashes = 0
            while start < target.byteCount, slashes < 3 {
                if target[start] == UInt8(ascii: "/") { slashes += 1 }
                if slashes < 3 { start += 1 }
            }
            isAbsolute = slashes >= 2
            // The authority alone, as CONNECT has it, has no path.
            if slashes == 0 { start = 0 }
        }
        var end = start
        while end < target.byteCount, target[end] != UInt8(ascii: "?"), target[end] != UInt8(ascii: "#") { end += 1 }
        path = ByteRange(start..<end)
        guard end < target.byteCount, target[end] == UInt8(ascii: "?") else { return }
        var stop = end + 1
        while stop < target.byteCount, target[stop] != UInt8(ascii: "#") { stop += 1 }
        query = ByteRange(end + 1..<stop)
    }
}
