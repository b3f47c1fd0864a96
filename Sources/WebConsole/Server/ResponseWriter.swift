import NIOCore
import NIOHTTP1

/// Writes a response with the fields that every response has.
enum ResponseWriter {
    private static let plain = headers(isSandboxed: false), sandboxed = headers(isSandboxed: true)

    private static func headers(isSandboxed: Bool) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for field in SecurityFields.fields(isSandboxed: isSandboxed) { headers.add(name: field.name, value: field.value) }
        return headers
    }

    /// - Parameters:
    ///   - closes: the connection ends with it.
    ///   - isHead: the request was HEAD: the body stays away.
    /// - Returns: when the system has all of it.
    @discardableResult
    static func write(
        _ response: ConsoleResponse, to context: ChannelHandlerContext, closes: Bool, isHead: Bool = false
    ) -> EventLoopFuture<Void> {
        var headers = response.isSandboxed ? sandboxed : plain
        headers.add(name: "Content-Type", value: response.type)
        headers.add(name: "Content-Length", value: String(response.body.count))
        for field in response.fields { headers.add(name: field.name, value: field.value) }
        if closes { headers.add(name: "Connection", value: "close") }
        let head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
        context.write(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
        if !isHead, !response.body.isEmpty {
            context.write(NIOAny(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: response.body)))), promise: nil)
        }
        let channel = context.channel
        let written = channel.eventLoop.makePromise(of: Void.self)
        if closes { written.futureResult.whenComplete { _ in LingeringEnd.close(channel) } }
        context.writeAndFlush(NIOAny(HTTPServerResponsePart.end(nil)), promise: written)
        return written.futureResult
    }
}

/// Ends a connection whose client may still be sending: the response has to arrive before the RST that unread bytes bring.
enum LingeringEnd {
    /// What a client gets to read the response.
    private static let moment = TimeAmount.milliseconds(500)

    static func close(_ channel: any Channel) {
        channel.close(mode: .output, promise: nil)
        channel.eventLoop.scheduleTask(in: moment) { channel.close(promise: nil) }
    }
}
