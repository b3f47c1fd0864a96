/// What a finished handshake agreed on.
package struct TLSAgreement: Hashable, Sendable {
    /// As on the wire: 0x0303 for TLS 1.2, 0x0304 for TLS 1.3.
    package var version: UInt16
    /// As on the wire, such as 0x1301; nil where the ServerHello could not be read on its way past.
    package var cipherSuite: UInt16?
    /// The server asked for a client certificate (RFC 8446, section 4.3.2).
    package var hasAskedForCertificate = false
    /// The protocol that the server chose (RFC 7301); nil where it chose none.
    package var alpn: String?
    /// The certificate that the peer showed, DER; nil where it showed none, as clients do.
    package var peerCertificate: [UInt8]?
    /// What is wrong with the server's certificate where it is taken unverified, apart from an authority that is not trusted.
    package var unverifiedProblem: CertificateProblem?
}
