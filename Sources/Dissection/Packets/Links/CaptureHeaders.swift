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

    /// Apple's packet metadata (pktap): header length, record type, link type, …, little-endian. Type 1 is a packet.
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

    /// Linux netfilter log (LINKTYPE_NFLOG): family, version, resource, then attributes of length, type and value,
    /// filled up to four bytes, in the order of the machine that captured. Type 9 is the packet.
    mutating func nflog(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 4) { return lack }
        let family = bytes[start]
        guard bytes[start + 1] == 0 else { return .skip(.damaged) }
        start += 4
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
                // AF_INET and AF_INET6 of Linux, and rules for both (AF_UNSPEC, NFPROTO_INET).
                return [0, 1, 2, 10].contains(family) ? .ip : .skip(.etherType)
            }
            let padded = (Int(length) + 3) & ~3
            if let lack = lack(of: padded) { return lack }
            start += padded
        }
    }
}
