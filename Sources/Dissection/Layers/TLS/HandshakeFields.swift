/// Walks the fields of a handshake message; says nil instead of going past the end.
struct HandshakeFields {
    var position: Int
    let end: Int

    init(_ range: ByteRange) {
        position = range.start
        end = range.end
    }

    /// Those of a whole message of this type, its header of type and 24-bit length included; nil where it is another one, or not whole.
    init?(_ message: RawSpan, type: UInt8) {
        guard message.byteCount >= 4, message[0] == type else { return nil }
        let length = Int(message.bigEndianUInt24(at: 1))
        guard length <= message.byteCount - 4 else { return nil }
        self.init(ByteRange(start: 4, count: length))
    }

    var isAtEnd: Bool { position >= end }

    mutating func uint8(_ bytes: RawSpan) -> UInt8? {
        guard let range = take(1) else { return nil }
        return bytes[range.start]
    }

    mutating func uint16(_ bytes: RawSpan) -> UInt16? {
        guard let range = take(2) else { return nil }
        return bytes.bigEndianUInt16(at: range.start)
    }

    mutating func take(_ count: Int) -> ByteRange? {
        guard count >= 0, count <= end - position else { return nil }
        defer { position += count }
        return ByteRange(start: position, count: count)
    }

    /// A vector behind a length of one byte.
    mutating func vector8(_ bytes: RawSpan) -> ByteRange? {
        guard let length = uint8(bytes) else { return nil }
        return take(Int(length))
    }

    /// A vector behind a length of three bytes.
    mutating func vector24(_ bytes: RawSpan) -> ByteRange? {
        guard let length = take(3) else { return nil }
        return take(Int(bytes.bigEndianUInt24(at: length.start)))
    }

    /// A vector behind a length of two bytes.
    mutating func vector16(_ bytes: RawSpan) -> ByteRange? {
        guard let length = uint16(bytes) else { return nil }
        return take(Int(length))
    }

    /// The extensions at the end of a hello, and whether their length fits it. One that does not is no reason to leave what is there unread.
    mutating func extensions(_ bytes: RawSpan) -> (range: ByteRange, fits: Bool) {
        let declared = uint16(bytes).map(Int.init)
        let left = end - position
        return (ByteRange(start: position, count: min(declared ?? 0, left)), declared == left)
    }
}

/// Numbers of extensions that are read (RFC 8446, section 4.2; RFC 9849 for the encrypted hello).
enum TLSExtension {
    static let serverName: UInt16 = 0
    static let alpn: UInt16 = 16
    static let encryptThenMAC: UInt16 = 22
    static let earlyData: UInt16 = 42
    static let supportedVersions: UInt16 = 43
    static let encryptedClientHello: UInt16 = 0xFE0D
}
