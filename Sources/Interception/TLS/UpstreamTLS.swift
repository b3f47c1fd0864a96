import NIOCore
import NIOSSL

/// TLS towards servers: contexts for each list of protocols, and legs from them.
///
/// Sessions are never resumed: every connection shows the server's certificate, and verification happens each time.
package final class UpstreamTLS: Sendable {
    /// What one connection asks for.
    package struct Target: Hashable, Sendable {
        /// For SNI (RFC 6066 3); nil sends none. What cannot be sent there, such as an IP address, is left out.
        package var serverName: String?
        /// Whom the certificate has to name: a host name or the text of an address.
        package var identity: String
        /// Protocols to offer, in order (RFC 7301); none leaves the extension out. What cannot be offered is left out (see `UpstreamOffer`).
        package var alpn: [String]

        package init(serverName: String?, identity: String, alpn: [String] = []) {
            self.serverName = serverName
            self.identity = identity
            self.alpn = alpn
        }
    }

    /// Contexts kept, one a list of protocols.
    package static let contextLimit = 64

    private let cache = TLSContextCache<[String]>(limit: contextLimit)
    private let base: TLSConfiguration
    private let isVerifying: Bool
    private let additionalRoots: [NIOSSLCertificate]

    /// Reads the files of the options and the system's roots, once.
    ///
    /// - Parameters:
    ///   - secrets: takes each line of a key log, on the event loop whose session it is of, before what it opens is read.
    ///   - system: the CAs of the system; none where it has no list of them.
    /// - Throws: `TLSFileError`.
    package init(
        _ options: UpstreamTLSOptions = UpstreamTLSOptions(), secrets: SecretSink? = nil,
        system: [NIOSSLCertificate] = SystemRoots.certificates
    ) throws {
        var base = TLSConfiguration.makeClientConfiguration()
        base.minimumTLSVersion = .tlsv12
        base.curves = KeyExchange.groups
        isVerifying = options.isVerifying
        additionalRoots = try options.readAdditionalRoots()
        if options.isVerifying {
            // The names are verified by `ServerIdentity`.
            base.certificateVerification = .noHostnameVerification
            // One list, since a renewed root and the old one may stand in different ones.
            let living = TwinRoots.withoutUntimely(system + additionalRoots, at: ServerIdentity.now)
            // The library's own search for a list ends in an error where there is none, as in a small container.
            if SystemRoots.areTheSystemsOwn {
                base.additionalTrustRoots = additionalRoots.isEmpty ? [] : [.certificates(living)]
            } else {
                base.trustRoots = .certificates(living)
            }
        } else {
            base.certificateVerification = .none
        }
        // The user asked to take what comes: then SHA-1 too.
        base.verifySignatureAlgorithms = Self.signatureAlgorithms + (options.isVerifying ? [] : [.rsaPkcs1Sha1])
        if let client = try options.readClientCertificate() {
            base.certificateChain = client.chain.map(NIOSSLCertificateSource.certificate)
            base.privateKey = .privateKey(client.key)
        }
        if let secrets { base.keyLogCallback = secrets }
        self.base = base
        // A key that does not belong to its certificate is reported now, not at the first connection.
        do {
            _ = try context(alpn: [])
        } catch {
            guard options.clientCertificate != nil else { throw TLSFileError(path: "TLS", problem: "\(error)") }
            throw TLSFileError(
                path: options.clientKey ?? options.clientCertificate ?? "TLS", problem: "the key does not fit the certificate")
        }
    }

    /// Begins TLS on a connected channel, in front of `handler`. On the channel's event loop.
    ///
    /// - Parameter bytes: What was read from the server already: it belongs to TLS like all that follows, or to nothing.
    package func connect(
        _ channel: any Channel, before handler: any ChannelHandler, target: Target, replaying bytes: ByteBuffer? = nil
    ) throws -> TLSLeg {
        let additionalRoots = additionalRoots
        let chain = ChainWatch(isVerifying: isVerifying) { additionalRoots + SystemRoots.certificates }
        let maker: any WatchedHandshake.Type = LibraryHandshake.self
        let tls = try maker.handler(
            context: context(alpn: target.alpn.filter(UpstreamOffer.canOffer)),
            serverHostname: target.serverName.flatMap(UpstreamOffer.sniName), watch: chain.judge)
        let leg = TLSLeg(tls, on: channel, identity: ServerIdentity(name: target.identity, isVerified: isVerifying), chain: chain)
        try leg.install(before: handler, replaying: bytes)
        return leg
    }

    /// What is taken in a server's own signature (RFC 8446 4.2.3): all that the library can verify, without SHA-1, which security level 2
    /// of OpenSSL does not allow there either. The library's own list has neither P-521 nor Ed25519, and servers with such a key alone
    /// then find nothing to sign with. Those stand last: servers that have another key show that.
    private static let signatureAlgorithms: [SignatureAlgorithm] = [
        .ecdsaSecp256R1Sha256, .rsaPssRsaeSha256, .rsaPkcs1Sha256, .ecdsaSecp384R1Sha384, .rsaPssRsaeSha384, .rsaPkcs1Sha384,
        .rsaPssRsaeSha512, .rsaPkcs1Sha512, .ecdsaSecp521R1Sha512, .ed25519,
    ]

    private func context(alpn: [String]) throws -> NIOSSLContext {
        try cache.context(for: alpn) {
            var configuration = base
            configuration.applicationProtocols = alpn
            return try NIOSSLContext(configuration: configuration)
        }
    }
}
