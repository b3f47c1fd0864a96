extension PacketRemainder {
    /// Generic Routing Encapsulation: flags, protocol, then checksum, key and sequence number as flagged
    /// (RFC 2784; RFC 2890); version 1 is that of PPTP (RFC 2637, section 4.1).
    mutating func gre(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 4) { return lack }
        let flags = bytes.bigEndianUInt16(at: start)
        let type = bytes.bigEndianUInt16(at: start + 2)
        switch flags & 0x7 {
        case 0: return greVersion0(flags: flags, type: type, bytes)
        case 1: return greVersion1(flags: flags, type: type, bytes)
        default: return .skip(.tunnel)
        }
    }

    private mutating func greVersion0(flags: UInt16, type: UInt16, _ bytes: RawSpan) -> Step {
        let (hasChecksum, hasRouting) = (flags & 0x8000 != 0, flags & 0x4000 != 0)
        let (hasKey, hasSequence) = (flags & 0x2000 != 0, flags & 0x1000 != 0)
        // Source routes of the first GRE (RFC 1701) are not in use any more.
        if hasRouting { return .skip(.tunnel) }
        let keyOffset = hasChecksum ? 8 : 4
        let length = keyOffset + (hasKey ? 4 : 0) + (hasSequence ? 4 : 0)
        if let lack = lack(of: length) { return lack }
        if hasKey {
            let key = bytes.bigEndianUInt32(at: start + keyOffset)
            // With bridged Ethernet the last byte may be NVGRE's flow, which differs by direction (RFC 7637, 3.2).
            enter(type == EtherType.transparentBridging ? key >> 8 : key, kind: 2)
        }
        start += length
        switch type {
        case 0x88BE: return erspan(hasHeader: hasSequence, bytes)
        case 0x22EB: return erspan3(bytes)
        case 0x883E: return webCacheRedirect(bytes)
        // Without a protocol: a keep-alive of Cisco's.
        case 0: return .skip(.linkControl)
        default: return .etherType(type)
        }
    }

    private mutating func greVersion1(flags: UInt16, type: UInt16, _ bytes: RawSpan) -> Step {
        if let lack = lack(of: 8) { return lack }
        let payloadLength = Int(bytes.bigEndianUInt16(at: start + 4))
        switch type {
        case EtherType.ppp:
            let length = 8 + (flags & 0x1000 != 0 ? 4 : 0) + (flags & 0x0080 != 0 ? 4 : 0)
            if let lack = lack(of: length) { return lack }
            start += length
            // An acknowledgement alone.
            if payloadLength == 0 { return .skip(.linkControl) }
            return .ppp
        // Ethernet over IP as MikroTik does it: the length, then the tunnel's number, little-endian.
        case 0x6400:
            enter(UInt32(bytes.bigEndianUInt16(at: start + 6).byteSwapped), kind: 3)
            start += 8
            return payloadLength == 0 ? .skip(.linkControl) : .ethernet
        default: return .skip(.tunnel)
        }
    }

    /// Mirrored frames of a switch: type I without a header, type II with one of eight bytes, told by GRE's sequence
    /// number (draft-foschiano-erspan, section 4). The session is not part of the scope: a switch may mirror the two
    /// directions of a port in two sessions.
    private mutating func erspan(hasHeader: Bool, _ bytes: RawSpan) -> Step {
        guard hasHeader else { return .ethernet }
        if let lack = lack(of: 8) { return lack }
        start += 8
        return .ethernet
    }

    /// Type III: twelve bytes, and eight more where the last bit says so. Frame type 0 is Ethernet, 2 is IP.
    private mutating func erspan3(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 12) { return lack }
        let last = bytes[start + 11]
        let frameType = bytes[start + 10] >> 2 & 0x1F
        let length = last & 1 != 0 ? 20 : 12
        if let lack = lack(of: length) { return lack }
        start += length
        switch frameType {
        case 0: return .ethernet
        case 2: return .ip
        default: return .skip(.tunnel)
        }
    }

    /// Web Cache Communication Protocol: version 2 puts four bytes before the IP header, version 1 none.
    private mutating func webCacheRedirect(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 4) { return lack }
        if bytes[start] >> 4 != 4 { start += 4 }
        return .ip
    }

    /// Ethernet in IP: version 3 and reserved bits (RFC 3378, section 2).
    mutating func etherIP(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 2) { return lack }
        guard bytes[start] >> 4 == 3 else { return .skip(.tunnel) }
        start += 2
        return .ethernet
    }
}
