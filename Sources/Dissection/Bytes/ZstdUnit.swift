/// What a frame of Zstandard is made of (RFC 8878, section 3.1).
///
/// ```
/// magic 4 | descriptor 1 | window 0–1 | dictionary 0–4 | content size 0–8 | block … | checksum 0–4
/// ```
enum ZstdUnit: Equatable {
    case header
    case block(hasChecksum: Bool)
    case checksum
    /// The content of a frame that may be skipped.
    case skipped
    /// The frame is over.
    case end

    /// A block is no longer, and neither is what it becomes.
    static let mostBlock = 128 << 10

    /// Whether a frame may begin with these two bytes.
    static func mayBegin(_ first: UInt8, _ second: UInt8) -> Bool {
        first == 0x28 && second == 0xB5 || first & 0xF0 == 0x50 && second == 0x2A
    }

    /// How long the unit is, as far as its first bytes say.
    func length(of bytes: [UInt8]) -> Int {
        switch self {
        case .header:
            // Two bytes say whether it is one at all.
            guard bytes.count >= 5 else { return bytes.count < 2 ? 2 : 5 }
            return bytes[1] == 0x2A ? 8 : 5 + ZstdFrame.fieldBytes(bytes[4])
        case .block:
            guard bytes.count >= 3 else { return 3 }
            // One byte says what is repeated.
            return 3 + (ZstdUnit.kind(bytes) == 1 ? 1 : min(ZstdUnit.size(bytes), ZstdUnit.mostBlock))
        case .checksum: return 4
        case .skipped, .end: return 0
        }
    }

    static func isLastBlock(_ bytes: [UInt8]) -> Bool { bytes.first.map { $0 & 1 == 1 } ?? false }

    /// Whether a whole block is of a kind that there is, and not longer than a block may be.
    static func isValidBlock(_ bytes: [UInt8]) -> Bool { bytes.count >= 3 && kind(bytes) < 3 && size(bytes) <= mostBlock }

    private static func kind(_ bytes: [UInt8]) -> UInt8 { bytes[0] >> 1 & 3 }

    private static func size(_ bytes: [UInt8]) -> Int { (Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16) >> 3 }
}

/// What the header of a frame says (RFC 8878, section 3.1.1.1).
struct ZstdFrame {
    var hasChecksum = false
    /// Bytes of content, where the frame may be skipped.
    var skippedLength: Int?

    /// - Parameter bytes: all of the header; nil where it is none.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 5 else { return nil }
        guard bytes[1] != 0x2A else {
            guard bytes.count == 8, bytes[2] == 0x4D, bytes[3] == 0x18 else { return nil }
            skippedLength = Int(bytes[4]) | Int(bytes[5]) << 8 | Int(bytes[6]) << 16 | Int(bytes[7]) << 24
            return
        }
        guard bytes[2] == 0x2F, bytes[3] == 0xFD else { return nil }
        hasChecksum = bytes[4] & 0x04 != 0
    }

    /// Bytes of the fields after the descriptor.
    static func fieldBytes(_ descriptor: UInt8) -> Int {
        let isSingle = descriptor & 0x20 != 0
        let size =
            switch descriptor >> 6 {
            case 0: isSingle ? 1 : 0
            case 1: 2
            case 2: 4
            default: 8
            }
        let dictionary =
            switch descriptor & 3 {
            case 3: 4
            case let bytes: Int(bytes)
            }
        return (isSingle ? 0 : 1) + dictionary + size
    }
}
