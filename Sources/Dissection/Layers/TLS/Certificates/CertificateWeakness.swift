/// What makes a certificate easy to forge: the size of its key and the digest of its signature, measured by OpenSSL's security level 2 (112 bits).
///
/// The one table of it: captures are judged by it, and the proxy verifies servers by it, so that both say the same of a certificate.
package enum CertificateWeakness {
    /// OpenSSL 3 rounds what it makes of a size, and takes RSA keys from this size on (`openssl verify -auth_level 2`). A client that uses it connects,
    /// and so does the proxy.
    private static var leastModulusBits: Int { 1_963 }
    /// Of DSA, whose sizes it does not round.
    private static var leastPrimeBits: Int { 2_048 }
    private static var leastCurveBits: Int { 224 }

    /// What is too weak about a key, such as `1024-bit RSA`; nil where it is strong enough, or of a kind that is not known here.
    ///
    /// - Parameter info: the SubjectPublicKeyInfo in DER (RFC 5280, section 4.1.2.7).
    package static func key(_ info: RawSpan) -> String? {
        var outer = DERCursor(0..<info.byteCount)
        return outer.next(DERCursor.Tag.sequence, info).flatMap { key($0.content, info) }
    }

    /// - Parameter info: the content of the SubjectPublicKeyInfo.
    static func key(_ info: Range<Int>, _ bytes: RawSpan) -> String? {
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
            return firstNumber(in: bits, bytes).flatMap { weak($0, leastModulusBits, "RSA") }
        }
        // id-dsa: the prime is the first of the parameters, which a key may inherit (RFC 3279, section 2.3.2).
        if bytes.has(dsa + [1], at: identifier) {
            return firstNumber(in: algorithm.content.suffix(from: identifier.upperBound), bytes).flatMap { weak($0, leastPrimeBits, "DSA") }
        }
        // id-ecPublicKey: the form, then one coordinate or both (SEC 1, section 2.3.3).
        guard bytes.has(curves + [2, 1], at: identifier), let form = bits.first else { return nil }
        return weak((bits.count - 1) * 8 / (bytes[form] == 4 ? 2 : 1), leastCurveBits, "EC")
    }

    private static func weak(_ bits: Int, _ least: Int, _ name: String) -> String? { bits < least ? "\(bits)-bit \(name)" : nil }

    /// Bits of the INTEGER, which is not negative, that a SEQUENCE begins with; nil where there is none.
    private static func firstNumber(in range: Range<Int>, _ bytes: RawSpan) -> Int? {
        var outer = DERCursor(range)
        guard let numbers = outer.next(DERCursor.Tag.sequence, bytes) else { return nil }
        var inner = DERCursor(numbers.content)
        guard let integer = inner.next(DERCursor.Tag.integer, bytes)?.content else { return nil }
        guard let first = integer.first(where: { bytes[$0] != 0 }) else { return 0 }
        return (integer.upperBound - first) * 8 - bytes[first].leadingZeroBitCount
    }

    /// The digest of a signature where it is too weak, such as `SHA-1`; nil where it is strong enough, or not known here.
    ///
    /// - Parameter algorithm: the AlgorithmIdentifier in DER (RFC 5280, section 4.1.1.2).
    package static func digest(_ algorithm: RawSpan) -> String? {
        var outer = DERCursor(0..<algorithm.byteCount)
        return outer.next(DERCursor.Tag.sequence, algorithm).flatMap { digest($0.content, algorithm) }
    }

    /// - Parameter algorithm: the content of the AlgorithmIdentifier.
    static func digest(_ algorithm: Range<Int>, _ bytes: RawSpan) -> String? {
        var fields = DERCursor(algorithm)
        guard let identifier = fields.next(DERCursor.Tag.identifier, bytes)?.content else { return nil }
        guard bytes.has(rsa + [10], at: identifier) else { return signatures.first { bytes.has($0.identifier, at: identifier) }?.digest }
        // RSASSA-PSS-params: hashAlgorithm [0] DEFAULT sha1 (RFC 8017, appendix A.2.3).
        guard let parameters = fields.next(DERCursor.Tag.sequence, bytes) else { return nil }
        var list = DERCursor(parameters.content)
        guard let hash = list.take(DERCursor.Tag.explicit(0), bytes) else { return "SHA-1" }
        var wrapper = DERCursor(hash.content)
        guard let inner = wrapper.next(DERCursor.Tag.sequence, bytes) else { return nil }
        var parts = DERCursor(inner.content)
        guard let name = parts.next(DERCursor.Tag.identifier, bytes)?.content else { return nil }
        return digests.first { bytes.has($0.identifier, at: name) }?.digest
    }

    private static var rsa: [UInt8] { [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1] }
    private static var dsa: [UInt8] { [0x2A, 0x86, 0x48, 0xCE, 0x38, 4] }
    private static var curves: [UInt8] { [0x2A, 0x86, 0x48, 0xCE, 0x3D] }
    private static var oiw: [UInt8] { [0x2B, 0x0E, 3, 2] }

    private static var signatures: [(identifier: [UInt8], digest: String)] {
        [
            (rsa + [2], "MD2"), (rsa + [3], "MD4"), (rsa + [4], "MD5"), (rsa + [5], "SHA-1"),
            // ecdsa-with-SHA1, dsa-with-SHA1.
            (curves + [4, 1], "SHA-1"), (dsa + [3], "SHA-1"),
            // OIW: md5WithRSA, dsaWithSHA, dsaWithSHA1, sha1WithRSA.
            (oiw + [3], "MD5"), (oiw + [13], "SHA"), (oiw + [27], "SHA-1"), (oiw + [29], "SHA-1"),
            // rsaSignatureWithripemd160.
            ([0x2B, 0x24, 3, 3, 1, 2], "RIPEMD-160"),
        ]
    }

    private static var digests: [(identifier: [UInt8], digest: String)] {
        [
            (oiw + [26], "SHA-1"), ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 2, 5], "MD5"),
            ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 2, 4], "MD4"),
        ]
    }
}
