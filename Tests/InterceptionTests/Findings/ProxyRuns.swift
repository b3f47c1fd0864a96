import Dissection
import Foundation
import NIOCore
import NIOEmbedded
import NIOPosix
import NIOSSL
import Support

@testable import Interception

/// Short runs of a proxy, and what was found in them.
enum ProxyRuns {
    struct Failure: Error {
        var said: String
        init(_ said: String) { self.said = said }
    }

    /// A proxy that somebody visits, until so many conversations are closed, or until it is stopped where none is waited for.
    static func proxied(_ arguments: [String], closed: Int = 1, _ visit: (ProxyProcess) throws -> Void) throws -> [String] {
        let proxy = try ProxyProcess(arguments)
        try visit(proxy)
        return ProxyFindingCase.lines(of: closed > 0 ? proxy.records(until: "closed", count: closed) : proxy.stop().records)
    }

    /// A client that uses TLS several times: it finishes the handshake, and closes, speaks or takes what the server says.
    ///
    /// - Parameter server: what it does, as `handshakes.py` has it.
    static func leftUnused(_ acts: [String], server: String = "serves") throws -> [String] {
        let peers = try PeerProgram("handshakes.py", [server])
        guard let authority = peers.announced.last else { return [] }
        let upstream = ["--upstream", "tls://localhost:\(peers.port)", "--upstream-ca", authority]
        return try proxied(upstream, closed: acts.count) { proxy in
            let told: [String: Any] = ["port": Int(proxy.port), "authority": proxy.authority.path, "acts": acts]
            try peers.say(String(decoding: JSONSerialization.data(withJSONObject: told), as: UTF8.self))
            _ = proxy.records(until: "closed", count: acts.count)
            _ = peers.finish()
        }
    }

    /// A client speaks in TLS to a server, so many times.
    ///
    /// - Parameters:
    ///   - server: what it does, as `handshakes.py` has it.
    ///   - hasCertificate: the proxy has a certificate for servers that ask for one.
    static func spoken(to server: [String], times: Int = 1, hasCertificate: Bool = false) throws -> [String] {
        let peers = try PeerProgram("handshakes.py", server)
        guard let authority = peers.announced.last else { return [] }
        // The server's own will do, whatever its purpose.
        let own = URL(fileURLWithPath: authority).deletingLastPathComponent().appendingPathComponent("server.pem").path
        let options = ["--upstream", "tls://localhost:\(peers.port)", "--upstream-ca", authority]
        return try proxied(options + (hasCertificate ? ["--client-cert", own] : []), closed: times) { proxy in
            let acts = [String](repeating: "speak", count: times)
            let told: [String: Any] = ["port": Int(proxy.port), "authority": proxy.authority.path, "acts": acts]
            try peers.say(String(decoding: JSONSerialization.data(withJSONObject: told), as: UTF8.self))
            _ = proxy.records(until: "closed", count: times)
            _ = peers.finish()
        }
    }

    /// A client and a server say a word to each other; `end` comes before the proxy is stopped.
    static func relayed(_ end: (_ client: LoopbackSocket, _ server: LoopbackSocket, _ proxy: ProxyProcess) throws -> Void) throws
        -> [String]
    {
        let listener = try LoopbackListener()
        return try proxied(["--upstream", "tcp://127.0.0.1:\(listener.port)", "--grace", "0"], closed: 0) { proxy in
            let client = try LoopbackSocket(port: proxy.port)
            let server = try listener.accept()
            try client.send("ping")
            _ = try server.receive(4)
            try end(client, server, proxy)
        }
    }

    /// A client of the HTTP mode sends `head`, and goes when it has had all of the answer.
    static func http(_ head: (ProxyProcess) -> String, closed: Int) throws -> [String] {
        try proxied(["--mode", "http"], closed: closed) { proxy in
            let client = try LoopbackSocket(port: proxy.port)
            try client.send(head(proxy))
            client.finish()
            _ = try client.receiveToTheEnd()
        }
    }

    /// A client of the HTTP mode asks a server, with these fields beside the usual ones, and gets `response`.
    static func asked(_ fields: String = "", _ response: String = "HTTP/1.1 204 Fine\r\n\r\n") throws -> [String] {
        let listener = try LoopbackListener()
        return try proxied(["--mode", "http"]) { proxy in
            let client = try LoopbackSocket(port: proxy.port)
            try client.send("GET http://127.0.0.1:\(listener.port)/ HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\n\(fields)\r\n")
            let server = try listener.accept()
            _ = try server.receiveHead()
            try server.send(response)
            _ = try client.receiveHead()
            client.finish()
            _ = try server.receiveToTheEnd()
        }
    }

