import NIOCore

/// Closes a connection on which something went wrong, such as bytes that are no HTTP. Stands last.
final class HangUpOnError: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }
}
