import NIOCore
import NIOPosix
import Testing

@testable import Demonstration

/// The app and its server without a proxy between them. The limit only ends what hangs: other tests may keep all threads for minutes.
@Suite("Chat", .timeLimit(.minutes(20))) struct ChatTests {
    private let group = MultiThreadedEventLoopGroup.singleton

    /// Answers whatever comes as a web server answers what it does not have.
    private final class NotFound: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")), promise: nil)
        }
    }

    private func server() throws -> ChatServer { try ChatServer(on: group, tls: nil, pace: .fast) }

    @Test("each script comes to its end", arguments: ChatScript.allCases)
    func script(_ script: ChatScript) async throws {
        let server = try server()
        defer { server.close() }
        try await ChatClient(on: group, pace: .fast).run(script, over: .plain(port: server.port))
    }

    @Test("one server serves several apps at once")
    func several() async throws {
        let server = try server()
        defer { server.close() }
        let port = server.port
        try await withThrowingTaskGroup { apps in
            for _ in 0..<8 {
                apps.addTask { try await ChatClient(on: group, pace: .fast).run(.farewell, over: .plain(port: port)) }
            }
            try await apps.waitForAll()
        }
    }

    @Test("an app that another program answers says so")
    func noWebSocket() async throws {
        let listening = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(NotFound()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listening.localAddress?.port)
        await #expect(throws: ChatFailure.notUpgraded) {
            try await ChatClient(on: group, pace: .fast).run(.farewell, over: .plain(port: port))
        }
        try await listening.close()
    }

    @Test("who speaks no WebSocket is hung up on", arguments: ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\u{0}\u{1}nonsense\r\n\r\n"])
    func stranger(says text: String) async throws {
        let server = try server()
        defer { server.close() }
        let ended = group.any().makePromise(of: Void.self)
        let channel = try await ClientBootstrap(group: group).connect(host: "127.0.0.1", port: server.port).get()
        channel.closeFuture.cascade(to: ended)
        try await channel.writeAndFlush(ByteBuffer(string: text))
        try await ended.futureResult.get()
    }
}
