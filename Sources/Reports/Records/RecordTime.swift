import Dissection

/// The `time` of records, with the text of the last second kept: most records share it with the one before.
struct RecordTime {
    private var seconds = Int64.min
    /// `,"time":"2026-11-20T21:48:00.`, and three bytes of nothing.
    private var text = SIMD32<UInt8>()
    private let length = 29

    /// Appends the key and the moment with nine places: RFC 3339, UTC.
    @inline(__always)
    mutating func append(_ time: Timestamp, to buffer: inout OutputBuffer) {
        let (seconds, nanoseconds) = time.parts
        if seconds != self.seconds { compose(seconds) }
        buffer.reserve(48)
        buffer.next.storeBytes(of: text, as: SIMD32<UInt8>.self)
        buffer.advance(by: length)
        let fraction = UInt64(bitPattern: nanoseconds)
        buffer.append(0x30 + UInt8(truncatingIfNeeded: fraction / 100_000_000))
        buffer.appendEight(fraction % 100_000_000)
        buffer.append("Z\"")
    }

    @inline(never)
    private mutating func compose(_ seconds: Int64) {
        var scratch = OutputBuffer(capacity: 64)
        scratch.append(",\"time\":\"")
        scratch.append(Calendar(seconds: seconds), between: 0x54)
        scratch.append(0x2e)
        for (index, byte) in scratch.bytes.enumerated() where index < text.scalarCount { text[index] = byte }
        self.seconds = seconds
    }
}
