import Foundation
import Interception
import NIOCore
import NIOPosix
import Testing

/// A client that refuses our certificate is told apart from other failures.
@Suite("Client handshake outcome")
struct ClientHandshakeOutcomeTests {
    @Test("alerts about the certificate are a refusal, others are not")
    func alerts() {
        for number: UInt8 in [42, 43, 44, 45, 46, 48, 49, 51] {
            let alert = TLSAlert(rawValue: number)
            #expect(ClientHandshakeOutcome(failure: .alert(alert), hasShownCertificate: true) == .refusedCertificate(alert))
            #expect(ClientHandshakeOutcome(failure: .alert(alert), hasShownCertificate: false) == .other(.alert(alert)))
            #expect(
                ClientHandshakeOutcome(ending: .broken(.alert(alert)), hasReceived: false) == .refusedCertificate(alert))
        }
        for number: UInt8 in [10, 40, 70, 80, 120] {
            let alert = TLSAlert(rawValue: number)
            #expect(ClientHandshakeOutcome(failure: .alert(alert), hasShownCertificate: true) == .other(.alert(alert)))
        }
    }

    @Test("leaving in the midst of the handshake may be a refusal; leaving after it without a byte is told apart from leaving after some")
    func leaving() {
        #expect(ClientHandshakeOutcome(failure: .closed, hasShownCertificate: true) == .closedAfterOurCertificate)
        #expect(ClientHandshakeOutcome(failure: .reset, hasShownCertificate: true) == .closedAfterOurCertificate)
        #expect(ClientHandshakeOutcome(failure: .closed, hasShownCertificate: false) == .other(.closed))
        for ending in [WireEnding.closeNotify, .fin, .reset] {
            #expect(ClientHandshakeOutcome(ending: ending, hasReceived: false) == .closedUnused)
            #expect(ClientHandshakeOutcome(ending: ending, hasReceived: true) == .completed)
        }
    }

    /// What a Python client does after it connected, and what the leg makes of it.
    private func outcome(of script: String) throws -> ClientHandshakeOutcome? {
        guard let python = PeerDialogue.python else {
            print("skipped: python3 is not here")
            return nil
        }
        let leaf = try TestAuthority().leaf()
        let loop = LoopbackTLS.group.next()
        let found = loop.makePromise(of: ClientHandshakeOutcome.self)
        let downstream = DownstreamTLS()
        let listening = try ServerBootstrap(group: loop)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = OutcomeHandler(found)
                    try channel.pipeline.syncOperations.addHandler(handler)
                    handler.leg = try downstream.accept(channel, before: handler, certificate: leaf, alpn: nil, replaying: nil)
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        defer { try? listening.close().wait() }
        loop.scheduleTask(in: .seconds(20)) { found.fail(ChannelError.connectTimeout(.seconds(20))) }
        let client = Process()
        client.executableURL = URL(fileURLWithPath: python)
        client.arguments = [
            "-c",
            """
            import socket, ssl, sys
            s = socket.create_connection(("127.0.0.1", \(listening.localAddress?.port ?? 0)))
            context = ssl.create_default_context()
            \(script)
            """,
        ]
        client.standardError = FileHandle.nullDevice
        try client.run()
        defer {
            client.terminate()
            client.waitUntilExit()
        }
        return try found.futureResult.wait()
    }

    @Test("a client that does not know the authority says so, with each version", arguments: ["TLSv1_2", "TLSv1_3"])
    func unknownAuthority(version: String) throws {
        let found = try outcome(
            of:
                "context.maximum_version = context.minimum_version = ssl.TLSVersion.\(version); context.wrap_socket(s, server_hostname='localhost')"
        )
        if let found { #expect(found == .refusedCertificate(TLSAlert(rawValue: 48))) }
    }

    private static let trusting = "context.check_hostname = False; context.verify_mode = ssl.CERT_NONE; t = context.wrap_socket(s)"

    @Test("a client that finishes the handshake and closes, as with a connection opened ahead of need")
    func closes() throws {
        let found = try outcome(of: Self.trusting + "; t.close()")
        if let found { #expect(found == .closedUnused) }
    }

    @Test("a client that closes when it has seen the certificate, before the handshake is done")
    func closesInHandshake() throws {
        let found = try outcome(
            of: """
                context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
                incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
                t = context.wrap_bio(incoming, outgoing)
                try:
                    t.do_handshake()
                except ssl.SSLWantReadError:
                    s.sendall(outgoing.read())
                s.recv(1)
                s.close()
                """)
        if let found { #expect(found == .closedAfterOurCertificate) }
    }

    @Test("a client that speaks and closes has accepted it")
    func speaks() throws {
        let found = try outcome(of: Self.trusting + "; t.sendall(b'hello'); t.close()")
        if let found { #expect(found == .completed) }
    }

    @Test("a client that closes before it saw anything")
    func nothing() throws {
        let found = try outcome(of: "s.close()")
        if let found { #expect(found == .other(.closed)) }
    }
}

/// Asks the leg for its outcome as soon as there is one.
private final class OutcomeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let found: EventLoopPromise<ClientHandshakeOutcome>
    var leg: TLSLeg? {
        didSet {
            guard let leg else { return }
            leg.handshake.assumeIsolated().whenComplete { result in
                switch result {
                case .success: self.context?.read()
                case .failure(let error): self.found.succeed(leg.outcome(ofFailure: error))
                }
            }
        }
    }
    private var context: ChannelHandlerContext?

    init(_ found: EventLoopPromise<ClientHandshakeOutcome>) { self.found = found }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let ending = event as? WireEnding, let leg { found.succeed(leg.outcome(of: ending)) }
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.read() }

    func channelInactive(context: ChannelHandlerContext) { leg = nil }
}
