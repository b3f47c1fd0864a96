import SwiftASN1

/// How hard a certificate is to forge: the size of its key and the digest of its signature, judged as OpenSSL's security level 2 does
/// (112 bits: RSA, DSA and DH of 2048 bits, curves of 224, no SHA-1 and no MD5).
struct CertificateStrength {
    /// What is too weak about the key, such as `1024-bit RSA`; nil where it is strong enough, or of a kind that is not known here.
    private(set) var weakKey: String?
    /// The digest of the signature, such as `SHA-1`, where it is too weak.
    private(set) var weakDigest: String?
    /// How it is signed, where the library does not verify that.
    private(set) var unknownSignature: String?

    init() {}

    /// - Parameters:
    ///   - key: the SubjectPublicKeyInfo (RFC 5280 4.1.2.7).
    ///   - signature: the AlgorithmIdentifier of the signature.
    init(key: ASN1Node, signature: ASN1Node) {
        weakKey = Self.weakKey(key)
        weakDigest = Self.weakDigest(signature.nodes)
        unknownSignature = weakDigest == nil ? SignatureKinds.unknown(signature.nodes) : nil
    }

    /// - Parameter isAnchor: a root's own signature is not judged: nothing rests on it.
    func problem(isAnchor: Bool) -> CertificateProblem? {
        if let weakKey { return .weakKey(weakKey) }
        if !isAnchor, let weakDigest { return .weakSignature(weakDigest) }
        return nil
    }

    // MARK: Keys

    private static let leastModulusBits = 2_048
    private static let leastCurveBits = 224

    private static func weakKey(_ info: ASN1Node) -> String? {
        guard info.nodes.count == 2, let algorithm = info.nodes[0].nodes.first?.octets, let bits = info.nodes[1].octets?.dropFirst() else {
            return nil
        }
        switch Array(algorithm) {
        case rsa, rsaPSS:
            guard let modulus = (try? DER.parse(Array(bits)))?.nodes.first?.octets else { return nil }
            return weak(bitCount(modulus), leastModulusBits, "RSA")
        case dsa:
            guard let prime = info.nodes[0].nodes.last?.nodes.first?.octets else { return nil }
            return weak(bitCount(prime), leastModulusBits, "DSA")
        case curve:
            // The form, then one coordinate or both (SEC 1 2.3.3).
            let isWhole = bits.first == 4
            return weak((bits.count - 1) * 8 / (isWhole ? 2 : 1), leastCurveBits, "EC")
        default: return nil
        }
    }

    private static func weak(_ bits: Int, _ least: Int, _ name: String) -> String? { bits < least ? "\(bits)-bit \(name)" : nil }

    /// Of an INTEGER that is not negative.
    private static func bitCount(_ integer: ArraySlice<UInt8>) -> Int {
        let digits = integer.drop { $0 == 0 }
        return digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
    }

    private static let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]
    static let rsaPSS: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 10]
    private static let dsa: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x38, 4, 1]
    private static let curve: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]

    // MARK: Signatures

    private static func weakDigest(_ algorithm: [ASN1Node]) -> String? {
        guard let identifier = algorithm.first?.octets.map(Array.init) else { return nil }
        guard identifier == rsaPSS else { return weakSignatures[identifier] }
        // RSASSA-PSS-params: hashAlgorithm [0] DEFAULT sha1 (RFC 8017 A.2.3).
        let hash = algorithm.dropFirst().first?.nodes.first {
            $0.identifier == ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
        }
        guard let digest = hash?.nodes.first?.nodes.first?.octets else { return "SHA-1" }
        return weakDigests[Array(digest)]
    }

    private static let weakSignatures: [[UInt8]: String] = [
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 2]: "MD2", [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 3]: "MD4",
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 4]: "MD5", [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 5]: "SHA-1",
        // ecdsa-with-SHA1, dsa-with-SHA1.
        [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 1]: "SHA-1", [0x2A, 0x86, 0x48, 0xCE, 0x38, 4, 3]: "SHA-1",
        // OIW: md5WithRSA, dsaWithSHA, dsaWithSHA1, sha1WithRSA.
        [0x2B, 0x0E, 3, 2, 3]: "MD5", [0x2B, 0x0E, 3, 2, 13]: "SHA", [0x2B, 0x0E, 3, 2, 27]: "SHA-1", [0x2B, 0x0E, 3, 2, 29]: "SHA-1",
        // rsaSignatureWithripemd160.
        [0x2B, 0x24, 3, 3, 1, 2]: "RIPEMD-160",
    ]

    private static let weakDigests: [[UInt8]: String] = [
        [0x2B, 0x0E, 3, 2, 26]: "SHA-1", [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 2, 5]: "MD5",
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 2, 4]: "MD4",
    ]
}
