import Crypto
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The authority's certificate: what others are shown and given. It holds no secret.
package struct AuthorityCertificate: Sendable {
    /// The certificate as RFC 5280 4.1 encodes it.
    package let der: [UInt8]
    /// The subject's common name, such as `Unmask local authority (laptop, 2026-11-21)`.
    package let name: String
    package let notValidBefore: Date
    package let notValidAfter: Date

    let certificate: Certificate

    /// Reads the certificate of the authority in a folder, without its key.
    package static func read(from folder: AuthorityFolder) throws(AuthorityError) -> AuthorityCertificate {
        try AuthorityCertificate(pem: AuthorityFiles(folder: folder).readCertificate(), path: folder.certificatePath)
    }

    /// - Parameters:
    ///   - pem: the content of the file.
    ///   - path: the file, for errors.
    init(pem: [UInt8], path: String) throws(AuthorityError) {
        let advice = "put back a copy, or let unmask ca remove --yes clear it away and begin anew"
        let certificate: Certificate
        do {
            certificate = try Certificate(pemEncoded: String(decoding: pem, as: UTF8.self))
        } catch {
            throw AuthorityError(kind: .damaged, path: path, problem: "holds no certificate that can be read", advice: advice)
        }
        guard let constraints = try? certificate.extensions.basicConstraints, case .isCertificateAuthority = constraints else {
            throw AuthorityError(kind: .damaged, path: path, problem: "is not a CA certificate", advice: advice)
        }
        do {
            try self.init(certificate)
        } catch {
            throw AuthorityError(kind: .damaged, path: path, problem: "holds a certificate that cannot be encoded again", advice: advice)
        }
    }

    init(_ certificate: Certificate) throws {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        der = serializer.serializedBytes
        name = CertificateNames(certificate: der).commonName ?? "authority without a name"
        notValidBefore = certificate.notValidBefore
        notValidAfter = certificate.notValidAfter
        self.certificate = certificate
    }

    /// The certificate in its text form (RFC 7468 5), one line feed at its end.
    package var pem: String {
        let document = PEMDocument(type: Certificate.defaultPEMDiscriminator, derBytes: der)
        return document.pemString + "\n"
    }

    /// The SHA-256 digest of the DER form, as browsers and openssl print it: `AB:CD:…`.
    package var fingerprint: String { digest.map(Self.hexadecimal).joined(separator: ":").uppercased() }

    /// The first eight digits of the digest, which tell one authority from another in the names of files.
    package var shortFingerprint: String { digest.prefix(4).map(Self.hexadecimal).joined() }

    private var digest: [UInt8] { Array(SHA256.hash(data: der)) }

    private static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
