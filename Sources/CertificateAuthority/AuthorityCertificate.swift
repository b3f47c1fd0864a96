import Dissection

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

    /// Its subject's name, DER.
    let subject: [UInt8]
    /// What leaves name its key by: as it says itself, else as RFC 5280 4.2.1.2 has it.
    let keyIdentifier: [UInt8]

    /// Reads the certificate of the authority in a folder, without its key.
    package static func read(from folder: AuthorityFolder) throws(AuthorityError) -> AuthorityCertificate {
        try AuthorityCertificate(pem: AuthorityFiles(folder: folder).readCertificate(), path: folder.certificatePath)
    }

    /// - Parameters:
    ///   - pem: the content of the file.
    ///   - path: the file, for errors.
    init(pem: [UInt8], path: String) throws(AuthorityError) {
        let advice = "put back a copy, or let unmask ca remove --yes clear it away and begin anew"
        guard let block = PEMBlock(String(decoding: pem, as: UTF8.self)), block.label == PEMBlock.certificate,
            LibraryCertificate(block.der) != nil, let read = X509Certificate(block.der.rawBytes),
            let certificate = AuthorityCertificate(block.der, read)
        else {
            throw AuthorityError(kind: .damaged, path: path, problem: "holds no certificate that can be read", advice: advice)
        }
        guard read.isCA == true else {
            throw AuthorityError(kind: .damaged, path: path, problem: "is not a CA certificate", advice: advice)
        }
        self = certificate
    }

    /// Nil where it has no times.
    init?(_ der: [UInt8], _ read: X509Certificate) {
        guard let begin = read.notBefore, let end = read.notAfter else { return nil }
        self.der = der
        name = CertificateNames(certificate: der).commonName ?? "authority without a name"
        (notValidBefore, notValidAfter) = (Date(timeIntervalSince1970: Double(begin)), Date(timeIntervalSince1970: Double(end)))
        subject = Array(der[read.subjectName])
        keyIdentifier = read.keyIdentifier.isEmpty ? NewCertificate.identifier(ofKey: Array(der[read.publicKey])) : read.keyIdentifier
    }

    /// The certificate in its text form (RFC 7468 5), one line feed at its end.
    package var pem: String { PEMBlock(label: PEMBlock.certificate, der: der).text }

    /// The SHA-256 digest of the DER form, as browsers and openssl print it: `AB:CD:…`.
    package var fingerprint: String { digest.map(Self.hexadecimal).joined(separator: ":").uppercased() }

    /// The first eight digits of the digest, which tell one authority from another in the names of files.
    package var shortFingerprint: String { digest.prefix(4).map(Self.hexadecimal).joined() }

    private var digest: [UInt8] { Digest.sha256(der) }

    private static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
