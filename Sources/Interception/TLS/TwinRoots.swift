import CertificateAuthority
import NIOSSL

/// Roots of one name among those that are trusted, such as an old one and its renewal.
///
/// The library looks for the issuer of a certificate by name, and by key identifiers where both have them (RFC 5280 4.2.1.1). Of several that
/// fit it takes one, which may not be the one that signed, or may be over.
enum TwinRoots {
    /// What tells one certificate from its twin, and nothing else: subjectKeyIdentifier, authorityKeyIdentifier.
    private static let keyIdentifiers: Set<[UInt8]> = [[0x55, 0x1D, 0x0E], [0x55, 0x1D, 0x23]]

    /// The roots without those that are over, or do not hold yet, and have a twin that holds: they could only be in its way.
    ///
    /// - Parameter now: seconds since 1970.
    static func withoutUntimely(_ roots: [NIOSSLCertificate], at now: Int) -> [NIOSSLCertificate] {
        func isTimely(_ root: NIOSSLCertificate) -> Bool { root.notValidAfter >= now && root.notValidBefore <= now }
        guard !roots.allSatisfy(isTimely) else { return roots }
        let living = Set(roots.filter(isTimely).compactMap { CertificateFacts($0).name })
        return roots.filter { root in isTimely(root) || CertificateFacts(root).name.map { !living.contains($0) } ?? true }
    }

    /// Whether another trusted root signed the certificate in place of the one that the library took, and differs from that one in nothing that
    /// the library has judged or will judge, but for its key, its number and its time.
    ///
    /// - Parameters:
    ///   - certificate: where the library stopped, right below `root`.
    ///   - trusted: all roots.
    ///   - now: seconds since 1970.
    static func signed(
        _ certificate: NIOSSLCertificate, insteadOf root: NIOSSLCertificate, among trusted: [NIOSSLCertificate], at now: Int
    ) -> Bool {
        let facts = CertificateFacts(root)
        guard let name = facts.name, let signed = read(certificate), let wrong = read(root) else { return false }
        // Otherwise the library has stopped for another reason.
        guard !signed.isSigned(by: wrong) else { return false }
        let rules = rules(of: facts)
        return trusted.contains { twin in
            guard twin != root else { return false }
            let twinFacts = CertificateFacts(twin)
            guard twinFacts.name == name, twinFacts.isSelfIssued, twinFacts.untimeliness(at: now) == nil,
                twinFacts.weakness(isAnchor: true) == nil, Self.rules(of: twinFacts) == rules, let twin = read(twin)
            else { return false }
            return signed.isSigned(by: twin)
        }
    }

    /// What a root says about the chains below it.
    private static func rules(of facts: CertificateFacts) -> [[UInt8]: [UInt8]] {
        var rules: [[UInt8]: [UInt8]] = [:]
        for found in facts.extensions where !keyIdentifiers.contains(found.identifier) {
            rules[found.identifier] = [found.isCritical ? 1 : 0] + found.value
        }
        return rules
    }

    private static func read(_ certificate: NIOSSLCertificate) -> LibraryCertificate? {
        guard let der = try? certificate.toDERBytes() else { return nil }
        return LibraryCertificate(der)
    }
}
