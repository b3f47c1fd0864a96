import CertificateAuthority
import Foundation
import NIOCore
import NIOEmbedded
import NIOSSL
import Testing

/// A leaf in the hands of the TLS library that the proxy uses.
@Suite("NIOSSL takes leaves as they come")
struct LeafHandshakeTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-" + UUID().uuidString).path

    @Test(
        "chain and key load, and a client that trusts the authority finishes the handshake for each name and address",
        arguments: ["chat.example", "eu.chat.example", "other.example"])
    func handshake(name: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let authority = try LocalAuthority.loadOrCreate(in: AuthorityFolder(path: folder))
        let leaf = try authority.issue(LeafRequest(dnsNames: ["chat.example", "*.chat.example"], commonName: "chat.example"))
        let serving = TLSConfiguration.makeServerConfiguration(
            certificateChain: try leaf.chain.map { .certificate(try NIOSSLCertificate(bytes: $0, format: .der)) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: leaf.key.der, format: .der)))
        var asking = TLSConfiguration.makeClientConfiguration()
        asking.trustRoots = .certificates([try NIOSSLCertificate(bytes: authority.certificate.der, format: .der)])

        let server = EmbeddedChannel(handler: NIOSSLServerHandler(context: try NIOSSLContext(configuration: serving)))
        let context = try NIOSSLContext(configuration: asking)
        let client = EmbeddedChannel(handler: try NIOSSLClientHandler(context: context, serverHostname: name))
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        server.connect(to: address, promise: nil)
        client.connect(to: address, promise: nil)
        client.write(ByteBuffer(string: "hello"), promise: nil)
        client.flush()
        var received = ByteBuffer()
        do {
            // A handshake takes a few rounds; forty would be a quarrel.
            for _ in 0..<40 where received.readableBytes < 5 {
                while let bytes = try client.readOutbound(as: ByteBuffer.self) { try server.writeInbound(bytes) }
                while let bytes = try server.readOutbound(as: ByteBuffer.self) { try client.writeInbound(bytes) }
                while var bytes = try server.readInbound(as: ByteBuffer.self) { received.writeBuffer(&bytes) }
            }
            #expect(name != "other.example")
            #expect(received == ByteBuffer(string: "hello"))
        } catch {
            #expect(name == "other.example", "\(error)")
        }
        // Neither waits for the other's close_notify longer than its clock says.
        for channel in [client, server] {
            channel.close(promise: nil)
            channel.embeddedEventLoop.advanceTime(by: .minutes(1))
        }
    }
}
