/// Cuts the content of handshake records into messages, whichever records they are spread over (RFC 8446, section 5.1). Those of some types
/// are kept until they are whole; of all others only the type is of interest.
struct HandshakeMessages {
    /// The types that are read, a bit each.
    private let types: UInt32

    /// The header of a message, and its body too where that is read.
    private(set) var kept: [UInt8] = []
    /// Bytes of a body that is not kept.
    private var bodyLeft = 0
    private var type: UInt8 = 0
    private var isKept = false

    /// Longer ones are passed over.
    private static let longestRead = 65_536

    /// - Parameter types: those that are read, less than 32.
    init(reading types: [UInt8]) { self.types = types.reduce(0) { $0 | 1 << UInt32($1) } }

    /// The type of the next message that ends in the bytes; nil where none does. Where it is one that is read, `kept` has all of it.
    mutating func next(in bytes: RawSpan, at position: inout Int) -> UInt8? {
        // A message that was given out is done with.
        if bodyLeft == 0, !kept.isEmpty, kept.count >= wholeLength { kept.removeAll(keepingCapacity: false) }
        while position < bytes.byteCount {
            if bodyLeft > 0 {
                let count = min(bodyLeft, bytes.byteCount - position)
                position += count
                bodyLeft -= count
                if bodyLeft == 0 { return type }
                continue
            }
            let count = min(max(0, wholeLength - kept.count), bytes.byteCount - position)
            kept.append(copying: bytes.extracting(position..<position + count))
            position += count
            guard kept.count >= 4 else { continue }
            type = kept[0]
            let length = Int(kept.rawBytes.bigEndianUInt24(at: 1))
            isKept = isRead(type) && length <= Self.longestRead
            if isKept, kept.count < 4 + length { continue }
            if !isKept {
                kept.removeAll(keepingCapacity: true)
                bodyLeft = length
                if length > 0 { continue }
            }
            return type
        }
        return nil
    }

    private func isRead(_ type: UInt8) -> Bool { type < 32 && types & 1 << UInt32(type) != 0 }

    /// Four bytes, or a message that is read with its header.
    private var wholeLength: Int {
        guard kept.count >= 4, isRead(kept[0]) else { return 4 }
        return 4 + Int(kept.rawBytes.bigEndianUInt24(at: 1))
    }

    /// Bytes are missing: the next record is taken to begin with a message.
    mutating func restart() {
        kept = []
        bodyLeft = 0
    }
}
