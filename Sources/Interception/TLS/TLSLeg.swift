import Dissection
import NIOCore
import NIOSSL

/// The TLS end of one side of a relay: the handshake, then close_notify, FIN and RST each on its own, in both directions.
///
/// NIOSSL pairs every close_notify with a FIN and hides a FIN after close_notify. So it is put between two handlers: `CiphertextHandler` on its network
/// side keeps the socket's FIN, RST and close to itself, and `PlaintextHandler` on the other side turns what NIOSSL says into `WireEnding` events.
///
/// A leg lives on its channel's event loop; everything here is called there. `README.md` in this folder says how a relay uses it.
package final class TLSLeg {
    enum Phase { case handshaking, open, failed }

    /// How long more is waited for of what a peer says in the place of TLS: after each read, and in all.
    private static let quiet = TimeAmount.milliseconds(200)
    private static let patience = TimeAmount.seconds(1)

    /// Done when application data may flow; fails with a `TLSTrouble`, and the leg then closes the channel by itself, after the alert has left.
    /// Closing the channel makes it fail with `TLSTrouble.cancelled`.
    package let handshake: EventLoopFuture<TLSAgreement>
    /// Whether application data of the peer has come.
    package internal(set) var hasReceived = false
    /// Bytes of ciphertext that came after the read that brought the peer's close_notify; they mean nothing and are dropped (RFC 8446 6.1).
    package private(set) var bytesAfterCloseNotify = 0
    /// Bytes of the peer's that the handshake has taken.
    private(set) var handshakeBytes = 0
    /// Called when more of them have come.
    var onGrowth: (() -> Void)?
    /// Called once when such bytes come.
    var onStray: (() -> Void)?
    /// Whether the handshake got so far that our first flight left; a server's holds its certificate.
    package internal(set) var hasSentFlight = false
    /// The peer had ended the connection, or its half of it, before that flight left.
    var wasPeerGone = false
    /// Whether the peer has acknowledged all of that flight, and ended only then; known once the handshake has failed.
    private(set) var hasFlightArrived = false

    let channel: any Channel
    /// Whom the server has to be; nil on the side of the client.
    let identity: ServerIdentity?
    /// What the library said of the server's chain; nil on the side of the client.
    private let chain: ChainWatch?
    private(set) var phase = Phase.handshaking
    /// How far both halves of the connection have come.
    private var ends = HalfClose()
    /// Whether the reader behind us has asked for more.
    var isWanted = false
    /// The error of the socket, which NIO tells before it closes the channel.
    var socketError: (any Error)?
    var watch = HelloWatch()
    var alertWatch = PlainAlertWatch()
    /// On the side of the server.
    var certificateWatch = ClientCertificateWatch()
    var foreign = ForeignBytes()
    var wire: CiphertextHandler?
    var wireContext: ChannelHandlerContext?
    var plaintextContext: ChannelHandlerContext?

    private let tls: NIOSSLHandler
    private let promise: EventLoopPromise<TLSAgreement>
    /// A handshake that has failed, while the peer is listened to that does not speak TLS, or has sent an alert.
    private var listening: (reason: TLSTrouble, until: NIODeadline, next: Scheduled<Void>?)?
    /// How the peer has left, as far as it has.
    private(set) var peerEnd = Closing.End.open

    var peerHasSentCloseNotify: Bool { ends.peerHasSentCloseNotify }

    /// Memory that it takes, in bytes: what is held here, and an estimate of what the library holds.
    var cost: Int {
        switch phase {
        case .handshaking: TLSMemory.perHandshake + TLSMemory.perHandshakeByte * handshakeBytes + foreign.bytes.readableBytes
        case .open: TLSMemory.perSession
        case .failed: foreign.bytes.readableBytes
        }
    }

    /// The handshake has been given more bytes of the peer's.
    func noteGrowth(_ count: Int) {
        handshakeBytes += count
        onGrowth?()
    }

    /// Drops what came after the peer's close_notify.
    func drop(_ bytes: ByteBuffer) {
        bytesAfterCloseNotify += bytes.readableBytes
        onStray?()
        onStray = nil
    }

    /// - Parameters:
    ///   - tls: a new handler that is in no pipeline.
    ///   - identity: whom the server has to be, on the side of the server.
    ///   - chain: what `tls` asks about the server's chain, on the side of the server.
    init(_ tls: NIOSSLHandler, on channel: any Channel, identity: ServerIdentity?, chain: ChainWatch? = nil) {
        self.tls = tls
        self.channel = channel
        self.identity = identity
        self.chain = chain
        promise = channel.eventLoop.makePromise(of: TLSAgreement.self)
        handshake = promise.futureResult
    }

    /// Puts the handlers in front of `handler`, which has to be in the pipeline of an active channel, and begins the handshake.
    ///
    /// - Parameter bytes: what was read from the peer already and belongs to TLS, such as its ClientHello.
    func install(before handler: any ChannelHandler, replaying bytes: ByteBuffer?) throws {
        let pipeline = channel.pipeline.syncOperations
        let wire = CiphertextHandler(self)
        try pipeline.addHandler(wire, position: .before(handler))
        try pipeline.addHandler(PlaintextHandler(self), position: .before(handler))
        try pipeline.addHandler(tls, position: .after(wire))
        if let bytes {
            replay(bytes)
            foreign.noteReplay()
        }
        if phase == .handshaking { wireContext?.read() }
    }

    /// Takes bytes of the peer's TLS that were read before the handlers were there, as if the socket had brought them now.
    package func replay(_ bytes: ByteBuffer) {
        guard let wire, let context = wireContext, bytes.readableBytes > 0 else { return }
        wire.channelRead(context: context, data: wire.wrapInboundOut(bytes))
        wire.channelReadComplete(context: context)
    }

    // MARK: What the relay sends

    /// Sends close_notify (RFC 8446 6.1) and no FIN, after all that was written before; application data cannot be written after it.
    ///
    /// - Parameter promise: done when it has left for the kernel.
    package func sendCloseNotify(promise: EventLoopPromise<Void>? = nil) {
        guard phase == .open, let context = plaintextContext, ends.ours < .closing else { return fail(promise) }
        if ends.sendCloseNotify() {
            context.flush()
            context.close(mode: .output, promise: nil)
        }
        fence(promise)
    }

    /// Sends FIN, after all that was written before; no close_notify of its own goes with it. Where the peer's FIN has come already this ends
    /// the connection, and the channel becomes inactive.
    ///
    /// - Parameter promise: done when the socket has been told.
    package func sendFIN(promise: EventLoopPromise<Void>? = nil) {
        guard let wire = wireContext, ends.askForFIN() else { return fail(promise) }
        plaintextContext?.flush()
        let written = channel.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { result in
            switch result {
            case .success:
                self.ends.finHasLeft()
                wire.close(mode: .output, promise: promise)
            case .failure(let error): promise?.fail(error)
            }
        }
        fence(written)
    }

    /// Sends RST and closes the channel, once the peer has what was written before, or after two seconds.
    ///
    /// - Parameter promise: done when the channel is closed.
    package func sendReset(promise: EventLoopPromise<Void>? = nil) {
        guard wireContext != nil else { return fail(promise) }
        channel.closeFuture.cascade(to: promise)
        guard ends.close() else { return }
        plaintextContext?.flush()
        ConnectionReset.send(on: channel)
    }

    /// Closes the socket at once; what is not yet written is dropped.
    func closeNow(promise: EventLoopPromise<Void>?) {
        _ = ends.close()
        guard let context = wireContext else { return fail(promise) }
        context.close(mode: .all, promise: promise)
    }

    /// Completes the promise when everything written so far is with the kernel.
    private func fence(_ promise: EventLoopPromise<Void>?) {
        guard let promise else { return }
        guard let context = wireContext else { return fail(promise) }
        context.writeAndFlush(NIOAny(ByteBuffer()), promise: promise)
    }

    private func fail(_ promise: EventLoopPromise<Void>?) { promise?.fail(ChannelError.ioOnClosedChannel) }

    // MARK: What the handshake comes to

    /// NIOSSL has finished the handshake.
    func handshakeFinished(alpn: String?) {
        guard phase == .handshaking else { return }
        let certificate = tls.peerCertificate
        if let identity, let problem = identity.problem(with: certificate, chain: chain) {
            wire?.dropHeld()
            return handshakeFailed(.certificate(problem))
        }
        phase = .open
        wire?.sendHeld()
        let version: UInt16 = tls.tlsVersion == .tlsv13 ? 0x0304 : 0x0303
        let agreement = TLSAgreement(
            version: version, cipherSuite: watch.hello?.cipherSuite,
            hasAskedForCertificate: certificateWatch.hasSentCertificate(cipherSuite: watch.hello?.cipherSuite), alpn: alpn,
            peerCertificate: try? certificate?.toDERBytes(),
            unverifiedProblem: identity?.unverifiedProblem(with: certificate, chain: chain))
        watch = HelloWatch()
        foreign = ForeignBytes()
        chain?.forget()
        promise.succeed(agreement)
    }

    /// What the peer sent during a handshake that failed, in the place of TLS; empty where all was TLS.
    var foreignBytes: ByteBuffer { foreign.bytes }
    /// Those of them that came during the handshake.
    var freshForeignBytes: ByteBuffer { foreign.fresh }

    /// How many came that are not among them.
    var unkeptForeignBytes: Int { foreign.unkept }

    func handshakeFailed(_ trouble: TLSTrouble) {
        guard phase == .handshaking else { return }
        phase = .failed
        foreign.end()
        wire?.sendHeld()
        var reason = identity?.explain(trouble, certificate: tls.peerCertificate, chain: chain) ?? trouble
        if case .unreadable = trouble, let alert = alertWatch.alert { reason = .alert(alert) }
        // After a fatal alert the peer closes (RFC 8446, section 6.2), most often in the same moment: the records say how.
        var isEnding = false
        if case .alert = reason { isEnding = true }
        guard foreign.bytes.readableBytes > 0 || isEnding, !ends.isClosing, peerEnd == .open, let wireContext else { return giveUp(reason) }
        // The rest of what it says is told as well.
        listening = (reason, .now() + Self.patience, nil)
        listenOn()
        wireContext.read()
    }

    /// Takes what a peer says that does not speak TLS.
    func listen(_ bytes: ByteBuffer) {
        guard listening != nil else { return }
        // What follows an alert is nothing that anybody reads.
        guard foreign.bytes.readableBytes > 0 else { return }
        foreign.receive(bytes)
        listenOn()
    }

    /// Whether such a peer is listened to.
    var isListening: Bool { listening != nil }

    private func listenOn() {
        guard let (_, deadline, next) = listening else { return }
        next?.cancel()
        let time = min(deadline, .now() + Self.quiet)
        listening?.next = channel.eventLoop.assumeIsolated().scheduleTask(deadline: time) { self.stopListening() }
    }

    private func stopListening() {
        guard let (reason, _, next) = listening else { return }
        listening = nil
        next?.cancel()
        giveUp(reason)
    }

    /// Tells why the handshake has failed, and closes when the alert has left.
    private func giveUp(_ reason: TLSTrouble) {
        promise.fail(ends.isClosing ? TLSTrouble.cancelled : reason)
        guard !ends.isClosing, wireContext != nil else { return }
        let written = channel.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in self.closeNow(promise: nil) }
        fence(written)
    }

    // MARK: What the peer ends

    /// NIOSSL cannot go on.
    func libraryFailed(_ error: any Error) {
        switch phase {
        case .handshaking: handshakeFailed(TLSTrouble(error))
        case .open:
            // Said when the channel becomes inactive without close_notify, which the wire has told by then.
            if case NIOSSLError.uncleanShutdown = error { return }
            phase = .failed
            tell(.broken(TLSTrouble(error)))
        case .failed: break
        }
    }

    func receivedCloseNotify() {
        guard phase == .open, let ending = ends.takeCloseNotify() else { return }
        tell(WireEnding(ending))
        // Whatever comes now is dropped, so that the FIN that follows is seen.
        wireContext?.read()
    }

    func receivedFIN() {
        guard ends.peers != .finished else { return }
        noteArrival()
        if peerEnd == .open { peerEnd = .fin }
        stopListening()
        if phase == .handshaking { return handshakeFailed(.closed) }
        if let ending = ends.takeFIN() { tell(WireEnding(ending)) }
    }

    /// The channel is inactive. NIO says so without a word before where FIN came after ours, and where RST came after FIN.
    func transportEnded() {
        if peerEnd == .open, !ends.isClosing { peerEnd = .reset }
        stopListening()
        if phase == .handshaking { return handshakeFailed(.reset) }
        if let ending = ends.lose(isBroken: socketError != nil) { tell(WireEnding(ending)) }
    }

    /// The peer has ended what it sends: asks how much of our flight it had by then.
    func noteArrival() {
        guard phase == .handshaking, hasSentFlight, !wasPeerGone else { return }
        hasFlightArrived = ConnectionReset.unsentBytes(of: channel) == 0
    }

    private func tell(_ ending: WireEnding) { plaintextContext?.fireUserInboundEventTriggered(ending) }
}
