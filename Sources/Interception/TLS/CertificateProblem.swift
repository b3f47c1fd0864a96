/// Why a server's certificate was not accepted.
package enum CertificateProblem: Hashable, Sendable {
    /// It was valid until the date.
    case expired(on: String)
    /// It will be valid from the date on.
    case notYetValid(from: String)
    /// It is for other names; those that it has, some of them if there are many, and the one that was wanted.
    case wrongName(names: [String], wanted: String)
    /// It is signed by itself, and is not among the trusted.
    case selfSigned(subject: String)
    /// Nobody that is trusted here vouches for the authority that signed it, or the server left out the certificates in between.
    case unknownIssuer(issuer: String)
    /// The server showed none.
    case missing
    /// The chain breaks another rule, such as a limit to its authority's names; the library does not say which.
    case notAccepted(issuer: String?)
}

extension CertificateProblem: CustomStringConvertible {
    /// In words, for a person.
    package var description: String {
        switch self {
        case .expired(let date): "the server's certificate expired on \(date)"
        case .notYetValid(let date): "the server's certificate is not valid until \(date)"
        case .wrongName(let names, let wanted):
            names.isEmpty
                ? "the server's certificate names no host, and \(wanted) was wanted"
                : "the server's certificate is for \(names.joined(separator: ", ")), not for \(wanted)"
        case .selfSigned(let subject): "the server's certificate is self-signed (\(subject))"
        case .unknownIssuer(let issuer):
            "the server's certificate was issued by an authority that is not known here (\(issuer)), or the server left out the certificates between"
        case .missing: "the server showed no certificate"
        case .notAccepted(let issuer):
            "the server's certificate\(issuer.map { " (issued by \($0))" } ?? "") or one between it and its root is not acceptable"
        }
    }

    /// What the user can do about it.
    package var advice: String {
        switch self {
        case .selfSigned, .unknownIssuer:
            "trust it with --upstream-ca FILE, or skip verification with --insecure"
        case .expired, .notYetValid, .wrongName, .missing, .notAccepted: "skip verification with --insecure"
        }
    }
}
