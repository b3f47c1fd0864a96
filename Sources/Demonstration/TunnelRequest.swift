import NIOCore

/// Asks an HTTP proxy for a tunnel (RFC 9110, section 9.3.6), and lets the handlers after it begin once there is one.
final class TunnelRequest: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The longest answer that is read.
    private static let longestAnswer = 4_096

    private let target: String
    private var answer = ByteBuffer()
    private var isOpen = false

    /// - Parameter target: host and port.
    init(to target: String) { self.target = target }

    func channelActive(context: ChannelHandlerContext) {
        let request = ByteBuffer(string: "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(request), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOpen else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        answer.writeBuffer(&bytes)
        let text = String(buffer: answer)
        // The server inside the tunnel is silent until the client speaks: the answer's head is all there is.
        guard text.hasSuffix("\r\n\r\n") else {
            if answer.readableBytes > Self.longestAnswer { fail(context, "no end of its answer") }
            return
        }
        let line = text.prefix { $0 != "\r\n" }
        guard line.hasPrefix("HTTP/1.1 200") else { return fail(context, String(line)) }
        isOpen = true
        context.fireChannelActive()
    }

    private func fail(_ context: ChannelHandlerContext, _ reason: String) {
        context.fireErrorCaught(ChatFailure.noTunnel(reason))
        context.close(promise: nil)
    }
}
