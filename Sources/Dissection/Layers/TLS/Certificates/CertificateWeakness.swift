/// How hard a certificate is to forge: the size of its key and the digest of its signature, judged as OpenSSL's security level 2 does
/// (112 bits: RSA of about 2048 bits, curves of 224, no SHA-1 and no MD5).
enum CertificateStrength {
    /// OpenSSL rounds what it makes of a size, and takes some that are a little below 2048.
    private static var leastModulusBits: Int { 1_901 }
    private static var leastCurveBits: Int { 224 }

    /// What is too weak about a key, such as `1024-bit RSA key`; nil where it is strong enough, or of a kind that is not known here.
    ///
    /// - Parameter info: the content of the SubjectPublicKeyInfo (RFC 5280, section 4.1.2.7).
    static func weakKey(_ info: Range<Int>, _ bytes: RawSpan) -> String? {
        var fields = DERCursor(info)
        guard let algorithm = fields.next(DERCursor.Tag.sequence, bytes), let key = fields.next(DERCursor.Tag.bitString, bytes),
            key.content.count > 1
        else { return nil }
        // The first byte counts unused bits, of which there are none.
        let bits = key.content.dropFirst()
        var parts = DERCursor(algorithm.content)
        guard let identifier = parts.next(DERCursor.Tag.identifier, bytes)?.content else { return nil }
        // rsaEncryption, id-RSASSA-PSS.
        if bytes.has(rsa + [1], at: identifier) || bytes.has(rsa + [10], at: identifier) {
            var outer = DERCursor(bits)
            guard let numbers = outer.next(DERCursor.Tag.sequence, bytes) else { return nil }
            var inner = DERCursor(numbers.content)
            guard let modulus = inner.next(DERCursor.Tag.integer, bytes) else { return nil }
            return weak(bitCount(modulus.content, bytes), leastModulusBits, "RSA")
        }
        // id-ecPublicKey: the form, then one coordinate or both (SEC 1, section 2.3.3).
        guard bytes.has([0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1], at: identifier), let form = bits.first else { return nil }
        return weak((bits.count - 1) * 8 / (bytes[form] == 4 ? 2 : 1), leastCurveBits, "EC")
    }

    private static func weak(_ bits: Int, _ least: Int, _ name: String) -> String? { bits < least ? "\(bits)-bit \(name) key" : nil }

    /// Of an INTEGER that is not negative.
    private static func bitCount(_ integer: Range<Int>, _ bytes: RawSpan) -> Int {
        guard let first = integer.first(where: { bytes[$0] != 0 }) else { return 0 }
        return (integer.upperBound - first) * 8 - bytes[first].leadingZeroBitCount
    }

    /// The digest of a signature where it is too weak, such as `SHA-1 signature`.
    ///
    /// - Parameter algorithm: the content of the AlgorithmIdentifier.
    static func weakSignature(_ algorithm: Range<Int>, _ bytes: RawSpan) -> String? {
        var fields = DERCursor(algorithm)
        guard let identifier = fields.next(DERCursor.Tag.identifier, bytes)?.content else { return nil }
        return weakSignatures.first { bytes.has($0.identifier, at: identifier) }.map { "\($0.digest) signature" }
    }

    private static var rsa: [UInt8] { [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1] }

    private static var weakSignatures: [(identifier: [UInt8], digest: String)] {
        [
            (rsa + [2], "MD2"), (rsa + [3], "MD4"), (rsa + [4], "MD5"), (rsa + [5], "SHA-1"),
            // ecdsa-with-SHA1, dsa-with-SHA1, and the one of OIW.
            ([0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 1], "SHA-1"), ([0x2A, 0x86, 0x48, 0xCE, 0x38, 4, 3], "SHA-1"),
            ([0x2B, 0x0E, 3, 2, 29], "SHA-1"),
        ]
    }
}
