import Dissection
import Reports

/// What `opened` has.
enum OpenedField: String, CaseIterable, Sendable {
    case clientAddress = "client.address"
    case clientPort = "client.port"
    case clientName = "client.name"
    case serverAddress = "server.address"
    case serverPort = "server.port"
    case serverName = "server.name"
    case transport, start, roles
    case viaMode = "via.mode"
    case viaTarget = "via.target"
    case latin1

    func visit(_ event: borrowing ConversationEvent, _ opening: Opening, _ take: Take) -> Bool {
        switch self {
        case .clientAddress: return handAddress(opening.client, take)
        case .clientPort: return handPort(opening.client, take)
        case .clientName: return handUnlessEmpty(event.part(opening.clientName), take)
        case .serverAddress: return handAddress(opening.server, take)
        case .serverPort: return handPort(opening.server, take)
        case .serverName: return handUnlessEmpty(event.part(opening.serverName), take)
        case .transport: return hand(opening.transport.word, opening.transport.rawValue, take)
        case .start: return hand(opening.start.word, opening.start.rawValue, take)
        case .roles: return hand(opening.roles.word, opening.roles.rawValue, take)
        case .viaMode: return handUnlessEmpty(event.part(opening.viaMode), take)
        case .viaTarget: return opening.viaMode.isEmpty ? false : handUnlessEmpty(event.part(opening.viaTarget), take)
        case .latin1:
            let parts = [opening.clientName, opening.serverName, opening.viaMode, opening.viaTarget]
            return handFlag(parts.contains { !event.part($0).isUTF8 }, take)
        }
    }
}

/// Hands on an address where there is one.
func handAddress(_ endpoint: Endpoint, _ take: Take) -> Bool {
    endpoint.address.family == .none ? false : take(.address(endpoint.address.unmapped))
}

func handPort(_ endpoint: Endpoint, _ take: Take) -> Bool {
    endpoint.address.family == .none ? false : take(.number(UInt64(endpoint.port)))
}
