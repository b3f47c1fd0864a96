import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

/// How Ana's app reaches its server.
package enum ChatRoute: Sendable {
    /// `ws://`, at the port of a reverse proxy.
    case plain(port: Int)
    /// `wss://`, through an HTTP proxy that opens a tunnel to the server.
    case tunnel(proxyPort: Int, serverPort: Int, tls: NIOSSLContext)
}

/// Ana's app: the client of the chat.
package struct ChatClient: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let pace: Pace

    package init(on group: MultiThreadedEventLoopGroup, pace: Pace) {
        self.group = group
        self.pace = pace
    }

    /// Connects, says what the script says, and waits until the server has hung up.
    package func run(_ script: ChatScript, over route: ChatRoute) async throws {
        try await pace.wait()
        guard let channel = try await connect(route).get() else { throw ChatFailure.notUpgraded }
        try await channel.executeThenClose { incoming, outgoing in
            var socket = ChatSocket(incoming, outgoing, masks: MaskingKeys())
            try await script.play(&socket, pace: pace)
            while try await socket.hear() != nil {}
        }
    }

    private func connect(_ route: ChatRoute) async throws -> EventLoopFuture<ChatSocket.Channel?> {
        let (port, serverPort) =
            switch route {
            case .plain(let port): (port, port)
            case .tunnel(let proxyPort, let serverPort, _): (proxyPort, serverPort)
            }
        return try await ClientBootstrap(group: group).connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                if case .tunnel(_, let serverPort, let tls) = route {
                    try channel.pipeline.syncOperations.addHandlers(
                        TunnelRequest(to: "localhost:\(serverPort)"), NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
                }
                let upgraded = try Self.upgrade(channel, host: "localhost:\(serverPort)")
                upgraded.whenComplete { outcome in
                    guard case .success(.some) = outcome else { return channel.close(promise: nil) }
                }
                return upgraded
            }
        }
    }

    /// Sends the opening handshake as soon as the channel is up; nil where the server answers with anything but 101.
    private static func upgrade(_ channel: any Channel, host: String) throws -> EventLoopFuture<ChatSocket.Channel?> {
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: "/rooms/7",
            headers: ["Host": host, "User-Agent": "anas-app/1.0", "Sec-WebSocket-Protocol": "\(ChatServer.subprotocol), chat.v1"])
        let upgrader = NIOTypedWebSocketClientUpgrader<ChatSocket.Channel?>(
            // The key of the example in RFC 6455, section 1.3, so that one run looks like the next.
            requestKey: "dGhlIHNhbXBsZSBub25jZQ==",
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture { try ChatSocket.Channel(wrappingChannelSynchronously: channel) }
            })
        let configuration = NIOTypedHTTPClientUpgradeConfiguration<ChatSocket.Channel?>(
            upgradeRequestHead: head, upgraders: [upgrader], notUpgradingCompletionHandler: { $0.eventLoop.makeSucceededFuture(nil) })
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: .init(upgradeConfiguration: configuration))
    }
}
