import NIOCore
import NIOEmbedded
import Testing

@testable import Demonstration

/// CONNECT, as the app of the demonstration says it.
@Suite("Tunnel request") struct TunnelRequestTests {
    /// What stands behind the tunnel: notes when it may begin.
    private final class Inside: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var hasBegun = false
        var received = ""
        var failure: (any Error)?

        func channelActive(context: ChannelHandlerContext) { hasBegun = true }
        func channelRead(context: ChannelHandlerContext, data: NIOAny) { received += String(buffer: unwrapInboundIn(data)) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { failure = error }
    }

    /// The proxy's answer in these pieces; the request that came before it.
    private func talk(_ inside: Inside, answers: [String]) throws -> String {
        let channel = EmbeddedChannel(handlers: [TunnelRequest(to: "localhost:443"), inside])
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        let request = try channel.readOutbound(as: ByteBuffer.self).map { String(buffer: $0) }
        #expect(!inside.hasBegun)
        for answer in answers where channel.isActive { try channel.writeInbound(ByteBuffer(string: answer)) }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return request ?? ""
    }

    private static let opened = "HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n"

    @Test("what is inside begins when the tunnel is open, however the answer is cut", arguments: [1, 7, 1_000])
    func opens(length: Int) throws {
        let inside = Inside()
        var rest = Self.opened.utf8[...]
        var pieces: [String] = []
        while !rest.isEmpty {
            pieces.append(String(decoding: rest.prefix(length), as: UTF8.self))
            rest = rest.dropFirst(length)
        }
        #expect(try talk(inside, answers: pieces + ["from the server"]) == "CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\n")
        #expect(inside.hasBegun)
        #expect(inside.received == "from the server")
        #expect(inside.failure == nil)
    }

    @Test("a proxy that refuses is quoted")
    func refused() throws {
        let inside = Inside()
        _ = try talk(inside, answers: ["HTTP/1.1 502 Bad Gateway\r\n\r\n"])
        #expect(!inside.hasBegun)
        #expect(inside.failure.map { "\($0)" } == "the proxy opened no tunnel: HTTP/1.1 502 Bad Gateway")
    }

    @Test("an answer without an end is given up")
    func endless() throws {
        let inside = Inside()
        _ = try talk(inside, answers: Array(repeating: "HTTP/1.1 200 OK\r\nX: y\r\n", count: 1_000))
        #expect(!inside.hasBegun)
        #expect(inside.failure != nil)
    }
}
