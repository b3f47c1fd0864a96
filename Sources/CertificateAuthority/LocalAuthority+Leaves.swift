#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LocalAuthority {
    /// The longest that a leaf is valid: 197 days. The CA/Browser Forum's Baseline Requirements (ballot SC-081v3, section 6.3.2) allow 200 days from
    /// March 2026 on, and platforms come to refuse what is longer, as Apple's did with 398.
    package static let leafLifetime: TimeInterval = 197 * 86_400

    /// Signs a leaf.
    ///
    /// It is valid from a day ago for `leafLifetime` (its last second included, RFC 5280 4.1.2.5), but not beyond the authority's own end. What is
    /// in the request and is no name or address stays out; names beyond `LeafRequest.limit` as well.
    ///
    /// - Parameter now: the time of the wall clock.
    /// - Throws: AuthorityError: `expired` where the authority's time is over, `signing` where the certificate could not be encoded.
    package func issue(_ request: LeafRequest, at now: Date = Date()) throws(AuthorityError) -> Leaf {
        let begin = Date(timeIntervalSince1970: (now.timeIntervalSince1970 - Self.backdating).rounded(.down))
        let end = min(begin.addingTimeInterval(Self.leafLifetime - 1), certificate.notValidAfter)
        guard now < certificate.notValidAfter else {
            throw AuthorityError(
                kind: .expired, problem: "the CA certificate expired on \(CalendarDay.text(certificate.notValidAfter))",
                advice: "unmask ca remove --yes takes it away, unmask ca makes another")
        }
        let names = request.dnsNames.compactMap { HostName.dnsName($0, allowsWildcard: true) }
            .map(CertificateExtension.AlternativeName.dns)
        let addresses = request.ipAddresses.filter { $0.count == 4 || $0.count == 16 }.map(CertificateExtension.AlternativeName.address)
        let alternatives = Array((names + addresses).prefix(LeafRequest.limit))
        let commonName = request.commonName.flatMap { $0.isEmpty || $0.unicodeScalars.count > 64 ? nil : $0 }
        // A certificate has to name somebody.
        let title = commonName ?? (alternatives.isEmpty ? "unnamed" : nil)
        var extensions: [CertificateExtension] = [
            .basicConstraints(isCA: false), .keyUsage(.digitalSignature), .extendedKeyUsage([.serverAuth]),
            .subjectKeyIdentifier(leafKey.identifier), .authorityKeyIdentifier(certificate.keyIdentifier),
        ]
        // With an empty subject the names are all there is (RFC 5280 4.2.1.6).
        if !alternatives.isEmpty { extensions.append(.subjectAlternativeNames(alternatives, isCritical: title == nil)) }
        let leaf = NewCertificate(
            issuer: certificate.subject, subject: NewCertificate.name(title), publicKey: leafKey.publicKey, notValidBefore: begin,
            notValidAfter: end, extensions: extensions)
        do {
            let renewal = end.addingTimeInterval(-Self.backdating)
            return Leaf(
                certificate: try leaf.signed(by: key), authority: certificate.der, key: leafKey, notValidBefore: begin,
                notValidAfter: end, renewAfter: renewal > now ? renewal : end)
        } catch {
            throw AuthorityError(kind: .signing, problem: "a certificate could not be signed: \(error)")
        }
    }
}
