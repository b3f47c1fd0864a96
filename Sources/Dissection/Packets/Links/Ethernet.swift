/// EtherTypes (IEEE 802 Numbers, IANA) that lead on to IP.
enum EtherType {
    static let ipv4: UInt16 = 0x0800
    static let arp: UInt16 = 0x0806
    static let reverseARP: UInt16 = 0x8035
    static let ipv6: UInt16 = 0x86DD
    static let vlan: UInt16 = 0x8100
    static let serviceVLAN: UInt16 = 0x88A8
    /// What double tags carried before 0x88A8 was assigned.
    static let oldServiceVLAN: UInt16 = 0x9100
    static let transparentBridging: UInt16 = 0x6558
    static let ppp: UInt16 = 0x880B
    static let mpls: UInt16 = 0x8847
    static let mplsMulticast: UInt16 = 0x8848
    static let pppoeDiscovery: UInt16 = 0x8863
    static let pppoeSession: UInt16 = 0x8864
    static let macsec: UInt16 = 0x88E5
    static let backboneBridging: UInt16 = 0x88E7
    static let fabricPath: UInt16 = 0x8903
    static let vnTag: UInt16 = 0x8926
}

extension PacketRemainder {
    /// Ethernet: two addresses and an EtherType or length (IEEE 802.3, clause 3).
    mutating func ethernet(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 14) { return lack }
        let type = bytes.bigEndianUInt16(at: start + 12)
        start += 14
        return .etherType(type)
    }

    /// What follows an EtherType.
    mutating func etherType(_ type: UInt16, _ bytes: RawSpan) -> Step {
        switch type {
        // The header's own version counts: there are senders that put the EtherType of the other one.
        case EtherType.ipv4, EtherType.ipv6: return ip(bytes)
        case EtherType.vlan, EtherType.serviceVLAN, EtherType.oldServiceVLAN: return vlan(bytes)
        case EtherType.arp, EtherType.reverseARP: return .skip(.arp)
        case EtherType.mpls, EtherType.mplsMulticast: return mpls(bytes)
        case EtherType.pppoeSession: return pppoeSession(bytes)
        case EtherType.pppoeDiscovery: return .skip(.linkControl)
        case EtherType.transparentBridging: return .ethernet
        case EtherType.ppp: return .ppp
        case EtherType.backboneBridging: return backboneBridging(bytes)
        case EtherType.vnTag: return vnTag(bytes)
        case EtherType.fabricPath: return fabricPath(bytes)
        // Nearly always encrypted; without encryption it is still followed by an integrity value of unknown length.
        case EtherType.macsec: return .skip(.tunnel)
        case 0...1500:
            limit(toLength: min(Int(type), wireCount))
            return llc(bytes)
        default: return .skip(type < 0x0600 ? .linkControl : .etherType)
        }
    }

    /// A VLAN tag: priority and identifier, then the EtherType of what it tags (IEEE 802.1Q, 9.6).
    /// Identifier 0 gives a priority alone and names no network.
    private mutating func vlan(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 4) { return lack }
        let identifier = bytes.bigEndianUInt16(at: start) & 0x0FFF
        if identifier != 0 { enter(UInt32(identifier), kind: 1) }
        let type = bytes.bigEndianUInt16(at: start + 2)
        start += 4
        return .etherType(type)
    }

    /// IEEE 802.2 LLC, and SNAP behind it (RFC 1042).
    mutating func llc(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 3) { return lack }
        let (destination, source, control) = (bytes[start], bytes[start + 1], bytes[start + 2])
        guard control == 0x03 else { return .skip(.linkControl) }
        // 0x06 is the access point of IP itself.
        if destination == 0x06, source == 0x06 {
            start += 3
            return .ip
        }
        guard destination == 0xAA, source == 0xAA else { return .skip(.linkControl) }
        if let lack = lack(of: 8) { return lack }
        let organisation = bytes.bigEndianUInt24(at: start + 3)
        let type = bytes.bigEndianUInt16(at: start + 6)
        // 00-00-F8 is how bridges mark frames that were EtherType frames before (IEEE 802.1H).
        guard organisation == 0 || organisation == 0x0000F8, type >= 0x0600 else { return .skip(.linkControl) }
        start += 8
        return .etherType(type)
    }
}
