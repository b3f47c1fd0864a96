/// Local networks beside Ethernet: all of them lead to LLC or straight to IP.
extension PacketRemainder {
    /// FDDI (ANSI X3.139): frame control, two addresses, and LLC in the frames that carry any (RFC 1390).
    mutating func fddi(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 1) { return lack }
        // Class and format; the rest is a priority. Others are tokens, station management and implementers' frames.
        let format = bytes[start] & 0x70
        guard format == 0x50 else { return .skip(.linkControl) }
        if let lack = lack(of: 13) { return lack }
        start += 13
        return llc(bytes)
    }

    /// Token Ring (IEEE 802.5): access and frame control, two addresses, source route if the first bit of the source
    /// says so, LLC.
    mutating func tokenRing(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 14) { return lack }
        let (control, isRouted) = (bytes[start + 1], bytes[start + 8] & 0x80 != 0)
        guard control & 0xC0 == 0x40 else { return .skip(.linkControl) }
        start += 14
        guard isRouted else { return llc(bytes) }
        if let lack = lack(of: 2) { return lack }
        let length = Int(bytes[start] & 0x1F)
        guard length >= 2 else { return .skip(.damaged) }
        if let lack = lack(of: length) { return lack }
        start += length
        return llc(bytes)
    }

    /// ARCNET: addresses of a byte, protocol, and for the protocols of RFC 1201 split flag and sequence number.
    /// - Parameter hasOffset: Linux keeps the two bytes that say where the data lay in the card's buffer.
    mutating func arcnet(_ bytes: RawSpan, hasOffset: Bool) -> Step {
        let length = hasOffset ? 5 : 3
        if let lack = lack(of: length) { return lack }
        let type = bytes[start + length - 1]
        start += length
        switch type {
        // RFC 1051: the datagram follows at once.
        case 0xF0: return .ip
        case 0xF1: return .skip(.arp)
        // RFC 1201: IP, ARP, reverse ARP; and IPv6 (RFC 2497).
        case 0xD4, 0xC4: break
        case 0xD5, 0xD6: return .skip(.arp)
        default: return .skip(.etherType)
        }
        if let lack = lack(of: 3) { return lack }
        // An exception frame repeats protocol, flag and number behind a filler: lengths from 253 to 256 cannot be sent.
        if bytes[start] == 0xFF {
            if let lack = lack(of: 7) { return lack }
            start += 4
        }
        // Parts of a datagram are not put together.
        guard bytes[start] == 0 else { return .skip(.fragment) }
        start += 3
        return .ip
    }

    /// IP over InfiniBand: EtherType and two reserved bytes (RFC 4391, section 6).
    /// - Parameter hasRouteHeader: LINKTYPE_IPOIB has the 40 bytes of a global route header before it, filled in or not.
    mutating func infiniBand(_ bytes: RawSpan, hasRouteHeader: Bool) -> Step {
        let length = hasRouteHeader ? 44 : 4
        if let lack = lack(of: length) { return lack }
        let type = bytes.bigEndianUInt16(at: start + length - 4)
        start += length
        return type < 0x0600 ? .skip(.linkControl) : .etherType(type)
    }
}
