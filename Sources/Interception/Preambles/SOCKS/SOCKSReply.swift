import Dissection

/// How a SOCKS request ended (RFC 1928, section 6). Any byte may stand here.
package struct SOCKSReply: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let succeeded = SOCKSReply(rawValue: 0)
    package static let generalFailure = SOCKSReply(rawValue: 1)
    package static let notAllowed = SOCKSReply(rawValue: 2)
    package static let networkUnreachable = SOCKSReply(rawValue: 3)
    package static let hostUnreachable = SOCKSReply(rawValue: 4)
    package static let connectionRefused = SOCKSReply(rawValue: 5)
    /// Also what a connection that took too long is told.
    package static let timeToLiveExpired = SOCKSReply(rawValue: 6)
    package static let commandNotSupported = SOCKSReply(rawValue: 7)
    package static let addressTypeNotSupported = SOCKSReply(rawValue: 8)

    /// In the words of RFC 1928.
    package var description: String {
        switch rawValue {
        case 0: "succeeded"
        case 1: "general SOCKS server failure"
        case 2: "connection not allowed by ruleset"
        case 3: "network unreachable"
        case 4: "host unreachable"
        case 5: "connection refused"
        case 6: "TTL expired"
        case 7: "command not supported"
        case 8: "address type not supported"
        default: "reply \(rawValue), which RFC 1928 does not assign"
        }
    }

    /// The reply in SOCKS 5: with the address that the proxy's socket towards the server is bound to, zeros where there is none.
    func version5(bound: Endpoint?) -> [UInt8] {
        let address = bound?.address.networkBytes ?? []
        let port = bound?.port ?? 0
        return [5, rawValue, 0] + (address.isEmpty ? [1, 0, 0, 0, 0] : [address.count == 16 ? 4 : 1] + address)
            + [UInt8(port >> 8), UInt8(port & 0xFF)]
    }

    /// The reply in SOCKS 4, which knows granted (90) and rejected (91).
    func version4(bound: Endpoint?) -> [UInt8] {
        let address = bound?.address.networkBytes ?? []
        let port = bound?.port ?? 0
        return [0, self == .succeeded ? 90 : 91, UInt8(port >> 8), UInt8(port & 0xFF)] + (address.count == 4 ? address : [0, 0, 0, 0])
    }
}
