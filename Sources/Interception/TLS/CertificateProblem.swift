/// Why a server's certificate was not accepted, or would not have been.
package indirect enum CertificateProblem: Hashable, Sendable {
    /// It was valid until the date.
    case expired(on: String)
    /// It will be valid from the date on.
    case notYetValid(from: String)
    /// It is for other names; those that it has, some of them if there are many, and the one that was wanted.
    case wrongName(names: [String], wanted: String)
    /// It has the address that was wanted as a DNS name, where only an iPAddress entry counts (RFC 9110 4.3.5).
    case addressAsName(String)
    /// It has the name that was wanted in its subject alone, which does not count (RFC 9525 2).
    case nameInSubject(String)
    /// It is signed by itself, and is not among the trusted.
    case selfSigned(subject: String)
    /// The server sent its chain up to this root, which is not trusted.
    case unknownRoot(String)
    /// The chain that the server sent ends at an authority whose issuer is not trusted: a root, most often, which servers leave out.
    case unknownChainEnd(issuer: String)
    /// The server sent its own certificate alone, and that says where its issuer's certificate can be had (RFC 5280 4.2.2.1). Public CAs write that into
    /// what an intermediate certificate issued, which a server has to send (RFC 8446 4.4.2); private ones do so for roots as well.
    case missingIntermediate(issuer: String)
    /// The server sent its own certificate alone, or none of an authority that may have issued it. The issuer may be a root that is not trusted, or an
    /// intermediate certificate that was left out.
    case unknownIssuer(issuer: String)
    /// The server showed none.
    case missing
    /// Its key is too short; the key, such as `1024-bit RSA`.
    case weakKey(String)
    /// It is signed with a digest that can be forged, such as SHA-1.
    case weakSignature(String)
    /// Its extended key usage does not have serverAuth (RFC 5280 4.2.1.12).
    case notForServers
    /// Its key usage does not have what TLS needs of it (RFC 5280 4.2.1.3): digitalSignature, nearly always.
    case keyUsage
    /// It signed another, and is no authority's (RFC 5280 4.2.1.9).
    case notAuthority
    /// There are more authorities below it than it allows (RFC 5280 4.2.1.9).
    case pathTooLong
    /// It has a name that an authority above it may not vouch for (RFC 5280 4.2.1.10).
    case nameConstraints
    /// It has a critical extension that is not known, by its object identifier (RFC 5280 4.2).
    case criticalExtension(String)
    /// Its issuer's key did not sign it.
    case badSignature
    /// It is signed in a way that the library cannot verify, in words.
    case unknownSignature(String)
    /// Its chain demands certificate policies, and has none in common (RFC 5280 4.2.1.11).
    case policy
    /// It cannot be read, or one of its extensions cannot.
    case malformed
    /// The chain breaks another rule; the library does not say which.
    case notAccepted(issuer: String?)
    /// The same of a certificate between the server's and its root, by its subject.
    case inChain(String, CertificateProblem)
}

extension CertificateProblem: CustomStringConvertible {
    /// In words, for a person.
    package var description: String { sentence(about: "the server's certificate") }

    private func sentence(about bearer: String) -> String {
        switch self {
        case .expired(let date): "\(bearer) expired on \(date)"
        case .notYetValid(let date): "\(bearer) is not valid until \(date)"
        case .wrongName(let names, let wanted):
            names.isEmpty
                ? "\(bearer) names no host, and \(wanted) was wanted"
                : "\(bearer) is for \(names.joined(separator: ", ")), not for \(wanted)"
        case .addressAsName(let address): "\(bearer) has \(address) as a DNS name; an IP address has to be an IP address entry"
        case .nameInSubject(let name): "\(bearer) has \(name) in its subject only; it has to be a subject alternative name"
        case .selfSigned(let subject): "\(bearer) is self-signed (\(subject))"
        case .unknownIssuer(let issuer):
            """
            \(bearer) was issued by \(issuer), which is not trusted here: it may be a private root, or an intermediate certificate that the server left \
            out, or sent without keyCertSign in its key usage
            """
        case .unknownRoot(let root): "\(bearer) leads to the root \(root), which is not trusted here"
        case .unknownChainEnd(let issuer): "the chain of \(bearer) ends at \(issuer), which is not trusted here"
        case .missingIntermediate(let issuer):
            """
            \(bearer) was issued by \(issuer), which is not trusted here and was not sent: it may be an intermediate certificate, which the server \
            has to send, or a private root
            """
        case .missing: "the server showed no certificate"
        case .weakKey(let key): "\(bearer) has a \(key) key; at least 2048 bits are required, or 224 with elliptic curves"
        case .weakSignature(let digest): "\(bearer) is signed with \(digest), which is not secure"
        case .notForServers: "\(bearer) is not valid for TLS servers (no serverAuth in its extended key usage)"
        case .keyUsage:
            "\(bearer) is not valid for TLS (no digitalSignature in its key usage, or no keyEncipherment with an RSA key exchange)"
        case .notAuthority: "\(bearer) signed another certificate and is not a CA certificate"
        case .pathTooLong: "\(bearer) has more CA certificates below it than its path length allows"
        case .nameConstraints: "\(bearer) has a name that its CA is not permitted to certify (name constraints)"
        case .criticalExtension(let identifier): "\(bearer) has an unknown critical extension (\(identifier))"
        case .badSignature: "\(bearer) has a signature that is not valid"
        case .unknownSignature(let kind): "\(bearer) is signed with \(kind), which the proxy cannot verify"
        case .policy: "\(bearer) does not have the certificate policy that its chain requires"
        case .malformed: "\(bearer), or one between it and its root, has an extension that is not valid"
        case .notAccepted(let issuer):
            "\(bearer)\(issuer.map { " (issued by \($0))" } ?? "") or one between it and its root is not acceptable"
        case .inChain(let name, let problem): problem.sentence(about: "the CA certificate \(name), above the server's,")
        }
    }

    /// What the user can do about it; nil where no option helps.
    package var advice: String? {
        switch self {
        case .keyUsage: nil
        case .selfSigned, .unknownRoot, .unknownChainEnd, .unknownIssuer:
            "trust it with --upstream-ca FILE, or skip verification with --insecure"
        case .missingIntermediate:
            "have the server send its whole chain, trust the issuer with --upstream-ca FILE, or skip verification with --insecure"
        default: "skip verification with --insecure"
        }
    }

    /// It is said of the server's certificate, wherever in the chain the library noticed.
    var isOfServer: Bool {
        switch self {
        case .unknownRoot, .unknownChainEnd, .missingIntermediate, .unknownIssuer: true
        default: false
        }
    }
}
