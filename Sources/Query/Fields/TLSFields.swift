import Dissection
import Reports

/// What `tls` has.
enum TLSField: String, CaseIterable, Sendable {
    case serverName, alpn, offeredAlpn, version, cipher, secrets, latin1
    /// The same two as numbers, as Wireshark has them.
    case versionNumber, cipherNumber

    func visit(_ event: borrowing ConversationEvent, _ facts: TLSFacts, _ take: Take) -> Bool {
        switch self {
        case .serverName: return handUnlessEmpty(event.part(facts.serverName), take)
        case .alpn: return handUnlessEmpty(event.part(facts.alpn), take)
        case .offeredAlpn:
            var offered = OfferedProtocols(event.part(facts.offeredALPN))
            while let name = offered.next() { if hand(name, take) { return true } }
            return false
        case .version:
            guard let version = facts.version else { return false }
            return hand(made: Array((TLSNames.version(version) ?? Self.hexadecimal(version)).utf8), take)
        case .cipher:
            guard let cipher = facts.cipher else { return false }
            return hand(made: Array((TLSCipherSuite.name(cipher) ?? Self.hexadecimal(cipher)).utf8), take)
        case .secrets: return hand(facts.secrets.word, facts.secrets.rawValue, take)
        case .latin1:
            var isLatin1 = !event.part(facts.serverName).isUTF8 || !event.part(facts.alpn).isUTF8
            var offered = OfferedProtocols(event.part(facts.offeredALPN))
            while let name = offered.next() { isLatin1 = isLatin1 || !name.isUTF8 }
            return handFlag(isLatin1, take)
        case .versionNumber: return handNumber(facts.version.map { UInt64($0) }, take)
        case .cipherNumber: return handNumber(facts.cipher.map { UInt64($0) }, take)
        }
    }

    /// `0x1301`.
    private static func hexadecimal(_ value: UInt16) -> String {
        let digits = String(value, radix: 16)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