    /// A request with a field of so many bytes, whose Host is to become another; findings of the change itself are left out.
    static func rewritten(headBytes: Int) throws -> [String] {
        let listener = try LoopbackListener()
        return try proxied(["--upstream", "http://127.0.0.1:\(listener.port)", "--rewrite-host", "new.example"]) { proxy in
            let client = try LoopbackSocket(port: proxy.port)
            try client.send("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: headBytes))\r\nHost: a\r\n\r\n")
            let server = try listener.accept()
            _ = try server.receiveHead()
            client.finish()
            server.finish()
            _ = try server.receiveToTheEnd()
        }.filter { !$0.contains("proxy.header-rewritten") }
    }

    /// A client offers protocols to a server that leaves during the handshake, through a proxy that speaks HTTP/1.1 alone.
    static func offered(_ protocols: [String]) throws -> [String] {
        let listener = try LoopbackListener()
        return try proxied(["--upstream", "https://localhost:\(listener.port)", "--http1"]) { proxy in
            let client = try LoopbackSocket(port: proxy.port)
            try client.send(Hello.bytes(name: "localhost", alpn: protocols))
            let server = try listener.accept()
            _ = try server.receive(5)
            server.finish()
            _ = try client.receiveToTheEnd()
        }.filter { !$0.contains("proxy.tls-failed") }
    }

    /// A client of the HTTP mode asks two servers at once; the second is asked only when the first has answered.
    static func askedTwo(isAnswered: Bool) throws -> [String] {
        let (first, second) = (try LoopbackListener(), try LoopbackListener())
        return try proxied(["--mode", "http"], closed: 2) { proxy in
            let client = try LoopbackSocket(port: proxy.port)
            let heads = [first, second].map { "GET http://127.0.0.1:\($0.port)/ HTTP/1.1\r\nHost: 127.0.0.1:\($0.port)\r\n\r\n" }
            try client.send(heads.joined())
            let one = try first.accept()
            _ = try one.receiveHead()
            guard isAnswered else {
                client.finish()
                one.close()
                _ = try client.receiveToTheEnd()
                return
            }
            let response = "HTTP/1.1 204 Fine\r\n\r\n"
            try one.send(response)
            let other = try second.accept()
            _ = try other.receiveHead()
            try other.send(response)
            _ = try client.receive(2 * response.utf8.count)
            client.finish()
            _ = try other.receiveToTheEnd()
        }
    }

    /// A client that begins TLS and leaves at the answer, which is our certificate unless it has to be asked for another hello.
    static func leftAtHello(asksAgain: Bool) throws -> [String] {
        let listener = try LoopbackListener()
        return try proxied(["--upstream", "tcp://127.0.0.1:\(listener.port)"]) { proxy in
            let client = try LoopbackSocket(port: proxy.port)
            try client.send(Hello.bytes(name: "api.example", asksAgain: asksAgain))
            let server = try listener.accept()
            let header = try client.receive(5)
            _ = try client.receive(Int(header[3]) << 8 | Int(header[4]))
            client.finish()
            _ = proxy.records(until: "closed")
            withExtendedLifetime(server) {}
        }
    }

    /// A client asks the first of two HTTP proxies, each of which reaches servers through the other one.
    static func looped() throws -> [String] {
        let place = try LoopbackListener().port
        let first = try ProxyProcess(["--mode", "http", "--via", "http://127.0.0.1:\(place)"])
        let second = try ProxyProcess(["--mode", "http", "--via", "http://127.0.0.1:\(first.port)"], listen: "127.0.0.1:\(place)")
        let client = try LoopbackSocket(port: first.port)
        try client.send("CONNECT a.example:1 HTTP/1.1\r\n\r\n")
        _ = try client.receiveToTheEnd()
        defer { withExtendedLifetime(second) {} }
        return ProxyFindingCase.lines(of: first.records(until: "closed", count: 2))
    }

    /// Clients of a proxy that may have 64 files; each only connects.
    static func crowd(of count: Int) throws -> [String] {
        let proxy = try ProxyProcess(["--mode", "http", "--grace", "0"], files: 64)
        let clients = try (0..<count).map { _ in try LoopbackSocket(port: proxy.port) }
        // It tries again and again, and says so each time.
        if count > 64 {
            let lines = Set(ProxyFindingCase.lines(of: proxy.records(until: "finding")))
            withExtendedLifetime(clients) {}
            return Array(lines)
        }
        for client in clients { client.close() }
        return ProxyFindingCase.lines(of: proxy.records(until: "closed", count: count))
    }

    /// Two Python peers, of which one says what TLS cannot pass on.
    static func leftOut(isPlain: Bool) throws -> [String] {
        let peers = try PeerProgram("stray_bytes.py", isPlain ? ["plain"] : [])
        guard let authority = peers.announced.last else { return [] }
        return try proxied(["--upstream", "tls://localhost:\(peers.port)", "--upstream-ca", authority]) { proxy in
            let told: [String: Any] = ["port": Int(proxy.port), "authority": proxy.authority.path]
            try peers.say(String(decoding: JSONSerialization.data(withJSONObject: told), as: UTF8.self))
            for expected in ["got: hello", "then: bye"] {
                guard peers.nextLine() == expected else { throw Failure("the peers did not say \(expected)") }
            }
            if !isPlain { _ = proxy.records(until: "finding", count: 2) }
            try peers.say("seen")
            _ = proxy.records(until: "closed")
            _ = peers.finish()
        }
    }

