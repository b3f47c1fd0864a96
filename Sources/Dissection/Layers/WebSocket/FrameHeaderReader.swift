/// Puts a frame header together (RFC 6455, section 5.2), however its 2 to 14 bytes are cut into runs.
///
/// The bytes stand in two words, the first byte highest, so that a header is read from registers:
///
/// ```
///          high                            low
/// 7 bit    F L m m m m . .
/// 16 bit   F L l l m m m m                 . . .
/// 64 bit   F L l l l l l l                 l l m m m m . .
/// ```
struct FrameHeaderReader {
    private var high: UInt64 = 0
    private var low: UInt64 = 0
    /// Bytes that came so far, at most 14.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The header that starts at `position`, if all of it is in `bytes`.
    @inline(__always)
    static func header(in bytes: RawSpan, at position: Int) -> FrameHeader? {
        if position + 16 <= bytes.byteCount {
            return header(bytes.bigEndianUInt64(at: position), bytes.bigEndianUInt64(at: position + 8))
        }
        var reader = FrameHeaderReader()
        var next = position
        return reader.take(bytes, &next)
    }

    /// Takes bytes from `position` on until the header is whole; then returns it and is empty again.
    mutating func take(_ bytes: RawSpan, _ position: inout Int) -> FrameHeader? {
        while position < bytes.byteCount {
            append(bytes[position])
            position += 1
            if count >= 2, count == FrameHeaderReader.length(high) {
                let header = FrameHeaderReader.header(high, low)
                self = FrameHeaderReader()
                return header
            }
        }
        return nil
    }

    /// The bytes that came so far.
    var bytes: [UInt8] {
        (0..<count).map { (index: Int) -> UInt8 in
            let word = index < 8 ? high : low
            return UInt8(truncatingIfNeeded: word >> UInt64(56 - index % 8 * 8))
        }
    }

    private mutating func append(_ byte: UInt8) {
        if count < 8 {
            high |= UInt64(byte) << UInt64(56 - count * 8)
        } else {
            low |= UInt64(byte) << UInt64(120 - count * 8)
        }
        count += 1
    }

    /// Bytes of a header whose first two are in `high`.
    @inline(__always)
    private static func length(_ high: UInt64) -> Int {
        let mask = high >> 53 & 4
        return switch high >> 48 & 0x7F {
        case 126: 4 + Int(mask)
        case 127: 10 + Int(mask)
        default: 2 + Int(mask)
        }
    }

    @inline(__always)
    private static func header(_ high: UInt64, _ low: UInt64) -> FrameHeader {
        let first = UInt8(truncatingIfNeeded: high >> 56)
        let masked = high >> 55 & 1 == 1
        let length: UInt64
        let key: UInt64
        switch high >> 48 & 0x7F {
        case 126: (length, key) = (high >> 32 & 0xFFFF, high)
        case 127: (length, key) = (high << 16 | low >> 48, low >> 16)
        case let short: (length, key) = (short, high >> 16)
        }
        return FrameHeader(
            opcode: first & 0x0F, fin: first & 0x80 != 0, rsv: first >> 4 & 7, masked: masked,
            maskingKey: masked ? UInt32(truncatingIfNeeded: key) : 0, length: length,
            headerLength: UInt8(FrameHeaderReader.length(high)))
    }
}

extension FrameHeader {
    /// Opcodes with the highest bit are control frames, known or not (RFC 6455, section 5.2).
    var isControl: Bool { opcode & 0x8 != 0 }

    /// The opcode has a meaning in RFC 6455.
    var hasKnownOpcode: Bool { opcode <= 2 || (8...10).contains(opcode) }

    /// The length is written in no more bytes than it needs.
    var hasMinimalLength: Bool {
        switch headerLength - (masked ? 4 : 0) {
        case 4: length > 125
        case 10: length > 0xFFFF
        default: true
        }
    }

    /// The per-message-compressed bit (RFC 7692, section 6).
    var rsv1: Bool { rsv & 4 != 0 }
}
