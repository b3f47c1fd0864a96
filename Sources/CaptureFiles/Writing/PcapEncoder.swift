import Dissection

/// Encodes a pcap file into a buffer (draft-ietf-opsawg-pcap), little-endian.
public struct PcapEncoder: Sendable {
    /// What was encoded and not yet taken away.
    public var buffer: [UInt8] = []
    private let isNanoseconds: Bool

    /// Writes the file header.
    ///
    /// - Parameter isNanoseconds: whether times are kept in nanoseconds; in microseconds otherwise, rounded down.
    public init(linkType: LinkType, isNanoseconds: Bool = true, snapshotLength: UInt32 = 262_144) {
        self.isNanoseconds = isNanoseconds
        append(isNanoseconds ? 0xA1B2_3C4D : 0xA1B2_C3D4)
        append(4 << 16 | 2)
        append(0)
        append(0)
        append(snapshotLength)
        append(linkType.rawValue)
    }

    /// Adds a packet. Times outside the years 1970 to 2106 become 0; no more than 16 MiB of the bytes are kept.
    public mutating func addPacket(_ bytes: RawSpan, time: Timestamp?, originalLength: UInt32? = nil) {
        let kept = bytes.extracting(0..<min(bytes.byteCount, 16 << 20))
        let nanoseconds = max(0, time?.nanoseconds ?? 0)
        let seconds = UInt32(exactly: nanoseconds / 1_000_000_000)
        let fraction = UInt32(truncatingIfNeeded: nanoseconds % 1_000_000_000)
        append(seconds ?? 0)
        append(seconds == nil ? 0 : isNanoseconds ? fraction : fraction / 1_000)
        append(UInt32(kept.byteCount))
        append(originalLength ?? UInt32(clamping: bytes.byteCount))
        buffer.append(copying: kept)
    }

    private mutating func append(_ value: UInt32) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) { buffer.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}
