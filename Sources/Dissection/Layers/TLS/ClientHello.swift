/// A ClientHello (RFC 8446, section 4.1.2), as ranges of the bytes it was read from. Nothing is copied.
package struct ClientHello: Sendable, Equatable {
    /// The version field, which TLS 1.3 keeps at 0x0303.
    package var legacyVersion: UInt16
    /// 32 bytes.
    package var random: ByteRange
    package var sessionID: ByteRange
    /// Two bytes each.
    package var cipherSuites: ByteRange
    /// The host name of the first name of that type (RFC 6066, section 3); empty where there is none. Where a hello is carried along
    /// encrypted, it is the name of the outer one.
    package var serverName = ByteRange()
    /// The protocols offered, each behind a length byte (RFC 7301, section 3.1).
    package var alpn = ByteRange()
    /// The versions offered, two bytes each (RFC 8446, section 4.2.1); empty before TLS 1.3.
    package var supportedVersions = ByteRange()
    /// There is an `encrypted_client_hello` extension: an inner hello, encrypted, or bytes that only look like one (GREASE, RFC 9849,
    /// section 6.2).
    package var mayHaveEncryptedHello = false
    /// The extensions contradict their lengths; those before the first that does are read.
    package var isBroken = false

    /// Reads a whole handshake message, its header of type and 24-bit length included. Nil when it is no ClientHello or
    /// what stands before the extensions cannot be read. Bytes behind the message are left alone.
    package static func parse(_ message: RawSpan) -> ClientHello? {
        guard var fields = HandshakeFields(message, type: 1), let version = fields.uint16(message), let random = fields.take(32),
            let session = fields.vector8(message), session.count <= 32, let suites = fields.vector16(message), suites.count >= 2,
            suites.count % 2 == 0, let compression = fields.vector8(message), !compression.isEmpty
        else { return nil }
        var hello = ClientHello(legacyVersion: version, random: random, sessionID: session, cipherSuites: suites)
        // Extensions came with TLS 1.0; before them the message ends here.
        if fields.isAtEnd { return hello }
        let (extensions, fits) = fields.extensions(message)
        hello.isBroken = !hello.read(extensions, message) || !fits
        return hello
    }

    private mutating func read(_ extensions: ByteRange, _ message: RawSpan) -> Bool {
        var fields = HandshakeFields(extensions)
        while !fields.isAtEnd {
            guard let type = fields.uint16(message), let content = fields.vector16(message) else { return false }
            var inner = HandshakeFields(content)
            switch type {
            case TLSExtension.serverName:
                guard readServerName(&inner, message) else { return false }
            case TLSExtension.alpn:
                guard let list = inner.vector16(message), inner.isAtEnd else { return false }
                alpn = list
            case TLSExtension.supportedVersions:
                guard let list = inner.vector8(message), list.count % 2 == 0, inner.isAtEnd else { return false }
                supportedVersions = list
            case TLSExtension.encryptedClientHello:
                mayHaveEncryptedHello = true
            default:
                continue
            }
        }
        return true
    }

    private mutating func readServerName(_ fields: inout HandshakeFields, _ message: RawSpan) -> Bool {
        guard let list = fields.vector16(message), fields.isAtEnd else { return false }
        var names = HandshakeFields(list)
        while !names.isAtEnd {
            guard let type = names.uint8(message), let name = names.vector16(message) else { return false }
            // Type 0 is a host name, the only one there is.
            if type == 0, serverName.isEmpty { serverName = name }
        }
        return true
    }

    /// The highest version offered, values that mean nothing left out.
    package func highestVersion(_ message: RawSpan) -> UInt16 {
        var highest: UInt16 = 0
        var fields = HandshakeFields(supportedVersions)
        while let version = fields.uint16(message) {
            if !TLSNames.isGREASE(version), version > highest { highest = version }
        }
        return highest == 0 ? legacyVersion : highest
    }
}
