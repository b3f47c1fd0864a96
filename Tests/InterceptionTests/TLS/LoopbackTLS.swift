import Interception
import NIOCore
import NIOPosix

/// Two channels joined through loopback, and what their last handlers saw, line by line.
final class LoopbackTLS: Sendable {
    static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    let client: any Channel
    let server: any Channel
    let clientLog: Log
    let serverLog: Log

    init() throws {
        let loop = Self.group.next()
        let (clientLog, serverLog) = (Log(loop), Log(loop))
        let accepted = loop.makePromise(of: (any Channel).self)
        let listening = try ServerBootstrap(group: loop)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(LogHandler(serverLog))
                    accepted.succeed(channel)
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        client = try ClientBootstrap(group: loop)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(LogHandler(clientLog)) }
            }
            .connect(host: "127.0.0.1", port: listening.localAddress?.port ?? 0).wait()
        server = try accepted.futureResult.wait()
        try listening.close().wait()
        self.clientLog = clientLog
        self.serverLog = serverLog
    }

    deinit {
        client.close(promise: nil)
        server.close(promise: nil)
    }

    /// A handshake with a server that is not ours.
    static func handshake(_ upstream: UpstreamTLS, _ target: UpstreamTLS.Target, port: Int) throws -> Result<TLSAgreement, any Error> {
        let log = Log(group.next())
        let channel = try ClientBootstrap(group: group)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(LogHandler(log)) }
            }
            .connect(host: "127.0.0.1", port: port).wait()
        defer { channel.close(promise: nil) }
        let future = try channel.eventLoop.submit {
            let leg = try upstream.connect(channel, before: log.requireHandler(), target: target)
            log.leg = leg
            return leg.handshake
        }.wait()
        return Result { try future.wait() }
    }

    /// Runs on the loop of both channels.
    func onLoop<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        try client.eventLoop.submit(body).wait()
    }

    /// The handshakes of both sides, and how they came out.
    struct Handshake: Sendable {
        var client: Result<TLSAgreement, any Error>
        var server: Result<TLSAgreement, any Error>
        var serverOutcome: ClientHandshakeOutcome?
    }

    /// Speaks TLS over the two channels.
    func handshake(
        _ upstream: UpstreamTLS, _ target: UpstreamTLS.Target, _ downstream: DownstreamTLS, _ certificate: ServingCertificate,
        alpn: String? = nil
    ) throws -> Handshake {
        let (client, server) = (client, server)
        let (clientLog, serverLog) = (clientLog, serverLog)
        let futures = try onLoop {
            let one = try downstream.accept(
                server, before: serverLog.requireHandler(), certificate: certificate, alpn: alpn, replaying: nil)
            serverLog.leg = one
            let other = try upstream.connect(client, before: clientLog.requireHandler(), target: target)
            clientLog.leg = other
            // Taken as it fails: the leg is let go when its channel is closed.
            one.handshake.assumeIsolated().whenFailure { serverLog.outcome = one.outcome(ofFailure: $0) }
            return (other.handshake, one.handshake)
        }
        let clientResult = Result { try futures.0.wait() }
        let serverResult = Result { try futures.1.wait() }
        let outcome = try onLoop { serverLog.outcome }
        return Handshake(client: clientResult, server: serverResult, serverOutcome: outcome)
    }
}

/// What a channel's last handler saw.
///
/// Unchecked because everything in it is touched on the channel's loop alone, except the future, which may be waited for anywhere.
final class Log: @unchecked Sendable {
    struct Missing: Error {}

    weak var handler: LogHandler?
    var leg: TLSLeg?
    var outcome: ClientHandshakeOutcome?
    var lines: [String] = []
    /// Done when the channel is inactive, with all lines.
    let ended: EventLoopPromise<[String]>
    /// What the first read brought.
    let firstBytes: EventLoopPromise<ByteBuffer>

    init(_ loop: any EventLoop) {
        ended = loop.makePromise()
        firstBytes = loop.makePromise()
    }

    func requireHandler() throws -> LogHandler { if let handler { handler } else { throw Missing() } }
}

/// Logs what comes, and reads on.
final class LogHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let log: Log

    init(_ log: Log) { self.log = log }

    func handlerAdded(context: ChannelHandlerContext) { log.handler = self }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        log.firstBytes.succeed(unwrapInboundIn(data))
        log.lines.append(String(buffer: unwrapInboundIn(data)))
        if log.leg != nil { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { log.lines.append("\(event)") }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { log.lines.append("error \(error)") }

    func channelInactive(context: ChannelHandlerContext) {
        log.leg = nil
        log.firstBytes.fail(ChannelError.eof)
        log.ended.succeed(log.lines)
    }
}
