import NIOCore
import NIOTLS

/// Behind NIOSSL: plaintext passes, and all else that NIOSSL has to say becomes the leg's.
final class PlaintextHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let leg: TLSLeg

    init(_ leg: TLSLeg) { self.leg = leg }

    func handlerAdded(context: ChannelHandlerContext) { leg.plaintextContext = context }

    func handlerRemoved(context: ChannelHandlerContext) { leg.plaintextContext = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard leg.phase == .open else { return }
        leg.isWanted = false
        leg.hasReceived = true
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if leg.phase == .open { context.fireChannelReadComplete() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted(let alpn): leg.handshakeFinished(alpn: alpn)
        case TLSUserEvent.shutdownCompleted, ChannelEvent.outputClosed: break
        // The wire keeps the socket's for itself: this one is NIOSSL's, for close_notify.
        case ChannelEvent.inputClosed: leg.receivedCloseNotify()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { leg.libraryFailed(error) }

    func read(context: ChannelHandlerContext) {
        leg.isWanted = true
        context.read()
    }

    /// Past NIOSSL, which would send a close_notify that nobody asked for: `.all` closes the socket, `.output` sends FIN.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .all: leg.closeNow(promise: promise)
        case .output: leg.sendFIN(promise: promise)
        case .input: promise?.fail(ChannelError.operationUnsupported)
        }
    }
}
