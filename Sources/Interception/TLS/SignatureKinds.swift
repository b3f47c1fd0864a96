import Dissection

/// Which signatures of certificates the library can verify: it answers to any other as to one that is false.
enum SignatureKinds {
    /// What is not known about the algorithm of a signature, in words; nil where the library knows it.
    static func unknown(_ algorithm: [DERNode]) -> String? {
        guard let identifier = algorithm.first?.octets.map(Array.init) else { return nil }
        if identifier == rsaPSS { return unknownPSS(algorithm.dropFirst().first) }
        return known.contains(identifier) ? nil : "an unknown algorithm (\(ObjectIdentifierText.text(identifier)))"
    }

    /// RSASSA-PSS-params ::= SEQUENCE { hashAlgorithm [0], maskGenAlgorithm [1], saltLength [2] DEFAULT 20, trailerField [3] } (RFC 8017 A.2.3): the salt
    /// has to be as long as the digest.
    private static func unknownPSS(_ parameters: DERNode?) -> String? {
        func field(_ number: UInt8) -> DERNode? { parameters?.nodes.first { $0.tag == 0xA0 | number }?.nodes.first }
        guard let hash = field(0)?.nodes.first?.octets.map(Array.init), let digest = digests[hash] else {
            return "RSA-PSS and a digest other than SHA-256, SHA-384 and SHA-512"
        }
        let salt = field(2)?.number ?? 20
        if salt != digest.length { return "RSA-PSS and a salt of \(salt) bytes, where \(digest.name) takes \(digest.length)" }
        let mask = field(1)?.nodes.last?.nodes.first?.octets.map(Array.init)
        return mask == hash ? nil : "RSA-PSS and another digest for its mask than \(digest.name)"
    }

    private static let digests: [[UInt8]: (name: String, length: Int)] = [
        [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1]: ("SHA-256", 32), [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 2]: ("SHA-384", 48),
        [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 3]: ("SHA-512", 64),
    ]

    private static let rsaPSS: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 10]

    private static let known: Set<[UInt8]> = [
        // sha256, sha384, sha512 and sha224WithRSAEncryption.
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 11], [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 12],
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 13], [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 14],
        // ecdsa-with-SHA224, -SHA256, -SHA384 and -SHA512.
        [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 1], [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2], [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 3],
        [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 4],
        // Ed25519.
        [0x2B, 0x65, 0x70],
    ]
}
