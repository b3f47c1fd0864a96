import NIOCore
import NIOHTTP1

/// Answers what is not HTTP, or is too much of it, and upgrades that are not to be had.
///
/// It stands before the handler that upgrades: that one keeps nothing of a request that asks for another protocol than it has.
final class ProtocolErrors: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let rules: AccessRules
    private var isOver = false
    private var isAnswering = false

    init(_ rules: AccessRules) { self.rules = rules }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        guard head.headers.contains(name: "Upgrade") else {
            isAnswering = true
            return context.fireChannelRead(data)
        }
        do {
            // A browser says where a WebSocket comes from.
            try rules.check(hosts: head.headers["Host"], origins: head.headers["Origin"], needsOrigin: true)
        } catch {
            return refuse(context, error.status, error.sentence)
        }
        isAnswering = true
        // Any other is answered as if it had not asked (RFC 9110, section 7.8).
        if !Self.isLive(head) { head.headers.remove(name: "Upgrade") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Whether it is the handshake of the console's WebSocket (RFC 6455, section 4.2.1).
    private static func isLive(_ head: HTTPRequestHead) -> Bool {
        head.method == .GET && RequestTarget(head.uri)?.path == ["api", "live"]
            && head.headers[canonicalForm: "Upgrade"].map { $0.lowercased() } == ["websocket"]
            && head.headers[canonicalForm: "Connection"].contains { $0.lowercased() == "upgrade" }
            && head.headers["Sec-WebSocket-Key"].count == 1 && head.headers["Sec-WebSocket-Version"] == ["13"]
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else { return context.fireErrorCaught(error) }
        let isTooLong = (error as? HTTPParserError) == .headerOverflow
        refuse(context, isTooLong ? 431 : 400, isTooLong ? "the head is longer than 32 KiB" : "this is not valid HTTP/1.1")
    }

    /// Says so, and closes.
    func refuse(_ context: ChannelHandlerContext, _ status: Int, _ sentence: String) {
        guard !isOver else { return }
        isOver = true
        // The client has got another response already.
        if isAnswering { return context.close(promise: nil) }
        ResponseWriter.write(.error(status, sentence), to: context, closes: true)
    }
}
