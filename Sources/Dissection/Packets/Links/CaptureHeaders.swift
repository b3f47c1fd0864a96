/// Headers that the capturing system puts before a packet of another link type.
extension PacketRemainder {
    /// Per-Packet Information: version, flags, length and link type, little-endian.
    mutating func ppi(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 8) { return lack }
        let length = Int(bytes.bigEndianUInt16(at: start + 2).byteSwapped)
        let type = bytes.bigEndianUInt32(at: start + 4).byteSwapped
        guard bytes[start] == 0, length >= 8 else { return .skip(.damaged) }
        if let lack = lack(of: length) { return lack }
        start += length
        return .link(LinkType(rawValue: type))
    }

    /// Apple's packet metadata (pktap): header length, record type, link type, …, little-endian. Type 1 is a packet. What it says of the process
    /// is read by `PacketProcess`.
    mutating func pktap(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 12) { return lack }
        let length = bytes.bigEndianUInt32(at: start).byteSwapped
        let record = bytes.bigEndianUInt32(at: start + 4).byteSwapped
        let type = bytes.bigEndianUInt32(at: start + 8).byteSwapped
        guard length >= 12, length <= 0xFFFF else { return .skip(.damaged) }
        guard record == 1 else { return .skip(.linkControl) }
        if let lack = lack(of: Int(length)) { return lack }
        start += Int(length)
        return .link(LinkType(rawValue: type))
    }

    /// Juniper's header (LINKTYPE_JUNIPER_ETHER): magic number, flags, extensions of a length if flagged, the frame.
    mutating func juniper(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 4) { return lack }
        guard bytes.bigEndianUInt24(at: start) == 0x4D4743 else { return .skip(.damaged) }
        let flags = bytes[start + 3]
        start += 4
        if flags & 0x80 != 0 {
            if let lack = lack(of: 2) { return lack }
            let length = 2 + Int(bytes.bigEndianUInt16(at: start))
            if let lack = lack(of: length) { return lack }
            start += length
        }
        // 0x02: there is no link header; then the next four bytes tell a family, which only the routing engine knows.
        return flags & 0x02 == 0 ? .ethernet : .skip(.etherType)
    }

    /// Microsoft Network Monitor's header of IEEE 802.11 frames: version 2 and length, little-endian.
    mutating func networkMonitor80211(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 3) { return lack }
        let length = Int(bytes.bigEndianUInt16(at: start + 1).byteSwapped)
        guard bytes[start] == 2, length >= 32 else { return .skip(.damaged) }
        if let lack = lack(of: length) { return lack }
        start += length
        return ieee80211(bytes, isPadded: false)
    }

    /// Linux netfilter log (LINKTYPE_NFLOG): family, version, resource, then attributes of length, type and value,
    /// filled up to four bytes, in the order of the machine that captured. Type 9 is the packet, from its network header
    /// on; type 1 has the EtherType that the link header had.
    mutating func nflog(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 4) { return lack }
        let family = bytes[start]
        guard bytes[start + 1] == 0 else { return .skip(.damaged) }
        start += 4
        var etherType: UInt16?
        while true {
            if let lack = lack(of: 4) { return lack }
            var length = bytes.bigEndianUInt16(at: start).byteSwapped
            var type = bytes.bigEndianUInt16(at: start + 2).byteSwapped
            // Types are below 256, so the order shows; the two upper bits are flags of netlink.
            if type & 0x3FFF > 0xFF {
                length = length.byteSwapped
                type = type.byteSwapped
            }
            guard length >= 4 else { return .skip(.damaged) }
            if type & 0x3FFF == 9 {
                start += 4
                limit(toLength: Int(length) - 4)
                return nflogPayload(family, etherType)
            }
            let padded = (Int(length) + 3) & ~3
            if let lack = lack(of: padded) { return lack }
            // In network order whatever the machine's is.
            if type & 0x3FFF == 1, length >= 6 { etherType = bytes.bigEndianUInt16(at: start + 4) }
            start += padded
        }
    }

    private func nflogPayload(_ family: UInt8, _ etherType: UInt16?) -> Step {
        switch family {
        // AF_INET and AF_INET6 of Linux, and rules for both (AF_UNSPEC, NFPROTO_INET).
        case 0, 1, 2, 10: return .ip
        // NFPROTO_ARP.
        case 3: return .skip(.arp)
        // NFPROTO_NETDEV and NFPROTO_BRIDGE see every protocol.
        case 5, 7:
            guard let etherType else { return .skip(.etherType) }
            return etherType < 0x0600 ? .skip(.linkControl) : .etherType(etherType)
        default: return .skip(.etherType)
        }
    }
}
