/// What the hellos of a TLS connection say, and the certificates of its server. Content: all ranges point into it.
public struct TLSFacts: Sendable {
    public enum Secrets: UInt8, Sendable, CaseIterable { case keylog, terminated, missing }

    /// The server name that the client asked for (RFC 6066, section 3); empty where there is none.
    public var serverName: ByteRange
    /// The application protocol that the server chose (RFC 7301); empty where it chose none or chose it under encryption.
    public var alpn: ByteRange
    /// The protocols that the client offered, as in its hello: each after a length byte.
    public var offeredALPN: ByteRange
    /// The agreed version as on the wire (0x0303 is TLS 1.2); absent without a ServerHello.
    public var version: UInt16?
    /// The agreed cipher suite as on the wire; absent without a ServerHello.
    public var cipher: UInt16?
    public var secrets: Secrets
    /// The certificates that the server showed, as a `CertificateList`; empty where it showed none, or they were not seen.
    public var certificates: ByteRange
    /// Those that the client showed, in the same form; empty where it was not asked for one, or has none.
    public var clientCertificates: ByteRange

    public init(
        serverName: ByteRange = ByteRange(), alpn: ByteRange = ByteRange(), offeredALPN: ByteRange = ByteRange(),
        version: UInt16? = nil, cipher: UInt16? = nil, secrets: Secrets, certificates: ByteRange = ByteRange(),
        clientCertificates: ByteRange = ByteRange()
    ) {
        self.serverName = serverName
        self.alpn = alpn
        self.offeredALPN = offeredALPN
        self.version = version
        self.cipher = cipher
        self.secrets = secrets
        self.certificates = certificates
        self.clientCertificates = clientCertificates
    }
}
