/// Messages with a length in their header.
///
/// ```
/// header = 7, offset = 2     M V │ 00 00 00 0B │ T │ h e l l o   w o r l d
///                            0     2             6   7                    18
/// ```
struct LengthCutter: CuttingMachine {
    private let prefix: LengthPrefix
    /// Bytes behind the payload that the length does not count.
    private let extra: UInt64
    /// Bytes of the message so far.
    private(set) var came: UInt64 = 0
    private var value: UInt64 = 0
    private var shift: UInt64 = 0
    private(set) var header: Int
    /// Bytes of the whole message, once its length is known.
    private var total: UInt64?
    private(set) var headerBytes = ShortBytes()

    init(_ prefix: LengthPrefix, extra: UInt64 = 0) {
        self.prefix = prefix
        self.extra = extra
        header = Int(prefix.header)
    }

    /// The header has more than the length.
    var hasMore: Bool { prefix.offset > 0 || (prefix.width.bytes.map { $0 < Int(prefix.header) } ?? false) }

    var remaining: UInt64? { total.map { $0 - came } }

    /// Bytes of the payload, once the length is known.
    var payload: UInt64? { total.map { $0 - UInt64(header) - extra } }

    mutating func restart() {
        came = 0
        value = 0
        shift = 0
        header = Int(prefix.header)
        total = nil
        headerBytes = ShortBytes()
    }

    mutating func advance(over bytes: RawSpan) -> Cut {
        var position = 0
        while came < UInt64(header) || total == nil {
            guard position < bytes.byteCount else { return .inside }
            if let fault = take(bytes[position]) { return .broken(fault) }
            position += 1
        }
        guard let total else { return .inside }
        let left = total - came
        let rest = UInt64(bytes.byteCount - position)
        guard rest >= left else {
            came += rest
            return .inside
        }
        came = total
        return .ends(position + Int(left))
    }

    /// Takes a byte of the header.
    private mutating func take(_ byte: UInt8) -> CutFault? {
        let place = came
        came += 1
        if hasMore { headerBytes.append(byte) }
        guard total == nil, place >= UInt64(prefix.offset) else { return nil }
        if let width = prefix.width.bytes {
            let index = place - UInt64(prefix.offset)
            if prefix.width.isLittleEndian { value |= UInt64(byte) << (8 * index) } else { value = value << 8 | UInt64(byte) }
            return index + 1 == UInt64(width) ? know() : nil
        }
        // The tenth byte of a varint holds one bit.
        guard shift < 63 || (shift == 63 && byte <= 1) else { return .tooLong(.max) }
        value |= UInt64(byte & 0x7F) << shift
        shift += 7
        guard byte & 0x80 == 0 else { return nil }
        header = Int(came)
        return know()
    }

    /// The length is read: what the whole message has.
    private mutating func know() -> CutFault? {
        var payload = value
        if prefix.countsItself {
            guard value >= UInt64(header) else { return .tooShort(value) }
            payload = value - UInt64(header)
        }
        guard payload <= prefix.most, payload <= 1 << 62 else { return .tooLong(payload) }
        total = payload + UInt64(header) + extra
        return nil
    }
}
