import NIOCore
import NIOPosix
import NIOSSL
import Support

extension ProxyFindingCase {
    /// About TLS on one side of the proxy.
    static let oneSidedCases = [
        ProxyFindingCase(
            "tls-unwrapped",
            [
                "proxy.tls-unwrapped: TLS is spoken on one side of the proxy only: the client speaks TLS, and plaintext goes to the upstream ws://127.0.0.1:PORT, as its URL says. Without the proxy the client's TLS handshake would fail, unless the server speaks TLS: then the URL has to say so"
            ],
            // Two clients, one finding.
            fires: { try OneSidedTLS.toPlaintext(clients: 2, isSecure: true) },
            nearly: { try OneSidedTLS.toPlaintext(clients: 1, isSecure: false) }),
        ProxyFindingCase(
            "tls-unwrapped",
            [
                "proxy.tls-unwrapped: TLS is spoken on one side of the proxy only: the client speaks plaintext and the upstream tls://localhost:PORT speaks TLS. Without the proxy the client has to use TLS"
            ], fires: { try OneSidedTLS.toTLS(isSecure: false, says: "hello") },
            nearly: { try OneSidedTLS.toTLS(isSecure: true, says: "hello") }),
        ProxyFindingCase(
            "tls-unwrapped",
            [
                "proxy.tls-unwrapped: TLS is spoken on one side of the proxy only: the client speaks plaintext and the upstream tls://localhost:PORT speaks TLS. Without the proxy the client has to use TLS"
            ], fires: { try OneSidedTLS.toTLS(isSecure: false, says: "hello") },
            // A client that says nothing is no evidence.
            nearly: { try OneSidedTLS.toTLS(isSecure: false, says: "") }),
        ProxyFindingCase(
            "tls-unwrapped",
            [
                "proxy.tls-unwrapped: TLS is spoken on one side of the proxy only: the client speaks TLS, and plaintext goes to the upstream ws://127.0.0.1:PORT, as its URL says. Without the proxy the client's TLS handshake would fail, unless the server speaks TLS: then the URL has to say so"
            ], fires: { try OneSidedTLS.toPlaintext(clients: 1, isSecure: true) },
            // TLS that is passed through is not unwrapped.
            nearly: {
                let listener = try LoopbackListener()
                let upstream = ["--upstream", "ws://127.0.0.1:\(listener.port)", "--passthrough", "127.0.0.1"]
                return try ProxyRuns.proxied(upstream) { proxy in
                    let client = try LoopbackSocket(port: proxy.port)
                    let hello = Hello.bytes(name: "api.example")
                    try client.send(hello)
                    let server = try listener.accept()
                    _ = try server.receive(hello.count)
                    client.finish()
                    server.finish()
                    _ = try client.receiveToTheEnd()
                }
            }),
    ]
}

/// Clients of reverse mode whose side speaks TLS or not, and servers that do or do not.
private enum OneSidedTLS {
    static func toPlaintext(clients: Int, isSecure: Bool) throws -> [String] {
        let listener = try LoopbackListener()
        return try ProxyRuns.proxied(["--upstream", "ws://127.0.0.1:\(listener.port)"], closed: clients) { proxy in
            for _ in 0..<clients {
                let client = try Client(port: proxy.port, isSecure: isSecure)
                try client.say("ping")
                let server = try listener.accept()
                _ = try server.receive(4)
                server.finish()
                client.waitForEnd()
            }
        }
    }

    static func toTLS(isSecure: Bool, says words: String) throws -> [String] {
        let server = try TLSServer(TestAuthority().leaf(names: ["localhost"], addresses: []))
        return try ProxyRuns.proxied(["--insecure", "--upstream", "tls://localhost:\(server.port)"]) { proxy in
            let client = try Client(port: proxy.port, isSecure: isSecure)
            if !words.isEmpty { try client.say(words) }
            client.finish()
        }
    }

    /// A client that takes any certificate, or speaks plaintext.
    private final class Client {
        private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        private let channel: any Channel

        init(port: UInt16, isSecure: Bool) throws {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.certificateVerification = .none
            let context = try NIOSSLContext(configuration: configuration)
            channel = try ClientBootstrap(group: Self.group)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        guard isSecure else { return }
                        try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    }
                }
                .connect(host: "127.0.0.1", port: Int(port)).wait()
        }

        /// Returns once it is under TLS, where that is spoken.
        func say(_ words: String) throws { try channel.writeAndFlush(ByteBuffer(string: words)).wait() }

        func finish() { channel.close(promise: nil) }

        func waitForEnd() { try? channel.closeFuture.wait() }
    }
}
