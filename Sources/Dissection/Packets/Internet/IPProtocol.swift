/// IP protocol numbers (IANA, Assigned Internet Protocol Numbers) that are told apart.
enum IPProtocol {
    static let hopByHop: UInt8 = 0
    static let icmp: UInt8 = 1
    static let ipv4: UInt8 = 4
    static let tcp: UInt8 = 6
    static let udp: UInt8 = 17
    static let ipv6: UInt8 = 41
    static let routing: UInt8 = 43
    static let fragment: UInt8 = 44
    static let gre: UInt8 = 47
    static let esp: UInt8 = 50
    static let ah: UInt8 = 51
    static let icmpv6: UInt8 = 58
    static let destinationOptions: UInt8 = 60
    static let etherIP: UInt8 = 97
    static let compression: UInt8 = 108
    static let layer2Tunnelling: UInt8 = 115
    static let sctp: UInt8 = 132
    static let mobility: UInt8 = 135
    static let mpls: UInt8 = 137
    static let hostIdentity: UInt8 = 139
    static let shim6: UInt8 = 140

    /// Why a packet of this protocol has nothing for TCP; nil where it may have.
    static func skipReason(_ number: UInt8) -> SkipReason? {
        switch number {
        case tcp, udp, ipv4, ipv6, gre, ah, etherIP, layer2Tunnelling, mpls: nil
        case hopByHop, routing, fragment, destinationOptions, mobility, hostIdentity, shim6: nil
        case icmp, icmpv6: .icmp
        case sctp: .sctp
        case esp, compression: .tunnel
        default: .ipProtocol
        }
    }
}

extension PacketRemainder {
    /// IP of either version, told by the first four bits.
    mutating func ip(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 1) { return lack }
        switch bytes[start] >> 4 {
        case 4: return ipv4(bytes)
        case 6: return ipv6(bytes)
        default: return .skip(.damaged)
        }
    }

    /// What follows an IP header, by protocol number.
    mutating func ipProtocol(_ number: UInt8, _ bytes: RawSpan) -> Step {
        switch number {
        case IPProtocol.tcp: .tcp
        case IPProtocol.udp: udp(bytes)
        case IPProtocol.ipv4: ipv4(bytes)
        case IPProtocol.ipv6: ipv6(bytes)
        case IPProtocol.gre: gre(bytes)
        case IPProtocol.ah: authenticationHeader(bytes)
        case IPProtocol.etherIP: etherIP(bytes)
        case IPProtocol.layer2Tunnelling: l2tpSession(bytes)
        case IPProtocol.mpls: mpls(bytes)
        case IPProtocol.routing: routingHeader(bytes)
        case IPProtocol.fragment: fragmentHeader(bytes)
        case IPProtocol.hopByHop: hopByHopOptions(bytes)
        case IPProtocol.destinationOptions, IPProtocol.mobility, IPProtocol.hostIdentity, IPProtocol.shim6:
            extensionHeader(bytes)
        default: .skip(IPProtocol.skipReason(number) ?? .ipProtocol)
        }
    }

    /// Authentication Header: next header, length in words of four bytes less two; what follows is in the clear
    /// (RFC 4302, section 2).
    private mutating func authenticationHeader(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 12) { return lack }
        let length = (Int(bytes[start + 1]) + 2) * 4
        guard length >= 12 else { return .skip(.damaged) }
        if let lack = lack(of: length) { return lack }
        let next = bytes[start]
        start += length
        return .ipProtocol(next)
    }
}
