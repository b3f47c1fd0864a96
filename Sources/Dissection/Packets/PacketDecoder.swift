/// Takes the headers off captured packets, from the link layer to the TCP header.
///
/// A value without input or output of its own. What it keeps between packets is the fragments of IP datagrams that are
/// not whole yet, within `Limits`. Checksums are not judged: a capture on the sending machine shows them before the
/// network card has filled them in.
package struct PacketDecoder: Sendable {
    /// The bytes of the datagram that the last packet completed: where `SegmentHeader.payload` lies when
    /// `isDefragmented` is set. Valid until the next call of `decode`.
    package private(set) var defragmented: [UInt8] = []
    /// The datagram in which a fragmented tunnel carries fragments.
    private var spare: [UInt8] = []
    private var fragments: FragmentTable

    /// - Parameter limits: An eighth of `totalBytes`, but no more than 4 MiB, may hold fragments.
    package init(limits: Limits = Limits()) {
        fragments = FragmentTable(bytes: min(limits.totalBytes / 8, 4 << 20))
    }

    /// Moves `defragmented` out, so that a segment in it can be lent while the decoder may change; `giveBack` returns it.
    package mutating func takeDefragmented() -> [UInt8] {
        var bytes: [UInt8] = []
        swap(&bytes, &defragmented)
        return bytes
    }

    /// Takes the buffer back for the next datagram.
    package mutating func giveBack(_ bytes: [UInt8]) { defragmented = bytes }

    /// Datagrams whose fragments were given up: too old, too many, or over the bytes that may be kept.
    package var abandonedDatagrams: UInt64 { fragments.abandoned }

    /// Packets that were told as `.fragment` and whose datagrams have become whole since, over the whole run.
    package var joinedFragments: UInt64 { fragments.joined }

    /// Takes what the last packet has shown of fragments that contradict each other.
    mutating func takeFragmentConflict() -> FragmentTable.Conflict? {
        guard let conflict = fragments.conflict else { return nil }
        fragments.conflict = nil
        return conflict
    }

    /// Datagrams some of whose fragments have come and wait for the others.
    package var unfinishedDatagrams: Int { fragments.count }

    /// Bytes that fragments occupy at the moment.
    package var fragmentBytes: Int { fragments.bytesHeld }

    /// Decodes one packet.
    ///
    /// A header that the capture cut is `.truncated`, one that contradicts itself `.damaged`; everything else that
    /// holds no TCP is told by kind.
    ///
    /// Most packets need no more than `PlainSegment`, which whoever has many asks first.
    package mutating func decode(_ packet: borrowing CapturedPacket) -> PacketOutcome {
        if let plain = PlainSegment(packet) { return .segment(plain.header(of: packet)) }
        return Self.unwrap(packet, fragments: &fragments, defragmented: &defragmented, spare: &spare)
    }

    /// Any packet, header by header.
    ///
    /// A completed datagram is read in a further round, out of its own buffer. The rounds end because each needs an IP
    /// header and those are counted.
    @inline(never)
    private static func unwrap(
        _ packet: borrowing CapturedPacket, fragments: inout FragmentTable, defragmented: inout [UInt8], spare: inout [UInt8]
    ) -> PacketOutcome {
        var rest = PacketRemainder(packet)
        var step = rest.walk(packet.bytes, from: .link(packet.linkType), fragments: &fragments, into: &defragmented)
        if case .tcp = step { return rest.segment(packet.bytes, isDefragmented: false) }
        while case .reassembled(let ipProtocol) = step {
            step = rest.walk(defragmented.rawBytes, from: .ipProtocol(ipProtocol), fragments: &fragments, into: &spare)
            if case .tcp = step { return rest.segment(defragmented.rawBytes, isDefragmented: true) }
            if case .reassembled = step { swap(&defragmented, &spare) }
        }
        guard case .skip(let reason) = step else { return .skipped(.damaged) }
        return .skipped(reason)
    }
}

/// The commonest packet by far, in one go: Ethernet without tags, IPv4 without options or fragments, TCP.
///
/// Whether a packet is one, and its header, are asked for apart: a header that may be there is copied from place to place, and that
/// costs more than the decoding.
struct PlainSegment {
    /// Where the payload begins and ends.
    private let start: Int
    private let end: Int
    /// Where it ends on the wire.
    private let wireEnd: Int

    /// Nil for anything else, or where anything is wrong: `decode` has to say what.
    @inline(__always)
    init?(_ packet: borrowing CapturedPacket) {
        let bytes = packet.bytes
        guard packet.linkType == .ethernet, bytes.byteCount >= 54, bytes.bigEndianUInt16(at: 12) == EtherType.ipv4, bytes[14] == 0x45,
            bytes[23] == IPProtocol.tcp, bytes.bigEndianUInt16(at: 20) & 0x3FFF == 0
        else { return nil }
        let totalLength = Int(bytes.bigEndianUInt16(at: 16))
        let headerLength = Int(bytes[46] >> 4) * 4
        guard headerLength >= 20, 20 + headerLength <= totalLength, 34 + headerLength <= bytes.byteCount else { return nil }
        start = 34 + headerLength
        wireEnd = 14 + totalLength
        end = min(wireEnd, bytes.byteCount)
    }

    /// The header of the packet that this was made from.
    @inline(__always)
    func header(of packet: borrowing CapturedPacket) -> SegmentHeader {
        let bytes = packet.bytes
        let flags = TCPFlags(rawValue: bytes[47])
        return SegmentHeader(
            source: Endpoint(address: IPAddress(ipv4: bytes.bigEndianUInt32(at: 26)), port: bytes.bigEndianUInt16(at: 34)),
            destination: Endpoint(address: IPAddress(ipv4: bytes.bigEndianUInt32(at: 30)), port: bytes.bigEndianUInt16(at: 36)),
            sequence: bytes.bigEndianUInt32(at: 38), acknowledgement: bytes.bigEndianUInt32(at: 42),
            flags: flags, window: bytes.bigEndianUInt16(at: 48),
            windowScale: flags.contains(.syn) ? WindowScale(options: bytes, from: 54, to: start) : .unknown,
            payload: ByteRange(start: start, count: end - start), payloadLength: wireEnd - start,
            place: Place(time: packet.time, packets: PacketRange(packet.number)))
    }

    /// The captured payload of the packet that this was made from.
    @inline(__always)
    @_lifetime(copy packet)
    func payload(of packet: borrowing CapturedPacket) -> RawSpan { packet.bytes.extracting(start..<end) }
}
