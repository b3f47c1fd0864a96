extension PacketRemainder {
    /// The TCP header (RFC 9293, section 3.1) at `start`, and where the payload behind it lies.
    ///
    /// Options that the capture cut say nothing that a segment needs: its place in the stream, its flags and the length
    /// of its payload are known without them.
    func segment(_ bytes: RawSpan, isDefragmented: Bool) -> PacketOutcome {
        if case .skip(let reason) = lack(of: 20) { return .skipped(reason) }
        let headerLength = Int(bytes[start + 12] >> 4) * 4
        guard headerLength >= 20 else { return .skipped(.damaged) }
        guard wireCount >= headerLength else { return .skipped(.damaged) }
        let payloadStart = min(start + headerLength, end)
        return .segment(
            SegmentHeader(
                source: Endpoint(address: source, port: bytes.bigEndianUInt16(at: start)),
                destination: Endpoint(address: destination, port: bytes.bigEndianUInt16(at: start + 2)),
                scope: scope,
                sequence: bytes.bigEndianUInt32(at: start + 4),
                acknowledgement: bytes.bigEndianUInt32(at: start + 8),
                flags: TCPFlags(rawValue: bytes[start + 13]),
                window: bytes.bigEndianUInt16(at: start + 14),
                payload: ByteRange(payloadStart..<end),
                payloadLength: wireCount - headerLength,
                isDefragmented: isDefragmented,
                place: place))
    }
}
