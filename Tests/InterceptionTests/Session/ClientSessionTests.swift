import Dissection
import NIOCore
import NIOEmbedded
import Testing

@testable import Interception

/// Counts what is asked of the network side.
private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    private(set) var reads = 0

    func read(context: ChannelHandlerContext) {
        reads += 1
        context.read()
    }
}

@Suite("A client before it has a server")
struct ClientSessionTests {
    @Test("a client that asks for the certificate page again and again and reads nothing is read no further")
    func greedyClient() throws {
        let tls = try TLSTermination(settings: TLSSettings(), needsAuthority: false, tell: { _ in })
        let core = ProxyCore(settings: ProxySettings(entrances: []), recorder: Recorder(), tls: tls)
        let channel = EmbeddedChannel()
        let (counter, leg) = (ReadCounter(), Leg(side: .client))
        try channel.pipeline.syncOperations.addHandlers([counter, leg])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        ClientSession(core: core, front: HTTPFront(core: core), client: leg, loop: channel.embeddedEventLoop).start()
        #expect(counter.reads == 1)

        try channel.writeInbound(ByteBuffer(string: "GET http://unmask.test/"))
        #expect(counter.reads == 2)
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        try channel.writeInbound(ByteBuffer(string: "x HTTP/1.1\r\n"))
        #expect(counter.reads == 2)
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        #expect(counter.reads == 3)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    /// A client of the HTTP mode that is driven by hand.
    private func connect(_ core: ProxyCore) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        let leg = Leg(side: .client)
        try channel.pipeline.syncOperations.addHandler(leg)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        ClientSession(core: core, front: HTTPFront(core: core), client: leg, loop: channel.embeddedEventLoop).start()
        return channel
    }

    @Test("a client whose chunks are malformed has its response and no other", arguments: ["/", "http://unmask.test/x", "http://a/"])
    func malformedChunks(target: String) throws {
        let tls = try TLSTermination(settings: TLSSettings(), needsAuthority: false, tell: { _ in })
        var settings = ProxySettings(entrances: [])
        if target == "http://a/" { settings.credentials = ProxyCredentials(user: "a", password: "b") }
        let core = ProxyCore(settings: settings, recorder: Recorder(), tls: tls)
        let status = ["/": "400", "http://a/": "407"][target] ?? "404"
        for body in ["zz\r\n", "2\r\nab\r\nzz\r\n", "2\r\nabXX0\r\n\r\n"] {
            let client = try connect(core)
            let head = "POST \(target) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            try client.writeInbound(ByteBuffer(string: head + body))
            var response = ""
            while let part = try client.readOutbound(as: ByteBuffer.self) { response += String(buffer: part) }
            #expect(response.hasPrefix("HTTP/1.1 \(status) "), "\(body)")
            try client.writeInbound(ByteBuffer(string: "GET http://unmask.test/ HTTP/1.1\r\n\r\n"))
            #expect(try client.readOutbound(as: ByteBuffer.self) == nil)
            _ = try? client.finish(acceptAlreadyClosed: true)
        }
    }

    @Test("of clients whose heads do not end, the oldest is refused with 503 when they hold too much; who leaves holds nothing")
    func overBudget() throws {
        let tls = try TLSTermination(settings: TLSSettings(), needsAuthority: false, tell: { _ in })
        var settings = ProxySettings(entrances: [])
        settings.preambleBytes = 3 * (PreambleBudget.perClient + 20_000)
        let core = ProxyCore(settings: settings, recorder: Recorder(), tls: tls)
        let clients = try (0..<4).map { _ in try connect(core) }
        let head = "GET http://localhost/ HTTP/1.1\r\nX: " + String(repeating: "x", count: 16_000)
        for client in clients {
            try client.writeInbound(ByteBuffer(string: head))
            #expect(core.preambles.total <= settings.preambleBytes)
        }
        clients[0].embeddedEventLoop.run()
        let answer = try clients[0].readOutbound(as: ByteBuffer.self).map { String(buffer: $0) }
        #expect(answer?.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n") == true)
        #expect(try clients[1].readOutbound(as: ByteBuffer.self) == nil)
        // An unfinished head costs about what it holds.
        #expect(core.preambles.total < 3 * (PreambleBudget.perClient + head.utf8.count * 5 / 4))
        for client in clients { _ = try? client.finish(acceptAlreadyClosed: true) }
        #expect(core.preambles.total == 0)
    }
}
