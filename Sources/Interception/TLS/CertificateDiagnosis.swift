import NIOSSL
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ServerIdentity {
    /// A reason in words where the library only says that verification failed. What was refused stays refused.
    ///
    /// NIOSSL shows neither the verdict of X.509 verification nor the chain of a failed handshake, only the server's own certificate; so an
    /// expired certificate in between is told as `notAccepted` or `unknownIssuer`.
    func explain(_ trouble: TLSTrouble, certificate: NIOSSLCertificate?) -> TLSTrouble {
        guard case .unreadable(reason: "CERTIFICATE_VERIFY_FAILED") = trouble else { return trouble }
        guard let der = try? certificate?.toDERBytes() else { return .certificate(.notAccepted(issuer: nil)) }
        return .certificate(Self.diagnose(der, at: Date()))
    }

    /// What is wrong with a certificate that did not verify.
    static func diagnose(_ der: [UInt8], at now: Date) -> CertificateProblem {
        guard let certificate = try? Certificate(derEncoded: der) else { return .notAccepted(issuer: nil) }
        let issuer = certificate.issuer.description
        if certificate.issuer == certificate.subject, certificate.publicKey.isValidSignature(certificate.signature, for: certificate) {
            return .selfSigned(subject: certificate.subject.description)
        }
        if certificate.notValidAfter < now { return .expired(on: text(certificate.notValidAfter)) }
        if certificate.notValidBefore > now { return .notYetValid(from: text(certificate.notValidBefore)) }
        return .unknownIssuer(issuer: issuer)
    }

    private static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
