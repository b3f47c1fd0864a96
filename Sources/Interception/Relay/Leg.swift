import Dissection
import NIOCore
import NIOPosix

/// Takes what one side of the proxy brings: the session while it finds out where to, then the relay.
///
/// All calls come on the event loop that both sides of a conversation share.
protocol LegOwner: AnyObject {
    /// One run of bytes, as one read brought it.
    func leg(_ leg: Leg, received bytes: ByteBuffer, at time: Timestamp)
    /// The same, where the first of the bytes is an urgent one.
    func leg(_ leg: Leg, receivedUrgent bytes: ByteBuffer, at time: Timestamp)
    /// The runs that one wake-up brought have been told. Nothing more is read before `Leg.read`.
    func legHasRead(_ leg: Leg)
    /// The side ended; told once for each ending, in order with the bytes.
    func leg(_ leg: Leg, ended ending: LegEnding, at time: Timestamp)
    /// It takes bytes again.
    func legIsWritable(_ leg: Leg)
    /// The TLS of this side is broken: nothing can be read or written any more.
    func leg(_ leg: Leg, brokeWith trouble: TLSTrouble)
    /// The TLS handshake of this side holds more than before.
    func legHasGrown(_ leg: Leg)
}

extension LegOwner {
    func leg(_ leg: Leg, receivedUrgent bytes: ByteBuffer, at time: Timestamp) { self.leg(leg, received: bytes, at: time) }
    func legHasGrown(_ leg: Leg) {}
}

