/// A ServerHello (RFC 8446, section 4.1.3), as ranges of the bytes it was read from.
package struct ServerHello: Sendable, Equatable {
    /// The agreed version: that of the extension where it is there, else that of the field.
    package var version: UInt16
    /// 32 bytes.
    package var random: ByteRange
    package var cipherSuite: UInt16
    /// The protocol chosen; empty where none was, or, with TLS 1.3, where it is told under encryption.
    package var alpn = ByteRange()
    /// The method that records are compressed by, which TLS 1.3 keeps at 0 (RFC 3749, section 2).
    package var compression: UInt8 = 0
    /// Records are encrypted before they are authenticated, where the suite is not of AEAD (RFC 7366).
    package var encryptsThenMACs = false
    /// It only asks for another ClientHello.
    package var isRetryRequest: Bool
    /// The extensions contradict their lengths; those before the first that does are read.
    package var isBroken = false

    /// Reads a whole handshake message, its header of type and 24-bit length included. Nil when it is no ServerHello or
    /// what stands before the extensions cannot be read.
    package static func parse(_ message: RawSpan) -> ServerHello? {
        guard var fields = HandshakeFields(message, type: 2), let version = fields.uint16(message), let random = fields.take(32)
        else { return nil }
        // Drafts of TLS 1.3 up to the 21st left out the session and the compression; those after it bring them back, for the
        // sake of devices in between, and say their version in an extension (draft-ietf-tls-tls13-22, section 4.1.3).
        let isShort = (0x7F00...0x7F15).contains(version)
        if !isShort { guard let session = fields.vector8(message), session.count <= 32 else { return nil } }
        guard let suite = fields.uint16(message), let compression = isShort ? 0 : fields.uint8(message) else { return nil }
        var hello = ServerHello(
            version: version, random: random, cipherSuite: suite, compression: compression,
            isRetryRequest: isRetry(message, at: random.start))
        if fields.isAtEnd { return hello }
        let (extensions, fits) = fields.extensions(message)
        hello.isBroken = !hello.read(extensions, message) || !fits
        return hello
    }

    private mutating func read(_ extensions: ByteRange, _ message: RawSpan) -> Bool {
        var list = HandshakeFields(extensions)
        while !list.isAtEnd {
            guard let type = list.uint16(message), let content = list.vector16(message) else { return false }
            var inner = HandshakeFields(content)
            switch type {
            case TLSExtension.supportedVersions:
                guard let selected = inner.uint16(message), inner.isAtEnd else { return false }
                version = selected
            case TLSExtension.alpn:
                // A list of one (RFC 7301, section 3.1).
                guard var names = inner.vector16(message).map(HandshakeFields.init), let name = names.vector8(message) else { return false }
                alpn = name
            case TLSExtension.encryptThenMAC:
                encryptsThenMACs = true
            default:
                continue
            }
        }
        return true
    }

    /// SHA-256 of "HelloRetryRequest" stands in for the random value (RFC 8446, section 4.1.3).
    private static func isRetry(_ message: RawSpan, at offset: Int) -> Bool {
        message.bigEndianUInt64(at: offset) == 0xCF21_AD74_E59A_6111
            && message.bigEndianUInt64(at: offset + 8) == 0xBE1D_8C02_1E65_B891
            && message.bigEndianUInt64(at: offset + 16) == 0xC2A2_1116_7ABB_8C5E
            && message.bigEndianUInt64(at: offset + 24) == 0x079E_09E2_C8A8_339C
    }
}
