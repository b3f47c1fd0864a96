import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

/// A chat server on loopback, with one room in which Ben is.
package final class ChatServer: Sendable {
    /// The port that the kernel chose, at 127.0.0.1.
    package let port: Int

    private let listening: any Channel

    /// What it speaks inside the WebSocket.
    static let subprotocol = "chat.v2"

    /// Binds and begins to accept.
    ///
    /// - Parameter tls: what it proves itself with; nil for plaintext.
    package init(on group: MultiThreadedEventLoopGroup, tls: NIOSSLContext?, pace: Pace) throws {
        listening = try ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try Self.upgrade(channel).whenComplete { outcome in
                        guard case .success(let socket?) = outcome else { return channel.close(promise: nil) }
                        // Ends with its connection.
                        Task { try? await Self.serve(socket, pace: pace) }
                    }
                    try channel.pipeline.syncOperations.addHandler(HangUpOnError())
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        port = listening.localAddress?.port ?? 0
    }

    /// Accepts nobody any more.
    package func close() { listening.close(promise: nil) }

    /// Answers the opening handshake; nil where the client asked for something else.
    private static func upgrade(_ channel: any Channel) throws -> EventLoopFuture<ChatSocket.Channel?> {
        let upgrader = NIOTypedWebSocketServerUpgrader<ChatSocket.Channel?>(
            shouldUpgrade: { channel, head in
                let offered = head.headers[canonicalForm: "Sec-WebSocket-Protocol"]
                let fields: HTTPHeaders = offered.contains(Substring(subprotocol)) ? ["Sec-WebSocket-Protocol": subprotocol] : [:]
                return channel.eventLoop.makeSucceededFuture(fields)
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture { try ChatSocket.Channel(wrappingChannelSynchronously: channel) }
            })
        let configuration = NIOTypedHTTPServerUpgradeConfiguration<ChatSocket.Channel?>(
            upgraders: [upgrader], notUpgradingCompletionHandler: { $0.eventLoop.makeSucceededFuture(nil) })
        return try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
            configuration: .init(upgradeConfiguration: configuration))
    }

    private static func serve(_ channel: ChatSocket.Channel, pace: Pace) async throws {
        try await channel.executeThenClose { incoming, outgoing in
            var room = ChatRoom(socket: ChatSocket(incoming, outgoing, masks: nil), pace: pace)
            try await room.attend()
        }
    }
}
