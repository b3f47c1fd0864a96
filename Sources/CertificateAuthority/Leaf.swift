#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A certificate that the proxy shows to a client in place of the server's, with all that a TLS library needs.
package struct Leaf: Sendable {
    /// The certificate, DER (RFC 5280 4.1).
    package let certificate: [UInt8]
    /// The authority's certificate, DER.
    package let authority: [UInt8]
    /// What the leaf proves itself with.
    package let key: LeafKey
    package let notValidBefore: Date
    package let notValidAfter: Date
    /// From then on it is time for another: a day before its end.
    package let renewAfter: Date

    /// What goes into the handshake, leaf first (RFC 8446 4.4.2). The authority is in it although clients have their own copy: one that does not
    /// trust it can then say whom it does not trust.
    package var chain: [[UInt8]] { [certificate, authority] }
}

/// The private key of all leaves of a process: ECDSA on P-256, made at its start, never written to a file.
package struct LeafKey: Sendable {
    /// PKCS #8 (RFC 5958), DER.
    package let der: [UInt8]
    /// The same in text form (RFC 7468 10).
    package let pem: String

    /// The SHA-256 digest of its SubjectPublicKeyInfo in base64, which names a key in pins (RFC 7469 2.4) and in Chromium's options.
    package let pin: String

    /// SubjectPublicKeyInfo (RFC 5280 4.1.2.7), DER.
    let publicKey: [UInt8]
    let identifier: [UInt8]

    init() throws(SigningFailure) {
        let key = try SigningKey()
        der = try key.der()
        pem = PEMBlock(label: PEMBlock.privateKey, der: der).text
        publicKey = key.publicKey
        pin = Data(Digest.sha256(publicKey)).base64EncodedString()
        identifier = NewCertificate.identifier(ofKey: publicKey)
    }
}