    /// A client that sends urgent bytes in plaintext, to a server that speaks TLS or does not.
    static func urgent(intoTLS: Bool) throws -> [String] {
        let peers = try PeerProgram("urgent_bytes.py", intoTLS ? ["tls"] : [])
        let upstream =
            intoTLS ? ["tls://localhost:\(peers.port)", "--upstream-ca", peers.announced.last ?? ""] : ["tcp://127.0.0.1:\(peers.port)"]
        return try proxied(["--upstream"] + upstream) { proxy in
            try peers.say("\(proxy.port)")
            _ = peers.finish()
        }.filter { !$0.contains("proxy.tls-unwrapped") }
    }

    /// A server whose certificate is for this name, behind a proxy that takes any.
    static func insecurely(name: String) throws -> [String] {
        let server = try TLSServer(TestAuthority().leaf(names: [name], addresses: []))
        return try proxied(["--insecure", "--upstream", "tls://localhost:\(server.port)"]) { proxy in
            let client = try LoopbackSocket(port: proxy.port)
            try client.send("hello")
            client.finish()
            _ = try client.receiveToTheEnd()
        }.filter { !$0.contains("proxy.tls-unwrapped") }
    }

    /// Sessions of the HTTP mode that are driven by hand, with as much memory as three unfinished heads of 16,000 bytes take.
    static func sessions(_ count: Int, _ visit: ([EmbeddedChannel]) throws -> Void) throws -> [String] {
        let run = try RecorderRun { $0.isRecorded = false }
        let tls = try TLSTermination(settings: TLSSettings(), needsAuthority: false, tell: { _ in })
        var settings = ProxySettings(entrances: [])
        settings.preambleBytes = 3 * (PreambleBudget.perClient + 20_000)
        let core = ProxyCore(settings: settings, recorder: run.recorder, tls: tls)
        let channels = try (0..<count).map { _ in
            let channel = EmbeddedChannel()
            let leg = Leg(side: .client)
            try channel.pipeline.syncOperations.addHandler(leg)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            ClientSession(core: core, front: HTTPFront(core: core), client: leg, loop: channel.embeddedEventLoop).start()
            return channel
        }
        try visit(channels)
        for channel in channels { _ = try? channel.finish(acceptAlreadyClosed: true) }
        return ProxyFindingCase.lines(of: LogRecords(lines: run.finish().split(separator: "\n").map { Data($0.utf8) }))
    }

    /// Clients that begin a head of 16,000 bytes each and do not end it.
    static func unfinished(_ count: Int) throws -> [String] {
        try sessions(count) { channels in
            let head = "GET http://localhost/ HTTP/1.1\r\nX: " + String(repeating: "x", count: 16_000)
            for channel in channels { try channel.writeInbound(ByteBuffer(string: head)) }
            for channel in channels { channel.embeddedEventLoop.run() }
        }
    }

    /// An output onto a disk that is full for a while.
    static func written(toRecording: Bool, fills: Bool) throws -> [String]? {
        guard let disk = try FullDisk() else { return nil }
        let run = try RecorderRun {
            if toRecording { $0.recording = disk.file } else { $0.output = disk.descriptor }
        }
        let talk = StepTalk(run)
        var isDone = talk.goOn { disk.content.contains(Data("step 3".utf8)) }
        if fills {
            disk.fill()
            isDone = isDone && talk.goOn(until: " cannot be written: No space left on device")
            disk.makeRoom()
            isDone = isDone && talk.goOn(until: " written again")
        }
        _ = run.recorder.finish()
        guard isDone else { throw Failure("the recorder said \(run.saidLines)") }
        let log = toRecording ? Data(run.printed.utf8) : disk.content
        return ProxyFindingCase.lines(of: LogRecords(lines: log.split(separator: UInt8(ascii: "\n")).map { Data($0) }))
    }
}

/// Speaks TLS with a certificate, and nothing more.
final class TLSServer {
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let listening: any Channel
    var port: Int { listening.localAddress?.port ?? 0 }

    init(_ serving: ServingCertificate) throws {
        let chain = try serving.chain.map { NIOSSLCertificateSource.certificate(try NIOSSLCertificate(bytes: $0, format: .der)) }
        let key = NIOSSLPrivateKeySource.privateKey(try NIOSSLPrivateKey(bytes: serving.key, format: .der))
        let context = try NIOSSLContext(configuration: .makeServerConfiguration(certificateChain: chain, privateKey: key))
        listening = try ServerBootstrap(group: Self.group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }
            }
            .bind(host: "localhost", port: 0).wait()
    }

    deinit { try? listening.close().wait() }
}
