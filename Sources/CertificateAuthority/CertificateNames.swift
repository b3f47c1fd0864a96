import Dissection

/// The names that a certificate is for, read from its DER form.
///
/// A server's certificate may have a key, a date or an extension that no library knows, and its names count all the same. What cannot be read is
/// left out; nothing is thrown and nothing can trap.
package struct CertificateNames: Hashable, Sendable {
    /// The `dNSName` entries that are names, wildcards among them, at most `limit`.
    package var dnsNames: [String] = []
    /// The `iPAddress` entries in network order, 4 or 16 bytes each, at most `limit`.
    package var ipAddresses: [[UInt8]] = []
    /// The subject's last common name (RFC 5280 4.1.2.6), whatever it says.
    package var commonName: String?

    /// The most names of a kind that are taken.
    package static let limit = 100

    /// The most bytes of a certificate that are looked at; more is no certificate that a TLS library accepts.
    private static let sizeLimit = 256 << 10

    /// - Parameter certificate: a Certificate as RFC 5280 4.1 defines it, or anything else.
    package init(certificate: [UInt8]) {
        guard certificate.count <= Self.sizeLimit, let read = X509Certificate(certificate.rawBytes) else { return }
        if let text = DistinguishedName.commonName(read.subjectName, certificate), text.count <= 255 {
            commonName = String(decoding: text, as: UTF8.self)
        }
        for (tag, range) in read.names {
            if tag == 0x87, ipAddresses.count < Self.limit { ipAddresses.append(Array(certificate[range])) }
            guard tag == 0x82, dnsNames.count < Self.limit else { continue }
            let name = HostName.dnsName(String(decoding: certificate[range], as: UTF8.self), allowsWildcard: true)
            if let name { dnsNames.append(name) }
        }
    }
}
