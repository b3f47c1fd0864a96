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
        let flags = TCPFlags(rawValue: bytes[start + 13])
        return .segment(
            SegmentHeader(
                source: Endpoint(address: source, port: bytes.bigEndianUInt16(at: start)),
                destination: Endpoint(address: destination, port: bytes.bigEndianUInt16(at: start + 2)),
                scope: scope,
                sequence: bytes.bigEndianUInt32(at: start + 4),
                acknowledgement: bytes.bigEndianUInt32(at: start + 8),
                flags: flags,
                window: bytes.bigEndianUInt16(at: start + 14),
                windowScale: flags.contains(.syn) ? WindowScale(options: bytes, from: start + 20, to: start + headerLength) : .unknown,
                payload: ByteRange(payloadStart..<end),
                payloadLength: wireCount - headerLength,
                isDefragmented: isDefragmented,
                place: place))
    }
}

/// What a SYN says about the scale of its sender's windows (RFC 7323, section 2.2).
package enum WindowScale: Equatable, Sendable {
    /// No SYN was seen, or the capture cut its options.
    case unknown
    /// The SYN has no such option: neither side scales.
    case absent
    /// Windows count in units of so many doublings, at most 14 (section 2.3).
    case shift(UInt8)

    /// Reads the options of a SYN, which lie at `start..<end` on the wire.
    init(options bytes: RawSpan, from start: Int, to end: Int) {
        guard end <= bytes.byteCount else {
            self = .unknown
            return
        }
        var offset = start
        // Option 0 ends the list, 1 is a single byte of padding, every other one has its length.
        while offset < end, bytes[offset] != 0 {
            if bytes[offset] == 1 {
                offset += 1
                continue
            }
            guard offset + 1 < end, bytes[offset + 1] >= 2 else { break }
            let length = Int(bytes[offset + 1])
            if bytes[offset] == 3, length == 3, offset + 2 < end {
                self = .shift(min(bytes[offset + 2], 14))
                return
            }
            offset += length
        }
        self = .absent
    }
}
