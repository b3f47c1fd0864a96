import Foundation
import Interception
import NIOCore
import NIOPosix

/// The smallest relay between two TLS legs: what it cannot pass on, no relay built on legs can.
final class TestRelay {
    let port: Int
    private let listening: any Channel
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Listens on loopback, and dials `upstream` on loopback for each client.
    init(upstream: Int, upstreamTLS: UpstreamTLS, certificate: ServingCertificate) throws {
        let downstreamTLS = DownstreamTLS()
        listening = try ServerBootstrap(group: Self.group)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_rcvbuf), value: 32_768)
            .childChannelOption(.socketOption(.so_sndbuf), value: 32_768)
            .childChannelInitializer { channel in
                let client = RelaySide()
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(client)
                    Self.dial(upstream, for: channel, client, upstreamTLS, downstreamTLS, certificate)
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        port = listening.localAddress?.port ?? 0
    }

    deinit { try? listening.close().wait() }

    private static func dial(
        _ port: Int, for clientChannel: any Channel, _ client: RelaySide, _ upstreamTLS: UpstreamTLS, _ downstreamTLS: DownstreamTLS,
        _ certificate: ServingCertificate
    ) {
        let dialled = ClientBootstrap(group: clientChannel.eventLoop)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_rcvbuf), value: 32_768)
            .channelOption(.socketOption(.so_sndbuf), value: 32_768)
            .connect(host: "127.0.0.1", port: port)
        dialled.assumeIsolated().whenSuccess { serverChannel in
            do {
                let server = RelaySide()
                try serverChannel.pipeline.syncOperations.addHandler(server)
                (client.other, server.other) = (server, client)
                let leg = try upstreamTLS.connect(
                    serverChannel, before: server, target: .init(serverName: "localhost", identity: "localhost"))
                server.leg = leg
                leg.handshake.assumeIsolated().whenSuccess { agreement in
                    do {
                        let leg = try downstreamTLS.accept(
                            clientChannel, before: client, certificate: certificate, alpn: agreement.alpn, replaying: nil)
                        client.leg = leg
                        leg.handshake.assumeIsolated().whenSuccess { _ in
                            client.start()
                            server.start()
                        }
                    } catch { clientChannel.close(promise: nil) }
                }
            } catch { serverChannel.close(promise: nil) }
        }
        dialled.whenFailure { _ in clientChannel.close(promise: nil) }
    }
}

/// One side of the relay: hands on what comes, reads on when it was written, and repeats each ending on the other side.
private final class RelaySide: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    var other: RelaySide?
    var leg: TLSLeg?
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        other = nil
    }

    /// What came before the other side could take it.
    private var early: [(RelaySide) -> Void] = []
    private var isStarted = false

    func start() {
        isStarted = true
        for step in early { step(self) }
        early = []
        context?.read()
    }

    private func act(_ step: @escaping (RelaySide) -> Void) {
        if isStarted { step(self) } else { early.append(step) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        act { side in
            guard let target = side.other?.context else { return }
            let written = target.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenSuccess { side.context?.read() }
            target.writeAndFlush(side.wrapOutboundOut(bytes), promise: written)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let ending = event as? WireEnding else { return }
        act { side in
            switch ending {
            case .closeNotify: side.other?.leg?.sendCloseNotify()
            case .fin: side.other?.leg?.sendFIN()
            case .reset, .broken: side.other?.leg?.sendReset()
            }
        }
    }
}
