import NIOCore

/// Bounds what a client may send before the head of a request is whole, and how long it may take; closes connections on which nothing happens.
///
/// It is before the decoder; what comes after it reports when a head is whole.
final class HeadGate: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Bytes of a head.
    static let mostBytes = 32 << 10
    private static let patience = TimeAmount.seconds(10)
    private static let idle = TimeAmount.seconds(60)

    /// Answers a head that is too long, and closes.
    private let refuse: (ChannelHandlerContext) -> Void
    private var bytes = 0
    private var isWaiting = true
    private var isOff = false
    private var timer: Scheduled<Void>?
    /// When the connection is closed. The timer looks at it again and again: requests that come five times a second set it anew, and no timer.
    private var deadline = NIODeadline.distantFuture
    private var loop: (any EventLoop)?

    init(refuse: @escaping (ChannelHandlerContext) -> Void) { self.refuse = refuse }

    func handlerAdded(context: ChannelHandlerContext) {
        loop = context.eventLoop
        start(Self.patience)
        look(context.channel)
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    private func start(_ time: TimeAmount) { deadline = (loop?.now ?? .now()) + time }

    /// Closes the connection where it is time, and otherwise looks again then, or after the shortest time that may be set until then.
    private func look(_ channel: any Channel) {
        let now = channel.eventLoop.now
        guard now < deadline else { return channel.close(promise: nil) }
        let box = NIOLoopBound(self, eventLoop: channel.eventLoop)
        timer = channel.eventLoop.scheduleTask(deadline: min(deadline, now + Self.patience)) { box.value.look(channel) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOff else { return context.fireChannelRead(data) }
        if isWaiting {
            // The first bytes of a request after others.
            if bytes == 0 { start(Self.patience) }
            bytes += unwrapInboundIn(data).readableBytes
        }
        context.fireChannelRead(data)
        guard isWaiting, !isOff, bytes > Self.mostBytes else { return }
        isOff = true
        refuse(context)
    }

    /// A head is whole: its request may take as long as it needs to be answered, but a client that does not take the response does not.
    func headIsWhole() {
        (isWaiting, bytes) = (false, 0)
        start(Self.idle)
    }

    /// The response was written: the next head may come.
    func responseIsWritten() {
        (isWaiting, bytes) = (true, 0)
        start(Self.idle)
    }

    /// What comes now is no HTTP.
    func turnOff() {
        isOff = true
        timer?.cancel()
    }
}
