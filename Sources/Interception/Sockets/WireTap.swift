import Dissection
import NIOCore

/// At the socket's end of a channel: tells the recorder what goes over the wire, for a sealed recording (`-w --sealed`).
///
/// A run that came in is told once the handlers after this one have taken it, or before the first thing that they send in turn. TLS derives its
/// secrets while it takes the records that they open, and so they stand before those in the recording, where a reader wants them.
final class WireTap: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let recorder: Recorder
    /// Whom the proxy has the connection with.
    private let peer: Side
    /// Its number in the recording; none before it is up.
    private(set) var connection: UInt64?
    private var taken: (bytes: ByteBuffer, time: Timestamp)?
    private var ends = HalfClose()
    private var hasFailed = false

    init(_ recorder: Recorder, peer: Side) {
        self.recorder = recorder
        self.peer = peer
    }

    /// The proxy's own side of the connection.
    private var own: Side { peer == .client ? .server : .client }

    // MARK: - Beginning and end

    func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { begin(context.channel) } }

    func channelActive(context: ChannelHandlerContext) {
        begin(context.channel)
        context.fireChannelActive()
    }

    private func begin(_ channel: any Channel) {
        guard connection == nil else { return }
        let far = Endpoint(channel.remoteAddress ?? PeerReach.addressOfReset(channel))
        let near = Endpoint(channel.localAddress)
        let opening = RecordedConnection(
            client: peer == .client ? far : near, server: peer == .client ? near : far, peer: peer,
            isUnix: channel.localAddress?.protocol == .unix || channel.remoteAddress?.protocol == .unix)
        connection = recorder.begin(opening, at: .now)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hasFailed = true
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        settle()
        if let ending = ends.lose(isBroken: hasFailed) { tell(ending, from: peer) }
        if let connection { recorder.left(connection, at: .now) }
        connection = nil
        context.fireChannelInactive()
    }

    // MARK: - What comes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        settle()
        taken = (unwrapInboundIn(data), .now)
        context.fireChannelRead(data)
        settle()
    }

    /// Tells what has come by now.
    private func settle() {
        guard let (bytes, time) = taken else { return }
        taken = nil
        tell(bytes, from: peer, at: time)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            settle()
            if let ending = ends.takeFIN() { tell(ending, from: peer) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: - What goes

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        settle()
        tell(unwrapOutboundIn(data), from: own, at: .now)
        context.write(data, promise: promise)
    }

    /// An urgent byte has left, which no handler sees.
    func sentUrgent(_ byte: UInt8) {
        settle()
        tell(ByteBuffer(bytes: [byte]), from: own, at: .now)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        settle()
        switch mode {
        case .input: break
        case .output: tellOwnFIN()
        case .all:
            if ConnectionReset.isPending(on: context.channel) {
                if ends.close() { tell(.reset, from: own) }
            } else {
                tellOwnFIN()
                _ = ends.close()
            }
        }
        context.close(mode: mode, promise: promise)
    }

    private func tellOwnFIN() {
        guard !ends.isClosing, ends.askForFIN() else { return }
        ends.finHasLeft()
        tell(.fin, from: own)
    }

    // MARK: - What is told

    private func tell(_ bytes: ByteBuffer, from side: Side, at time: Timestamp) {
        guard let connection, bytes.readableBytes > 0 else { return }
        recorder.carried(bytes, from: side, over: connection, at: time)
    }

    private func tell(_ ending: LegEnding, from side: Side) {
        guard let connection else { return }
        if ending == .reset {
            recorder.reset(from: side, over: connection, at: .now)
        } else {
            recorder.finished(from: side, over: connection, at: .now)
        }
    }
}
