/// Networks over UDP: VXLAN, GENEVE, and the user plane of GTP.
///
/// A payload on one of their ports that does not begin with their header is taken for other UDP.
extension PacketRemainder {
    /// VXLAN: flags, of which one says that the network identifier counts (RFC 7348, section 5).
    mutating func vxlan(_ bytes: RawSpan) -> Step {
        if count < 8 { return .skip(wireCount >= 8 ? .truncated : .udp) }
        guard bytes[start] & 0x08 != 0 else { return .skip(.udp) }
        enter(bytes.bigEndianUInt24(at: start + 4), kind: 4)
        start += 8
        return .ethernet
    }

    /// VXLAN with the Generic Protocol Extension: the last byte of the first word names what follows.
    mutating func vxlanGeneric(_ bytes: RawSpan) -> Step {
        if count < 8 { return .skip(wireCount >= 8 ? .truncated : .udp) }
        guard bytes[start] & 0x0C == 0x0C else { return .skip(.udp) }
        enter(bytes.bigEndianUInt24(at: start + 4), kind: 4)
        let next = bytes[start + 3]
        start += 8
        switch next {
        case 1, 2: return .ip
        case 3: return .ethernet
        default: return .skip(.tunnel)
        }
    }

    /// GENEVE: version and length of the options, EtherType, network identifier (RFC 8926, section 3.4).
    mutating func geneve(_ bytes: RawSpan) -> Step {
        if count < 8 { return .skip(wireCount >= 8 ? .truncated : .udp) }
        guard bytes[start] >> 6 == 0 else { return .skip(.udp) }
        let length = 8 + Int(bytes[start] & 0x3F) * 4
        if let lack = lack(of: length) { return lack }
        enter(bytes.bigEndianUInt24(at: start + 4), kind: 5)
        let type = bytes.bigEndianUInt16(at: start + 2)
        start += length
        return .etherType(type)
    }

    /// GTP-U version 1: message 255 carries a user's IP packet (3GPP TS 29.281, section 5.1). The tunnel's identifier
    /// differs by direction, so it is not part of the scope.
    mutating func gtpUser(_ bytes: RawSpan) -> Step {
        if count < 8 { return .skip(wireCount >= 8 ? .truncated : .udp) }
        let flags = bytes[start]
        guard flags & 0xF0 == 0x30, bytes[start + 1] == 255 else { return .skip(.udp) }
        guard flags & 0x07 != 0 else {
            start += 8
            return .ip
        }
        if let lack = lack(of: 12) { return lack }
        var next = flags & 0x04 != 0 ? bytes[start + 11] : 0
        start += 12
        // Extension headers: length in words of four bytes, content, type of the next.
        while next != 0 {
            if let lack = lack(of: 1) { return lack }
            let length = Int(bytes[start]) * 4
            guard length > 0 else { return .skip(.damaged) }
            if let lack = lack(of: length) { return lack }
            next = bytes[start + length - 1]
            start += length
        }
        return .ip
    }
}
