/// Tags and labels between Ethernet and IP.
extension PacketRemainder {
    /// An MPLS label stack (RFC 3032, section 2.1). Nothing in it names what follows: the first four bits do, 4 and 6
    /// for IP, 0 for the control word of a pseudowire (RFC 4385, section 3), 1 for its associated channel. Labels
    /// differ by direction, so they are not part of the scope.
    mutating func mpls(_ bytes: RawSpan) -> Step {
        var labels = 0
        while true {
            if let lack = lack(of: 4) { return lack }
            let isLast = bytes[start + 2] & 1 != 0
            start += 4
            if isLast { break }
            labels += 1
            guard labels < Self.deepestNesting else { return .skip(.tunnel) }
        }
        if let lack = lack(of: 1) { return lack }
        switch bytes[start] >> 4 {
        case 4, 6: return .ip
        case 0: return pseudowire(bytes)
        case 1: return .skip(.linkControl)
        default: return .skip(.tunnel)
        }
    }

    /// Ethernet behind a control word; or without one, where an address that begins with a zero looks like it. The
    /// EtherType that is known decides, and the control word where both or none are.
    private mutating func pseudowire(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 4) { return lack }
        let isPlain = leadsToIP(bytes, at: start + 12) && !leadsToIP(bytes, at: start + 16)
        if !isPlain { start += 4 }
        return .ethernet
    }

    private func leadsToIP(_ bytes: RawSpan, at offset: Int) -> Bool {
        guard offset + 2 <= end else { return false }
        switch bytes.bigEndianUInt16(at: offset) {
        case EtherType.ipv4, EtherType.ipv6, EtherType.arp, EtherType.vlan, EtherType.serviceVLAN: return true
        default: return false
        }
    }

    /// Provider backbone bridging: the service instance, then the customer's frame (IEEE 802.1Q, 9.7).
    mutating func backboneBridging(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 4) { return lack }
        enter(bytes.bigEndianUInt24(at: start + 1), kind: 6)
        start += 4
        return .ethernet
    }

    /// Cisco's VN-tag (IEEE 802.1BR): direction and virtual interfaces, which differ by direction; then an EtherType.
    mutating func vnTag(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 6) { return lack }
        let type = bytes.bigEndianUInt16(at: start + 4)
        start += 6
        return .etherType(type)
    }

    /// Cisco's FabricPath: switch addresses like those of Ethernet, then tree and time to live, then the frame.
    mutating func fabricPath(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 2) { return lack }
        start += 2
        return .ethernet
    }
}
