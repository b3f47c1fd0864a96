import Dissection
import Testing

/// Which keys and signatures of certificates can be forged: one table for captures and the proxy.
@Suite struct CertificateWeaknessTests {
    private static let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1]
    private static let dsa: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x38, 4]

    private func sequence(_ parts: [UInt8]...) -> [UInt8] { StatedCertificate.element(0x30, parts.flatMap(\.self)) }
    private func identifier(_ bytes: [UInt8]) -> [UInt8] { StatedCertificate.element(6, bytes) }

    /// A number of so many bits, as an INTEGER.
    private func number(bits: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xFF, count: (bits + 7) / 8)
        bytes[0] >>= UInt8(bytes.count * 8 - bits)
        return StatedCertificate.element(2, bytes[0] >= 0x80 ? [0] + bytes : bytes)
    }

    /// The SubjectPublicKeyInfo of a key.
    private func key(_ algorithm: [UInt8], _ bits: [UInt8]) -> String? {
        CertificateWeakness.key(sequence(algorithm, StatedCertificate.element(3, [0] + bits)).rawBytes)
    }

    @Test(arguments: [(1_024, "1024-bit RSA"), (1_901, "1901-bit RSA"), (1_962, "1962-bit RSA"), (1_963, nil), (2_047, nil), (4_096, nil)])
    func `an RSA key is weak below what OpenSSL takes at its level 2`(bits: Int, weakness: String?) {
        for kind in [1, 10] as [UInt8] {
            let algorithm = sequence(identifier(Self.rsa + [kind]), [5, 0])
            #expect(key(algorithm, sequence(number(bits: bits), number(bits: 17))) == weakness)
        }
    }

    @Test(arguments: [(1_024, "1024-bit DSA"), (2_047, "2047-bit DSA"), (2_048, nil)])
    func `the prime of a DSA key says how strong it is`(bits: Int, weakness: String?) {
        let parameters = sequence(number(bits: bits), number(bits: 160), number(bits: bits))
        #expect(key(sequence(identifier(Self.dsa + [1]), parameters), number(bits: bits)) == weakness)
        // Parameters that are inherited say nothing.
        #expect(key(sequence(identifier(Self.dsa + [1])), number(bits: 512)) == nil)
    }

    @Test func `a curve is weak below 224 bits, whole or as one coordinate`() {
        let algorithm = sequence(identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]), identifier([0x2B, 0x81, 4, 0, 0x1F]))
        #expect(key(algorithm, [4] + [UInt8](repeating: 1, count: 48)) == "192-bit EC")
        #expect(key(algorithm, [2] + [UInt8](repeating: 1, count: 24)) == "192-bit EC")
        #expect(key(algorithm, [4] + [UInt8](repeating: 1, count: 64)) == nil)
        // Ed25519 is of another kind.
        #expect(key(sequence(identifier([0x2B, 0x65, 0x70])), [UInt8](repeating: 1, count: 10)) == nil)
    }

    @Test(
        arguments: [
            (rsa + [5], "SHA-1"), (rsa + [4], "MD5"), (dsa + [3], "SHA-1"), ([0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 1], "SHA-1"),
            ([0x2B, 0x0E, 3, 2, 27], "SHA-1"), (rsa + [11], nil), ([0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 2], nil),
            ([0x2B, 0x65, 0x70], nil),
        ] as [([UInt8], String?)])
    func `the name of a signature has its digest`(name: [UInt8], digest: String?) {
        #expect(CertificateWeakness.digest(sequence(identifier(name), [5, 0]).rawBytes) == digest)
    }

    @Test func `the parameters of RSA-PSS have the digest, and SHA-1 where they do not say`() {
        func digest(_ parameters: [UInt8]) -> String? {
            CertificateWeakness.digest(sequence(identifier(Self.rsa + [10]), parameters).rawBytes)
        }
        func hash(_ name: [UInt8]) -> [UInt8] { StatedCertificate.element(0xA0, sequence(identifier(name), [5, 0])) }
        let salt = StatedCertificate.element(0xA2, [2, 1, 32])
        #expect(digest(sequence()) == "SHA-1" && digest(sequence(salt)) == "SHA-1")
        #expect(digest(sequence(hash([0x2B, 0x0E, 3, 2, 26]), salt)) == "SHA-1")
        #expect(digest(sequence(hash([0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1]), salt)) == nil)
        // Without parameters it is no signature of a certificate (RFC 4055, section 3.1).
        #expect(digest([]) == nil)
    }

    @Test(arguments: [[], [0x30], [0x30, 5, 1], [0x30, 0], [4, 0]] as [[UInt8]]) func `what is no DER is not judged`(bytes: [UInt8]) {
        #expect(CertificateWeakness.key(bytes.rawBytes) == nil && CertificateWeakness.digest(bytes.rawBytes) == nil)
    }
}
