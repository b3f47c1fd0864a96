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
}
