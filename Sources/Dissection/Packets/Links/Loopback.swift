extension PacketRemainder {
    /// BSD loopback: a protocol family in four bytes, for link type 0 in the order of the machine that captured, for
    /// link type 108 in network order. Families are small, so the order shows; both are read for both.
    mutating func loopback(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 4) { return lack }
        var family = bytes.bigEndianUInt32(at: start)
        if family > 0xFFFF { family = family.byteSwapped }
        start += 4
        switch family {
        case 2: return .etherType(EtherType.ipv4)
        // AF_INET6 of Linux, of NetBSD and OpenBSD, of FreeBSD, of Darwin.
        case 10, 24, 28, 30: return .etherType(EtherType.ipv6)
        // Some systems put an EtherType there.
        case 0x0600...0xFFFF: return .etherType(UInt16(truncatingIfNeeded: family))
        default: return .skip(.etherType)
        }
    }
}
