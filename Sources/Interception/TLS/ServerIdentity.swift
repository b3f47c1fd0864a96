import CertificateAuthority
import Dissection
import NIOSSL

/// Whom a server has to be: the check of its certificate's names (RFC 9525), which comes on top of the library's check of the chain.
///
/// NIOSSL's own would tie the name to SNI and addresses to the socket's. Here a client may have sent no SNI, or another one, and the socket may
/// lead to another proxy.
package struct ServerIdentity: Sendable {
    /// A host name or the text of an IP address.
    package let name: String
    /// Whether certificates are verified at all.
    package let isVerified: Bool

    private let address: [UInt8]?

    package init(name: String, isVerified: Bool = true) {
        var name = name[...]
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        address = IPAddress(text: name.prefix { $0 != "%" })?.networkBytes
        if address == nil, name.hasSuffix(".") { name.removeLast() }
        self.name = String(name)
        self.isVerified = isVerified
    }

    /// Whether the certificate is this server's, and nothing was wrong with its chain: the library had the say of that already.
    func problem(with certificate: NIOSSLCertificate?, chain: ChainWatch?) -> CertificateProblem? {
        guard isVerified else { return nil }
        if let chain, chain.hasFault { return chain.problem(leaf: certificate, at: Self.now) ?? .notAccepted(issuer: nil) }
        return problem(with: certificate)
    }

    /// Whether the certificate is this server's: one of its subjectAltName entries has to match. The subject's common name does not count
    /// (RFC 9525 2).
    package func problem(with certificate: NIOSSLCertificate?) -> CertificateProblem? { isVerified ? mismatch(with: certificate) : nil }

    /// The same, also where it is not verified.
    func mismatch(with certificate: NIOSSLCertificate?) -> CertificateProblem? {
        guard let certificate else { return .missing }
        var names: [String] = []
        var isAddressNamed = false
        for entry in certificate._subjectAlternativeNames() {
            let content = Array(entry.contents)
            switch entry.nameType {
            case .dnsName:
                if address == nil, Self.matches(pattern: content, name: Array(name.utf8)) { return nil }
                let text = String(decoding: content, as: UTF8.self)
                if let address, IPAddress(text: text)?.networkBytes == address { isAddressNamed = true }
                if names.count < 8 { names.append(PrintableText.escaped(text)) }
            case .ipAddress:
                if let address, address == content { return nil }
                if names.count < 8, let text = IPAddress(networkBytes: content)?.literal { names.append(text) }
            default: continue
            }
        }
        if isAddressNamed { return .addressAsName(name) }
        if names.isEmpty, let der = try? certificate.toDERBytes(), let common = CertificateNames(certificate: der).commonName,
            Self.matches(pattern: Array(common.utf8), name: Array(name.utf8))
        {
            return .nameInSubject(name)
        }
        return .wrongName(names: names, wanted: name)
    }

    private static func matches(pattern: [UInt8], name: [UInt8]) -> Bool {
        HostNamePattern.matches(pattern.rawBytes, name: name.rawBytes)
    }
}
