/// PPP and what carries it.
extension PacketRemainder {
    /// A PPP frame (RFC 1661, section 2), with or without the address and control of its HDLC framing (RFC 1662, 3.1),
    /// the protocol in one byte or two (RFC 1661, section 6.5).
    mutating func ppp(_ bytes: RawSpan) -> Step {
        if count >= 1, bytes[start] == 0xFF {
            if let lack = lack(of: 2) { return lack }
            if bytes[start + 1] == 0x03 { start += 2 }
        }
        return pppProtocol(bytes)
    }

    private mutating func pppProtocol(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 1) { return lack }
        var number = UInt16(bytes[start])
        if number & 1 == 1 {
            start += 1
        } else {
            if let lack = lack(of: 2) { return lack }
            number = bytes.bigEndianUInt16(at: start)
            start += 2
        }
        switch number {
        case 0x0021: return .etherType(EtherType.ipv4)
        case 0x0057: return .etherType(EtherType.ipv6)
        case 0x0281, 0x0283: return mpls(bytes)
        // Van Jacobson and ROHC headers, multilink, encryption, compression: IP that one cannot read from outside.
        case 0x002D, 0x002F, 0x0003, 0x0005, 0x003D, 0x0053, 0x0055, 0x00FB, 0x00FD: return .skip(.tunnel)
        // Control protocols of the networks (0x8000) and of the link (0xC000).
        case 0x8000...0xFFFF: return .skip(.linkControl)
        default: return .skip(.etherType)
        }
    }

    /// LINKTYPE_PPP and LINKTYPE_PPP_HDLC: PPP in HDLC-like framing, or Cisco's HDLC, told by its address.
    mutating func pppSerial(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 2) { return lack }
        // Unicast and broadcast; neither would be a PPP protocol.
        let address = bytes.bigEndianUInt16(at: start)
        return address == 0x0F00 || address == 0x8F00 ? ciscoHDLC(bytes) : .ppp
    }

    /// LINKTYPE_PPP_PPPD: where the address would stand, 0 is received and anything else sent; then the control byte.
    mutating func pppWithDirection(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 1) { return lack }
        start += 1
        if count >= 1, bytes[start] == 0x03 { start += 1 }
        return pppProtocol(bytes)
    }

    /// PPP over Ethernet (RFC 2516, section 4): version and type, code, session, length. Code 0 is data.
    mutating func pppoeSession(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 6) { return lack }
        guard bytes[start] == 0x11 else { return .skip(.damaged) }
        guard bytes[start + 1] == 0 else { return .skip(.linkControl) }
        let length = Int(bytes.bigEndianUInt16(at: start + 4))
        start += 6
        limit(toLength: length)
        return pppProtocol(bytes)
    }

    /// Cisco HDLC (LINKTYPE_C_HDLC): address, control, EtherType. 0x8035 is its keep-alive, not reverse ARP.
    mutating func ciscoHDLC(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 4) { return lack }
        let type = bytes.bigEndianUInt16(at: start + 2)
        start += 4
        if type == EtherType.reverseARP { return .skip(.linkControl) }
        return type < 0x0600 ? .skip(.linkControl) : .etherType(type)
    }
}
