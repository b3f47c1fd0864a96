extension PacketRemainder {
    /// An IPv6 header (RFC 8200, section 3). Payload length 0 belongs to a jumbogram (RFC 2675), whose option sets the
    /// length, or to segmentation offload, where the captured length stands in.
    mutating func ipv6(_ bytes: RawSpan) -> Step {
        if let tooDeep = nest() { return tooDeep }
        if let lack = lack(of: 1) { return lack }
        guard bytes[start] >> 4 == 6 else { return .skip(.damaged) }
        if let lack = lack(of: 40) { return lack }
        let payloadLength = Int(bytes.bigEndianUInt16(at: start + 4))
        if payloadLength != 0 { limit(toLength: 40 + payloadLength) }
        // A recording of a proxy writes a talk between an IPv4 and an IPv6 address with the former mapped.
        source = IPAddress(ipv6High: bytes.bigEndianUInt64(at: start + 8), low: bytes.bigEndianUInt64(at: start + 16)).unmapped
        destination = IPAddress(ipv6High: bytes.bigEndianUInt64(at: start + 24), low: bytes.bigEndianUInt64(at: start + 32)).unmapped
        let next = bytes[start + 6]
        start += 40
        if payloadLength == 0, next == IPProtocol.hopByHop { return jumbogram(bytes) }
        return .ipProtocol(next)
    }

    /// An extension header of the common form: next header, length in words of eight bytes less one
    /// (RFC 8200, section 4).
    mutating func extensionHeader(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 8) { return lack }
        let length = (Int(bytes[start + 1]) + 1) * 8
        if let lack = lack(of: length) { return lack }
        let next = bytes[start]
        start += length
        return .ipProtocol(next)
    }

    mutating func hopByHopOptions(_ bytes: RawSpan) -> Step { extensionHeader(bytes) }

    /// Hop-by-hop options behind a payload length of 0: the jumbo payload option, if there, has the length, counted
    /// from the end of the IPv6 header (RFC 2675, section 2).
    private mutating func jumbogram(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 8) { return lack }
        let length = (Int(bytes[start + 1]) + 1) * 8
        if let lack = lack(of: length) { return lack }
        var offset = start + 2
        while offset + 1 < start + length {
            // Option 0 is a single byte of padding.
            guard bytes[offset] != 0 else {
                offset += 1
                continue
            }
            let optionLength = Int(bytes[offset + 1])
            if bytes[offset] == 0xC2, optionLength == 4, offset + 6 <= start + length {
                let jumboLength = Int(bytes.bigEndianUInt32(at: offset + 2))
                guard jumboLength >= length else { return .skip(.damaged) }
                limit(toLength: jumboLength)
                break
            }
            offset += 2 + optionLength
        }
        return extensionHeader(bytes)
    }

    /// A routing header. While segments are left, the IPv6 header names the next stop; the conversation is with the
    /// last one: the last address of type 0 (RFC 2460, 4.4), the only one of type 2 (RFC 6275, 6.4), the first in the
    /// list of type 4 (RFC 8754, section 2).
    mutating func routingHeader(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 8) { return lack }
        let length = (Int(bytes[start + 1]) + 1) * 8
        if let lack = lack(of: length) { return lack }
        if bytes[start + 3] != 0, length >= 24 {
            // Other types compress the list or keep it elsewhere: the address stays the header's.
            let type = bytes[start + 2]
            if type == 0 { final(bytes, at: start + 8 + (length - 8) / 16 * 16 - 16) }
            if type == 2 || type == 4 { final(bytes, at: start + 8) }
        }
        return extensionHeader(bytes)
    }

    private mutating func final(_ bytes: RawSpan, at offset: Int) {
        destination = IPAddress(ipv6High: bytes.bigEndianUInt64(at: offset), low: bytes.bigEndianUInt64(at: offset + 8))
    }

    /// A fragment header (RFC 8200, section 4.5). One that is whole by itself is read at once, without regard to
    /// others of its identification (RFC 6946).
    mutating func fragmentHeader(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 8) { return lack }
        let next = bytes[start]
        let field = bytes.bigEndianUInt16(at: start + 2)
        let identification = bytes.bigEndianUInt32(at: start + 4)
        start += 8
        let hasMore = field & 1 != 0
        let offset = Int(field & 0xFFF8)
        guard hasMore || offset != 0 else { return .ipProtocol(next) }
        // Only the first fragment's next header counts, so the others cannot be told apart by it.
        if offset == 0, let reason = IPProtocol.skipReason(next) { return .skip(reason) }
        return .fragment(
            Fragment(identification: identification, keyProtocol: 0, ipProtocol: next, offset: offset, hasMore: hasMore))
    }
}
