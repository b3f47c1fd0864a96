import Dissection
import Reports

/// What `upgrade` has.
enum UpgradeField: String, CaseIterable, Sendable {
    case name = "protocol"
    case accepted, host, target, subprotocol, extensions
    case clientTakeover = "compression.clientTakeover"
    case serverTakeover = "compression.serverTakeover"
    case clientWindowBits = "compression.clientWindowBits"
    case serverWindowBits = "compression.serverWindowBits"
    case latin1

    func visit(_ event: borrowing ConversationEvent, _ upgrade: Upgrade, _ take: Take) -> Bool {
        switch self {
        case .name: return handUnlessEmpty(event.part(upgrade.protocolName), take)
        case .accepted: return take(.flag(upgrade.accepted))
        case .host: return handUnlessEmpty(event.part(upgrade.host), take)
        case .target: return handUnlessEmpty(event.part(upgrade.target), take)
        case .subprotocol: return handUnlessEmpty(event.part(upgrade.subprotocol), take)
        case .extensions: return handUnlessEmpty(event.part(upgrade.extensions), take)
        case .clientTakeover:
            guard let compression = upgrade.compression else { return false }
            return take(.flag(compression.clientTakeover))
        case .serverTakeover:
            guard let compression = upgrade.compression else { return false }
            return take(.flag(compression.serverTakeover))
        case .clientWindowBits: return handNumber(upgrade.compression.map { UInt64($0.clientWindowBits) }, take)
        case .serverWindowBits: return handNumber(upgrade.compression.map { UInt64($0.serverWindowBits) }, take)
        case .latin1:
            let parts = [upgrade.protocolName, upgrade.host, upgrade.target, upgrade.subprotocol, upgrade.extensions]
            return handFlag(parts.contains { !event.part($0).isUTF8 }, take)
        }
    }
}
