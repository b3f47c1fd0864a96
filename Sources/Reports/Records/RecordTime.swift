import Dissection

/// The `time` of records, with the text of the last second kept: most records share it with the one before.
struct RecordTime {
    private var seconds = Int64.min
    /// `,"time":"2026-11-20T21:48:00.`, and three bytes of nothing.
    private var text = SIMD32<UInt8>()
    private static let length = 29

    /// Appends the key and the moment with nine places: RFC 3339, UTC.
    @inline(__always)
    mutating func append(_ time: Timestamp, to writer: inout OutputStretch) {
        let (seconds, nanoseconds) = time.parts
        if seconds != self.seconds { compose(seconds) }
        writer.append(first: RecordTime.length, of: text)
        writer.appendDigits(UInt64(bitPattern: nanoseconds), width: 9)
        writer.append("Z\"")
    }

    @inline(never)
    private mutating func compose(_ seconds: Int64) {
        var scratch = OutputBuffer(capacity: 64)
        scratch.append(.time)
        scratch.append(0x22)
        scratch.append(CivilTime(seconds: seconds), between: 0x54)
        scratch.append(0x2e)
        let bytes = scratch.bytes
        for index in 0..<min(bytes.byteCount, text.scalarCount) { text[index] = bytes[index] }
        self.seconds = seconds
    }
}
