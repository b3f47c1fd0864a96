/// The checksum of a TCP segment or UDP datagram in IPv4 (RFC 9293, section 3.1; RFC 768).
///
/// Not judged where a packet comes whole: the sending machine shows it before the network card has filled it in. Fragments are made behind
/// that point, so there it tells two datagrams from one.
enum TransportChecksum {
    /// Whether it is right. Nil where it cannot be told: another protocol, or none was filled in.
    ///
    /// - Parameter bytes: All bytes of the segment or datagram.
    static func isRight(_ bytes: RawSpan, ipProtocol: UInt8, source: IPAddress, destination: IPAddress) -> Bool? {
        let field: Int
        switch ipProtocol {
        case IPProtocol.tcp: field = 16
        case IPProtocol.udp: field = 6
        case _: return nil
        }
        guard bytes.byteCount >= field + 2, bytes.byteCount <= 0xFFFF, bytes.bigEndianUInt16(at: field) != 0 else { return nil }
        // 65,535 bytes at most, so the sum stays far below 2^64.
        var sum = UInt64(ipProtocol) + UInt64(bytes.byteCount)
        for address in [source.low, destination.low] { sum += (address >> 16 & 0xFFFF) + (address & 0xFFFF) }
        var index = 0
        while index + 1 < bytes.byteCount {
            sum += UInt64(bytes.bigEndianUInt16(at: index))
            index += 2
        }
        if index < bytes.byteCount { sum += UInt64(bytes[index]) << 8 }
        while sum > 0xFFFF { sum = (sum & 0xFFFF) + (sum >> 16) }
        return sum == 0xFFFF
    }
}
