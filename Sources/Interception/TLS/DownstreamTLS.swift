import NIOCore
import NIOSSL

/// What the proxy proves itself with towards a client.
package struct ServingCertificate: Hashable, Sendable {
    /// DER, the leaf first.
    package var chain: [[UInt8]]
    /// The leaf's key, PKCS #8 (RFC 5958) or SEC 1 (RFC 5915), DER.
    package var key: [UInt8]

    package init(chain: [[UInt8]], key: [UInt8]) {
        self.chain = chain
        self.key = key
    }
}

/// TLS towards clients: a context for each leaf and protocol, and legs from them.
///
/// A client may resume a session with the same leaf and protocol (NIOSSL has no way to forbid it). That changes nothing the server sees, whose
/// connection is always new, and nothing in what is relayed.
package final class DownstreamTLS: Sendable {
    private struct Key: Hashable, Sendable {
        var leaf: [UInt8]
        var alpn: String?
    }

    /// Contexts kept.
    package static let contextLimit = 512

    private let cache = TLSContextCache<Key>(limit: contextLimit)
    private let secrets: SecretSink?

    /// - Parameter secrets: takes each line of a key log, on the event loop whose session it is of, before anything under it is sent.
    package init(secrets: SecretSink? = nil) { self.secrets = secrets }

    /// Begins TLS on an active channel, in front of `handler`. On the channel's event loop.
    ///
    /// - Parameters:
    ///   - alpn: the protocol that the server chose; nil leaves the extension unanswered.
    ///   - bytes: what the client sent so far, its ClientHello.
    package func accept(
        _ channel: any Channel, before handler: any ChannelHandler, certificate: ServingCertificate, alpn: String?,
        replaying bytes: ByteBuffer?
    ) throws -> TLSLeg {
        let tls = NIOSSLServerHandler(context: try context(certificate, alpn.flatMap { UpstreamOffer.canOffer($0) ? $0 : nil }))
        let leg = TLSLeg(tls, on: channel, identity: nil)
        try leg.install(before: handler, replaying: bytes)
        return leg
    }

    private func context(_ certificate: ServingCertificate, _ alpn: String?) throws -> NIOSSLContext {
        try cache.context(for: Key(leaf: certificate.chain.first ?? [], alpn: alpn)) {
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: try certificate.chain.map { .certificate(try NIOSSLCertificate(bytes: $0, format: .der)) },
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: certificate.key, format: .der)))
            configuration.minimumTLSVersion = .tlsv12
            configuration.curves = KeyExchange.groups
            configuration.applicationProtocols = alpn.map { [$0] } ?? []
            if let secrets { configuration.keyLogCallback = secrets }
            return try NIOSSLContext(configuration: configuration)
        }
    }
}
