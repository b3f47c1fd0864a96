extension PacketRemainder {
    /// An IPv4 header (RFC 791, section 3.1).
    ///
    /// A total length of 0 is what a capture on the sending machine shows of a packet that the card will cut up: the
    /// captured length stands in for it. A total length beyond the packet is believed; the bytes count as cut.
    mutating func ipv4(_ bytes: RawSpan) -> Step {
        if let tooDeep = nest() { return tooDeep }
        if let lack = lack(of: 1) { return lack }
        let headerLength = Int(bytes[start] & 0x0F) * 4
        guard bytes[start] >> 4 == 4, headerLength >= 20 else { return .skip(.damaged) }
        if let lack = lack(of: 20) { return lack }
        let totalLength = Int(bytes.bigEndianUInt16(at: start + 2))
        if totalLength != 0 {
            guard totalLength >= headerLength else { return .skip(.damaged) }
            limit(toLength: totalLength)
        }
        if let lack = lack(of: headerLength) { return lack }
        source = IPAddress(ipv4: bytes.bigEndianUInt32(at: start + 12))
        destination = IPAddress(ipv4: bytes.bigEndianUInt32(at: start + 16))
        let ipProtocol = bytes[start + 9]
        let fragmentation = bytes.bigEndianUInt16(at: start + 6)
        let identification = UInt32(bytes.bigEndianUInt16(at: start + 4))
        start += headerLength
        let hasMore = fragmentation & 0x2000 != 0
        let offset = Int(fragmentation & 0x1FFF) * 8
        guard hasMore || offset != 0 else { return .ipProtocol(ipProtocol) }
        // What is not looked into when whole need not be put together either.
        if let reason = IPProtocol.skipReason(ipProtocol) { return .skip(reason) }
        return .fragment(
            Fragment(
                identification: identification, keyProtocol: ipProtocol, ipProtocol: ipProtocol, offset: offset, hasMore: hasMore))
    }
}
