import NIOSSL

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ServerIdentity {
    /// A reason in words where the library only says that verification failed. What was refused stays refused.
    func explain(_ trouble: TLSTrouble, certificate: NIOSSLCertificate?, chain: ChainWatch?) -> TLSTrouble {
        // Looked at before the chain is, and with --insecure too.
        if trouble == .unreadable(reason: TLSTrouble.unfitKey) { return .certificate(.keyUsage) }
        guard trouble == .unreadable(reason: TLSTrouble.refusal) else { return trouble }
        let now = Self.now
        if let problem = chain?.problem(leaf: certificate, at: now) { return .certificate(problem) }
        guard let certificate else { return .certificate(.notAccepted(issuer: nil)) }
        // The system's own verification was asked (macOS), which tells nothing of the chain, or an extension could not be read.
        let facts = CertificateFacts(certificate)
        if facts.isSelfIssued { return .certificate(.selfSigned(subject: facts.subject)) }
        return .certificate(facts.untimeliness(at: now) ?? facts.unfitness(isLeaf: true) ?? .malformed)
    }

    /// What would have been refused where certificates are verified, apart from an authority that is not trusted.
    func unverifiedProblem(with certificate: NIOSSLCertificate?, chain: ChainWatch?) -> CertificateProblem? {
        guard !isVerified else { return nil }
        return chain?.problemBeyondTrust(leaf: certificate, at: Self.now) ?? mismatch(with: certificate)
    }

    /// Seconds since 1970.
    static var now: Int { Int(Date().timeIntervalSince1970) }
}

extension CertificateFacts {
    /// Whether its time is over, or has not come.
    ///
    /// - Parameter now: seconds since 1970.
    func untimeliness(at now: Int) -> CertificateProblem? {
        if notAfter < now { return .expired(on: Self.text(notAfter)) }
        if notBefore > now { return .notYetValid(from: Self.text(notBefore)) }
        return nil
    }

    private static func text(_ seconds: Int) -> String { Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601) }
}