/// One side of the proxy: the last handler of its channel.
///
/// Bytes and endings come in and go to the owner; bytes and endings go out in the order of the calls. It hides what NIO
/// does of its own accord with the end of a connection:
///
/// - an ending goes out only after what was written before has left, since a `close(mode: .output)` after the peer's
///   FIN closes everything and drops what waits;
/// - after our own FIN the peer's FIN shows as `channelInactive` alone, and so does a RST after the peer's FIN.
final class Leg: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let side: Side
    /// Held until the channel is gone: it is what keeps a session or a relay alive.
    private(set) var owner: (any LegOwner)?
    /// Set once TLS is spoken on this side.
    private(set) var tls: TLSLeg?
    /// What its session is counted with, in a conversation that runs.
    var tlsShare: TLSMemory.Share?
    private var context: ChannelHandlerContext?

    /// How far both halves of the connection have come. On a side with TLS its leg knows more; here stands what was told and asked for.
    private var ends = HalfClose()
    private var hasFailed = false
    private var readsAreShort = false
    private var urgent = UrgentSending()
    /// Knows of urgent bytes that come; nil where there are none.
    let mark: UrgentMark?
    /// Tells what goes over the wire, for a sealed recording; nil where there is none.
    let tap: WireTap?

    /// Called once the connection of an accepted channel is up.
    var onActive: (() -> Void)?

    init(side: Side, mark: UrgentMark? = nil, tap: WireTap? = nil) {
        self.side = side
        self.mark = mark
        self.tap = tap
        if let tap { urgent.onSent = { [unowned tap] in tap.sentUrgent($0) } }
    }

    /// TLS is spoken on this side from here on.
    func take(_ tls: TLSLeg) {
        self.tls = tls
        tls.onGrowth = { [weak self] in
            guard let self else { return }
            owner?.legHasGrown(self)
        }
    }

    /// Whom the bytes go to from here on.
    func attach(to owner: (any LegOwner)?) { self.owner = owner }

    var eventLoop: (any EventLoop)? { context?.eventLoop }
    var channel: (any Channel)? { context?.channel }

    /// The peer's FIN was told.
    var hasPeerFinished: Bool { ends.peers == .finished }
    /// How the peer has left, as far as it has, be it during a handshake.
    var peerEnd: Closing.End { tls?.peerEnd ?? (hasPeerFinished ? .fin : .open) }
    /// The channel is gone.
    private(set) var isClosed = false

    // MARK: - What goes out

    /// False while more waits to leave than the kernel takes at once.
    var isWritable: Bool { urgent.waiting.isEmpty && context?.channel.isWritable ?? false }

    /// Bytes that wait to leave where they are enough to count (`StreamSocket.writeMarks`); nil where the side is as good as up to date. The
    /// most that there is behind an urgent byte that has not left: nothing else may be read then.
    var waitingBytes: Int? {
        guard let channel = context?.channel, urgent.waiting.isEmpty else { return .max }
        guard !channel.isWritable else { return nil }
        return (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? .max
    }

    /// Asks for the next bytes.
    func read() {
        guard !isClosed, !hasPeerFinished else { return }
        context?.read()
    }

    /// Fits its reads to how much room there is for what the other side does not take.
    func fitReads(isScarce: Bool) {
        guard isScarce != readsAreShort, let channel = context?.channel else { return }
        readsAreShort = isScarce
        StreamSocket.fitReads(of: channel, isScarce: isScarce, isSealed: tls != nil, mark: mark)
    }

    /// Sends a run of bytes at once.
    func write(_ bytes: ByteBuffer) {
        guard ends.isOpenForUs, let context else { return }
        // A short run that has to wait would keep the whole buffer that it was read into.
        let isRoomy = !context.channel.isWritable && bytes.storageCapacity > 2 * bytes.readableBytes
        let bytes = isRoomy ? ByteBuffer(bytes: bytes.readableBytesView) : bytes
        guard urgent.waiting.isEmpty else { return urgent.waiting.append(.bytes(bytes)) }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    /// Sends a run of bytes, the first of which is urgent, as it was on the other side. Not for a side with TLS.
    func writeUrgent(_ bytes: ByteBuffer) {
        guard ends.isOpenForUs else { return }
        var rest = bytes
        if let byte = rest.readInteger(as: UInt8.self) { urgent.waiting.append(.urgent(byte)) }
        if rest.readableBytes > 0 { urgent.waiting.append(.bytes(rest)) }
        sendWaiting()
    }

    /// Sends what waits for an urgent byte before it, and that byte.
    private func sendWaiting() {
        guard let context, !ends.isClosing else { return }
        while true {
            let (item, wait) = urgent.next(on: context.channel)
            if let wait {
                // Nobody tells when the kernel has room again while nothing waits in the channel.
                context.eventLoop.assumeIsolated().scheduleTask(in: wait) { self.sendWaiting() }
                return
            }
            switch item {
            case .bytes(let bytes): context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
            case .ending(let ending): perform(ending)
            case .urgent, nil:
                if isWritable { owner?.legIsWritable(self) }
                return
            }
        }
    }

    /// What waits goes now, urgent or not.
    private func flushWaiting() {
        let items = urgent.waiting
        urgent = UrgentSending()
        for item in items {
            switch item {
            case .bytes(let bytes): write(bytes)
            case .urgent(let byte): write(ByteBuffer(bytes: [byte]))
            case .ending: return
            }
        }
    }

    /// Sends an ending, once what was written before has left.
    func send(_ ending: LegEnding) {
        guard context != nil, !ends.isClosing else { return }
        guard urgent.waiting.isEmpty else { return urgent.waiting.append(.ending(ending)) }
        perform(ending)
    }

    private func perform(_ ending: LegEnding) {
        guard let context, !ends.isClosing else { return }
        switch ending {
        case .reset:
            reset()
        case .closeNotify where tls != nil:
            tls?.sendCloseNotify()
        case .closeNotify, .fin:
            guard ends.askForFIN() else { return }
            if let tls {
                tls.sendFIN()
            } else {
                // An empty write is done when everything before it is.
                let written = context.eventLoop.makePromise(of: Void.self)
                context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: written)
                let channel = context.channel
                written.futureResult.assumeIsolated().whenSuccess {
                    self.ends.finHasLeft()
                    channel.close(mode: .output, promise: nil)
                }
            }
        }
    }

    /// The most that `close` waits for a peer that does not read.
    private static let closingPatience = TimeAmount.seconds(10)

    /// Closes the connection with a FIN after what was written before has left, whatever the peer still has to say; within 10 s,
    /// since a peer that does not read would keep it open for ever.
    func close() {
        guard let context, !ends.isClosing else { return }
        flushWaiting()
        // Nothing was written yet, and nothing would leave: NIOSSL keeps writes until a handshake is done that nobody waits for.
        if let tls, tls.phase == .handshaking {
            _ = ends.close()
            return tls.closeNow(promise: nil)
        }
        // A TLS peer that is left without close_notify takes it for an attack.
        if ends.isOpenForUs { tls?.sendCloseNotify() }
        _ = ends.close()
        let written = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: written)
        let channel = context.channel
        let deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.closingPatience) {
            channel.close(mode: .all, promise: nil)
        }
        written.futureResult.assumeIsolated().whenComplete { _ in
            deadline.cancel()
            channel.close(mode: .all, promise: nil)
        }
    }

    /// Sends a RST once what was written before has been acknowledged, within 2 s.
    private func reset() {
        guard let context else { return }
        _ = ends.close()
        if let tls { tls.sendReset() } else { ConnectionReset.send(on: context.channel) }
    }

    // MARK: - What comes in

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        onActive?()
        onActive = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if let mark, mark.take(), tls == nil {
            owner?.leg(self, receivedUrgent: bytes, at: .now)
        } else {
            owner?.leg(self, received: bytes, at: .now)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { owner?.legHasRead(self) }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isWritable { owner?.legIsWritable(self) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed where tls == nil: tellFIN()
        case let ending as WireEnding: tell(ending)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hasFailed = true
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard !isClosed else { return }
        isClosed = true
        if tls == nil, let ending = ends.lose(isBroken: hasFailed) { tell(ending) }
        attach(to: nil)
    }

    private func tellFIN() {
        if let ending = ends.takeFIN() { tell(ending) }
    }

    /// What the TLS of this side tells.
    private func tell(_ ending: WireEnding) {
        switch ending {
        case .closeNotify: tell(LegEnding.closeNotify)
        case .fin: tellFIN()
        case .reset: tell(LegEnding.reset)
        case .broken(let trouble): owner?.leg(self, brokeWith: trouble)
        }
    }

    private func tell(_ ending: LegEnding) { owner?.leg(self, ended: ending, at: .now) }
}
