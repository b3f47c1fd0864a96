/// Walks the fields of a handshake message; says nil instead of going past the end.
struct HandshakeFields {
    var position: Int
    let end: Int

    init(_ range: ByteRange) {
        position = range.start
        end = range.end
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
