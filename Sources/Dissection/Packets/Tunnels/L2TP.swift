/// The Layer Two Tunneling Protocol. Its identifiers are chosen by the side that receives, so they differ by direction
/// and are not part of the scope.
extension PacketRemainder {
    /// L2TP over UDP: version 2 (RFC 2661, section 3.1) carries PPP, version 3 (RFC 3931, section 4.1.2) what was agreed
    /// on. A payload that does not begin with its header is taken for other UDP.
    mutating func l2tp(_ bytes: RawSpan) -> Step {
        if count < 6 { return .skip(wireCount >= 6 ? .truncated : .udp) }
        let flags = bytes.bigEndianUInt16(at: start)
        // Control messages have the top bit; reserved bits are zero.
        if flags & 0x8000 != 0 { return .skip(.udp) }
        switch flags & 0x000F {
        case 2 where flags & 0x34F0 == 0: return l2tpVersion2(flags, bytes)
        case 3 where flags & 0x7FF0 == 0:
            start += 4
            return l2tpSession(bytes)
        default: return .skip(.udp)
        }
    }

    /// Flags, then length, tunnel and session, numbers, offset, each as flagged but tunnel and session; then PPP.
    private mutating func l2tpVersion2(_ flags: UInt16, _ bytes: RawSpan) -> Step {
        let hasLength = flags & 0x4000 != 0
        var headerLength = 6 + (hasLength ? 2 : 0) + (flags & 0x0800 != 0 ? 4 : 0)
        if flags & 0x0200 != 0 {
            if let lack = lack(of: headerLength + 2) { return lack }
            headerLength += 2 + Int(bytes.bigEndianUInt16(at: start + headerLength))
        }
        if let lack = lack(of: headerLength) { return lack }
        if hasLength {
            let length = Int(bytes.bigEndianUInt16(at: start + 2))
            guard length >= headerLength else { return .skip(.damaged) }
            limit(toLength: min(length, wireCount))
        }
        start += headerLength
        return .ppp
    }

    /// L2TP version 3 over IP (RFC 3931, section 4.1.1), and behind the first word over UDP: session, cookie, sublayer,
    /// frame. Session 0 is control.
    ///
    /// How long the cookie is and whether there is a sublayer only the control connection says, and often nothing does
    /// (`ip l2tp`): the first place at which Ethernet leads to IP is taken. Other contents stay a tunnel.
    mutating func l2tpSession(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 4) { return lack }
        if bytes.bigEndianUInt32(at: start) == 0 { return .skip(.linkControl) }
        // No cookie or one of 4 or 8 bytes, each with or without the default sublayer of 4 bytes.
        for length in [4, 8, 12, 16] where isEthernetWithIP(bytes, at: start + length) {
            start += length
            return .ethernet
        }
        return .skip(count < 4 + 12 + 14 + 20 && wireCount > count ? .truncated : .tunnel)
    }

    /// Whether an Ethernet frame at `offset` leads to an IP header that can be one, behind tags as well.
    private func isEthernetWithIP(_ bytes: RawSpan, at offset: Int) -> Bool {
        var type = offset + 12
        // Two tags at most.
        for _ in 0...2 {
            guard type + 3 <= end else { return false }
            switch bytes.bigEndianUInt16(at: type) {
            case EtherType.ipv4: return bytes[type + 2] & 0xF0 == 0x40 && bytes[type + 2] & 0x0F >= 5
            case EtherType.ipv6: return bytes[type + 2] & 0xF0 == 0x60
            case EtherType.vlan, EtherType.serviceVLAN: type += 4
            default: return false
            }
        }
        return false
    }
}
