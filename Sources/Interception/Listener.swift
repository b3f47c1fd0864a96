import Dissection
import Libc
import NIOCore
import NIOPosix

/// Accepts clients at one address and begins a session for each.
///
/// When the process has run out of files it accepts nobody for a moment: the kernel keeps who is waiting, and
/// trying again at once would only burn the processor.
final class Listener: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    private static let pause = TimeAmount.milliseconds(250)

    private let box: CoreBox
    private var isPaused = false

    private init(_ box: CoreBox) { self.box = box }

    /// Binds; accepts nobody before `autoRead` is switched on, by when the box has its core.
    static func bind(_ entrance: ProxySettings.Entrance, box: CoreBox, group: any EventLoopGroup) -> EventLoopFuture<any Channel> {
        let mode = entrance.mode
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.maxMessagesPerRead, value: 16)
            .serverChannelOption(.autoRead, value: false)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Listener(box)) }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let core = box.core { try Self.accept(channel, mode: mode, core: core) }
                }
            }
        if let socket = entrance.socket { return bootstrap.withBoundSocket(socket) }
        switch entrance.address {
        case .tcp(let host, let port): return bootstrap.bind(host: host, port: Int(port))
        case .unix(let path): return bootstrap.bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true)
        }
    }

    /// Fails where somebody listens at the path of a Unix socket already: binding there would take it away, since a file that an
    /// earlier run left behind is removed.
    static func checkFree(_ address: ListenAddress, group: any EventLoopGroup) -> EventLoopFuture<Void> {
        let loop = group.next()
        guard case .unix(let path) = address else { return loop.makeSucceededVoidFuture() }
        return ClientBootstrap(group: loop).connect(unixDomainSocketPath: path)
            .flatMap { $0.close() }
            .map { true }
            // A full queue of connections has somebody behind it as well.
            .flatMapErrorThrowing { ($0 as? IOError)?.errnoCode == EAGAIN }
            .flatMapThrowing { isTaken in if isTaken { throw IOError(errnoCode: EADDRINUSE, reason: "bind") } }
    }

    private static func accept(_ channel: any Channel, mode: ModeSpec, core: ProxyCore) throws {
        let tap = core.makeTap(.client)
        if let tap { try channel.pipeline.syncOperations.addHandler(tap) }
        let leg = Leg(side: .client, mark: StreamSocket.prepare(channel, isPreamble: true), tap: tap)
        try channel.pipeline.syncOperations.addHandler(leg)
        let loop = channel.eventLoop
        leg.onActive = { [unowned leg] in
            ClientSession(core: core, front: mode.makeFront(core: core), client: leg, loop: loop).start()
        }
    }

    func read(context: ChannelHandlerContext) {
        guard !isPaused else { return }
        guard let recorder = box.core?.recorder, !recorder.hasRoom else { return context.read() }
        // What begins is recorded too: no more of it than the writer can take.
        isPaused = true
        let waiting = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        recorder.whenRoom(on: context.eventLoop) {
            let (listener, context) = waiting.value
            listener.isPaused = false
            context.read()
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let system = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(system.errnoCode), !isPaused else { return }
        isPaused = true
        let advice = system.errnoCode == EMFILE ? " (\(FileLimit.current)); \(FileLimit.advice)" : ""
        box.core?.noteOutOfFiles(String(cString: strerror(system.errnoCode)) + advice)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            self.isPaused = false
            context.read()
        }
    }
}

extension ModeSpec {
    /// What learns the destination of one client in this mode.
    func makeFront(core: ProxyCore) -> any Front {
        switch self {
        case .reverse(let upstream): ReverseFront(Plan(upstream), core: core)
        case .http: HTTPFront(core: core)
        case .socks5: SOCKSFront(core: core)
        case .transparent: TransparentFront(core: core)
        }
    }

    /// Whether clients of this mode are likely to speak TLS to the proxy.
    var needsAuthority: Bool { if case .reverse(let upstream) = self { upstream.scheme.isSecure } else { true } }
}
