import Dissection
import SwiftASN1

/// How hard a certificate is to forge, by the table that captures are judged by as well, and whether the library can verify how it is signed.
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
        weakKey = CertificateWeakness.key(Array(key.encodedBytes).rawBytes)
        weakDigest = CertificateWeakness.digest(Array(signature.encodedBytes).rawBytes)
        unknownSignature = weakDigest == nil ? SignatureKinds.unknown(signature.nodes) : nil
    }

    /// - Parameter isAnchor: a root's own signature is not judged: nothing rests on it.
    func problem(isAnchor: Bool) -> CertificateProblem? {
        if let weakKey { return .weakKey(weakKey) }
        if !isAnchor, let weakDigest { return .weakSignature(weakDigest) }
        return nil
    }
}
