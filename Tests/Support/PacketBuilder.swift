/// Builds packets header by header, from the inside out: each function puts a header before the bytes it is given.
///
///     let packet = PacketBuilder.ethernet(
///         PacketBuilder.ipv4(from: 0x0A000005, to: 0x0A000009, PacketBuilder.tcp(from: 51_422, to: 80, flags: 0x18, Array("GET /".utf8))))
///
/// Lengths and checksums are right unless a parameter overrides the length. Addresses of IPv4 are numbers, those of IPv6
/// are 16 bytes.
package enum PacketBuilder {
    /// Two bytes in network order.
    package static func bytes(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

    /// Four bytes in network order.
    package static func bytes(_ value: UInt32) -> [UInt8] { bytes(UInt16(value >> 16)) + bytes(UInt16(value & 0xFFFF)) }

    /// An Ethernet frame, its EtherType IPv4 unless told. `padded` fills it up to 60 bytes as the wire does.
    package static func ethernet(_ payload: [UInt8], type: UInt16 = 0x0800, padded: Bool = false) -> [UInt8] {
        let frame: [UInt8] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1] + bytes(type) + payload
        guard padded, frame.count < 60 else { return frame }
        return frame + Array(repeating: 0, count: 60 - frame.count)
    }

    /// A VLAN tag and the EtherType behind it. The tag's own EtherType stands in the header before it.
    package static func vlan(_ identifier: UInt16, _ payload: [UInt8], type: UInt16 = 0x0800) -> [UInt8] {
        bytes(identifier) + bytes(type) + payload
    }

    /// An IPv4 packet.
    /// - Parameters:
    ///   - fragmentOffset: In bytes, a multiple of eight.
    ///   - totalLength: In place of the right one.
    package static func ipv4(
        from source: UInt32 = 0x0A00_0005, to destination: UInt32 = 0x0A00_0009, _ payload: [UInt8], ipProtocol: UInt8 = 6,
        identification: UInt16 = 1, fragmentOffset: Int = 0, hasMore: Bool = false, options: [UInt8] = [], totalLength: Int? = nil
    ) -> [UInt8] {
        let headerLength = 20 + options.count
        var header: [UInt8] = [0x40 | UInt8(headerLength / 4), 0]
        header += bytes(UInt16(totalLength ?? headerLength + payload.count)) + bytes(identification)
        header += bytes(UInt16(fragmentOffset / 8) | (hasMore ? 0x2000 : 0)) + [64, ipProtocol, 0, 0]
        header += bytes(source) + bytes(destination) + options
        let sum = checksum(header)
        header.replaceSubrange(10..<12, with: bytes(sum))
        let isWhole = fragmentOffset == 0 && !hasMore
        guard ipProtocol == 6, isWhole, payload.count >= 20 else { return header + payload }
        return header + withTCPChecksum(payload, addresses: bytes(source) + bytes(destination))
    }

    /// An IPv6 packet; `next` names the first header in `payload`.
    package static func ipv6(
        from source: [UInt8] = address6(5), to destination: [UInt8] = address6(9), _ payload: [UInt8], next: UInt8 = 6,
        payloadLength: Int? = nil
    ) -> [UInt8] {
        let header = [0x60, 0, 0, 0] + bytes(UInt16(payloadLength ?? payload.count)) + [next, 64] + source + destination
        guard next == 6, payload.count >= 20 else { return header + payload }
        return header + withTCPChecksum(payload, addresses: source + destination)
    }

    /// An address of documentation, 2001:db8:: with the last byte given.
    package static func address6(_ last: UInt8) -> [UInt8] { [0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [last] }

    /// An IPv6 fragment header before its part of the datagram.
    package static func fragment6(_ part: [UInt8], next: UInt8 = 6, offset: Int, hasMore: Bool, identification: UInt32 = 1) -> [UInt8] {
        [next, 0] + bytes(UInt16(offset) | (hasMore ? 1 : 0)) + bytes(identification) + part
    }

    /// A TCP segment; its checksum is filled in by the IP header put before it.
    /// - Parameters:
    ///   - flags: 0x02 SYN, 0x10 ACK, 0x18 PSH and ACK, 0x11 FIN and ACK, 0x04 RST.
    ///   - options: A multiple of four bytes.
    package static func tcp(
        from source: UInt16 = 51_422, to destination: UInt16 = 8_080, sequence: UInt32 = 1, acknowledgement: UInt32 = 1,
        flags: UInt8 = 0x18, window: UInt16 = 65_535, options: [UInt8] = [], _ payload: [UInt8] = []
    ) -> [UInt8] {
        bytes(source) + bytes(destination) + bytes(sequence) + bytes(acknowledgement)
            + [UInt8(5 + options.count / 4) << 4, flags] + bytes(window) + [0, 0, 0, 0] + options + payload
    }

    /// A UDP datagram without checksum.
    package static func udp(from source: UInt16 = 40_000, to destination: UInt16, _ payload: [UInt8]) -> [UInt8] {
        bytes(source) + bytes(destination) + bytes(UInt16(8 + payload.count)) + [0, 0] + payload
    }

    /// A packet for `pcap`.
    package struct Record {
        package var nanoseconds: UInt64
        package var bytes: [UInt8]
        package var originalLength: Int

        /// - Parameter originalLength: What it had on the wire, if more than `bytes`.
        package init(nanoseconds: UInt64 = 0, _ bytes: [UInt8], originalLength: Int? = nil) {
            self.nanoseconds = nanoseconds
            self.bytes = bytes
            self.originalLength = originalLength ?? bytes.count
        }
    }

    /// A capture file: pcap, big-endian, with times in nanoseconds.
    package static func pcap(_ records: [Record], linkType: UInt32 = 1) -> [UInt8] {
        var file = bytes(0xA1B2_3C4D as UInt32) + bytes(2 as UInt16) + bytes(4 as UInt16) + bytes(0 as UInt32)
        file += bytes(0 as UInt32) + bytes(262_144 as UInt32) + bytes(linkType)
        for record in records {
            file += bytes(UInt32(record.nanoseconds / 1_000_000_000)) + bytes(UInt32(record.nanoseconds % 1_000_000_000))
            file += bytes(UInt32(record.bytes.count)) + bytes(UInt32(record.originalLength)) + record.bytes
        }
        return file
    }

    /// The internet checksum (RFC 1071).
    private static func checksum(_ bytes: [UInt8]) -> UInt16 {
        var sum: UInt32 = 0
        for (index, byte) in bytes.enumerated() { sum += index % 2 == 0 ? UInt32(byte) << 8 : UInt32(byte) }
        while sum > 0xFFFF { sum = (sum & 0xFFFF) + (sum >> 16) }
        return ~UInt16(sum)
    }

    private static func withTCPChecksum(_ segment: [UInt8], addresses: [UInt8]) -> [UInt8] {
        var segment = segment
        segment.replaceSubrange(16..<18, with: [0, 0])
        let sum = checksum(addresses + [0, 6] + bytes(UInt16(segment.count)) + segment)
        segment.replaceSubrange(16..<18, with: bytes(sum))
        return segment
    }
}
