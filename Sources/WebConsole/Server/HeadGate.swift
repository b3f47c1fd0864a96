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

    init(refuse: @escaping (ChannelHandlerContext) -> Void) { self.refuse = refuse }

    func handlerAdded(context: ChannelHandlerContext) { start(context.channel, Self.patience) }
    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    private func start(_ channel: any Channel, _ time: TimeAmount) {
        timer?.cancel()
        timer = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOff else { return context.fireChannelRead(data) }
        if isWaiting {
            // The first bytes of a request after others.
            if bytes == 0 { start(context.channel, Self.patience) }
            bytes += unwrapInboundIn(data).readableBytes
        }
        context.fireChannelRead(data)
        guard isWaiting, !isOff, bytes > Self.mostBytes else { return }
        isOff = true
        refuse(context)
    }

    /// A head is whole: its request may take as long as it needs to be answered, but a client that does not take the response does not.
    func headIsWhole(_ channel: any Channel) {
        (isWaiting, bytes) = (false, 0)
        start(channel, Self.idle)
    }

    /// The response was written: the next head may come.
    func responseIsWritten(_ channel: any Channel) {
        (isWaiting, bytes) = (true, 0)
        start(channel, Self.idle)
    }

    /// What comes now is no HTTP.
    func turnOff() {
        isOff = true
        timer?.cancel()
    }
}
