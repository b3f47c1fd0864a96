import Foundation
import Interception
import NIOCore
import Testing

/// What the handshake of a leg comes to, good and bad, with the reason in words.
@Suite("TLS handshakes")
struct TLSHandshakeTests {
    let scratch: TLSScratch
    let authority: TestAuthority
    let downstream = DownstreamTLS()

    init() throws {
        scratch = try TLSScratch()
        authority = try TestAuthority()
    }

    /// Towards servers, with the authority's root trusted.
    private func trusting() throws -> UpstreamTLS {
        var options = UpstreamTLSOptions()
        options.additionalRoots = [try scratch.write(authority.pem(), to: "root.pem")]
        return try UpstreamTLS(options)
    }

    private func insecure() throws -> UpstreamTLS {
        var options = UpstreamTLSOptions()
        options.isVerifying = false
        return try UpstreamTLS(options)
    }

    private let local = UpstreamTLS.Target(serverName: "localhost", identity: "localhost")

    /// Shakes hands where the client has to refuse, and gives its words.
    private func refusal(
        _ upstream: UpstreamTLS, _ target: UpstreamTLS.Target, _ certificate: ServingCertificate
    ) throws -> (trouble: TLSTrouble, seenByServer: ClientHandshakeOutcome?) {
        let both = try LoopbackTLS().handshake(upstream, target, downstream, certificate)
        guard case .failure(let error) = both.client else { throw PeerDialogue.Failure(reason: "the certificate was accepted") }
        return (try #require(error as? TLSTrouble), both.serverOutcome)
    }

    @Test("a handshake tells version, cipher suite, protocol and the server's certificate")
    func facts() throws {
        let leaf = try authority.leaf()
        var target = local
        target.alpn = ["h2", "http/1.1"]
        let both = try LoopbackTLS().handshake(try trusting(), target, downstream, leaf, alpn: "http/1.1")
        let client = try both.client.get()
        #expect(client.version == 0x0304)
        #expect(client.cipherSuite.map { (0x1301...0x1303).contains($0) } == true)
        #expect(client.alpn == "http/1.1")
        #expect(client.peerCertificate == leaf.chain[0])
        let server = try both.server.get()
        #expect(server.version == client.version)
        #expect(server.cipherSuite == client.cipherSuite)
        #expect(server.alpn == "http/1.1")
        #expect(server.peerCertificate == nil)
    }

    @Test("a server that chooses no protocol leaves none chosen")
    func noProtocol() throws {
        var target = local
        target.alpn = ["h2"]
        let both = try LoopbackTLS().handshake(try trusting(), target, downstream, try authority.leaf())
        #expect(try both.client.get().alpn == nil)
        #expect(try both.server.get().alpn == nil)
    }

    @Test("an expired certificate: the day is told")
    func expired() throws {
        let past = Date(timeIntervalSince1970: 1_600_000_000)..<Date(timeIntervalSince1970: 1_700_000_000)
        let (trouble, seen) = try refusal(try trusting(), local, try authority.leaf(validity: past))
        #expect(trouble.description == "the server's certificate expired on 2023-11-14T22:13:20Z")
        #expect(trouble.advice?.contains("--insecure") == true)
        #expect(seen == .refusedCertificate(TLSAlert(rawValue: 45)))
    }

    @Test("a certificate from the future: the day is told")
    func notYetValid() throws {
        let future = Date(timeIntervalSince1970: 4_000_000_000)..<Date(timeIntervalSince1970: 4_000_100_000)
        let trouble = try refusal(try trusting(), local, try authority.leaf(validity: future)).trouble
        #expect(trouble.description == "the server's certificate is not valid until 2096-10-02T07:06:40Z")
    }

    @Test("a certificate for another name: both names are told")
    func wrongName() throws {
        let leaf = try authority.leaf(names: ["example.org", "*.example.net"], addresses: [[192, 0, 2, 1]])
        let (trouble, seen) = try refusal(try trusting(), local, leaf)
        #expect(trouble.description == "the server's certificate is for example.org, *.example.net, 192.0.2.1, not for localhost")
        // Nothing of ours was sent to the wrong server: not even our last flight.
        #expect(seen == .closedAfterOurCertificate)
    }

    @Test("an authority that is not known: its name is told, and --upstream-ca")
    func unknownIssuer() throws {
        let other = try TestAuthority(name: "Somebody Else")
        let (trouble, seen) = try refusal(try trusting(), local, try other.leaf())
        #expect(trouble.description.contains("CN=Somebody Else"))
        #expect(trouble.advice?.contains("--upstream-ca") == true)
        #expect(seen == .refusedCertificate(TLSAlert(rawValue: 48)))
    }

    @Test("a self-signed certificate is told as one")
    func selfSigned() throws {
        let trouble = try refusal(try trusting(), local, try TestAuthority.selfSigned()).trouble
        #expect(trouble == .certificate(.selfSigned(subject: "CN=alone")))
        #expect(trouble.advice?.contains("--upstream-ca") == true)
    }

    @Test("a chain over an intermediate verifies when the server sends it, and not when it does not")
    func intermediate() throws {
        let middle = try authority.intermediate(name: "Middle")
        let whole = try LoopbackTLS().handshake(try trusting(), local, downstream, try middle.leaf(above: [middle.certificate]))
        #expect(throws: Never.self) { try whole.client.get() }
        let trouble = try refusal(try trusting(), local, try middle.leaf()).trouble
        #expect(trouble == .certificate(.unknownIssuer(issuer: "CN=Middle")))
    }

    @Test("--insecure accepts each of them")
    func insecureAccepts() throws {
        for leaf in [try TestAuthority.selfSigned(), try TestAuthority().leaf(), try authority.leaf(names: ["example.org"])] {
            let both = try LoopbackTLS().handshake(try insecure(), local, downstream, leaf)
            #expect(throws: Never.self) { try both.client.get() }
        }
    }

    @Test("an address is verified as one, and never sent as a server name")
    func address() throws {
        let target = UpstreamTLS.Target(serverName: "127.0.0.1", identity: "127.0.0.1")
        let good = try LoopbackTLS().handshake(try trusting(), target, downstream, try authority.leaf(names: []))
        #expect(throws: Never.self) { try good.client.get() }
        let leaf = try authority.leaf(names: ["127.0.0.1"], addresses: [])
        #expect(try refusal(try trusting(), target, leaf).trouble == .certificate(.addressAsName("127.0.0.1")))
    }

    @Test("a server that speaks no TLS")
    func noTLS() throws {
        let pair = try LoopbackTLS()
        let upstream = try trusting()
        let handshake = try pair.onLoop {
            let leg = try upstream.connect(
                pair.client, before: pair.clientLog.requireHandler(), target: .init(serverName: nil, identity: "x"))
            pair.server.writeAndFlush(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n"), promise: nil)
            return leg.handshake
        }
        let error = #expect(throws: TLSTrouble.self) { try handshake.wait() }
        #expect(error?.description == "the peer does not speak TLS on this port")
        #expect(error?.words(about: "the server") == "the server does not speak TLS on this port")
        // A failed handshake closes its channel.
        _ = try pair.clientLog.ended.futureResult.wait()
    }

    @Test("a server that closes instead of answering, with FIN")
    func closed() throws {
        let pair = try LoopbackTLS()
        let upstream = try trusting()
        let handshake = try pair.onLoop {
            let leg = try upstream.connect(
                pair.client, before: pair.clientLog.requireHandler(), target: .init(serverName: nil, identity: "x"))
            pair.server.close(mode: .output, promise: nil)
            return leg.handshake
        }
        #expect(throws: TLSTrouble.closed) { try handshake.wait() }
    }

    @Test("closing the channel gives the handshake up")
    func cancelled() throws {
        let pair = try LoopbackTLS()
        let upstream = try trusting()
        let handshake = try pair.onLoop {
            let leg = try upstream.connect(
                pair.client, before: pair.clientLog.requireHandler(), target: .init(serverName: nil, identity: "x"))
            pair.client.close(promise: nil)
            return leg.handshake
        }
        #expect(throws: TLSTrouble.cancelled) { try handshake.wait() }
    }

    @Test("a hello that was read before is replayed, whole or in parts", arguments: [1, 5, 100, 10_000])
    func replayed(cut: Int) throws {
        let pair = try LoopbackTLS()
        let upstream = try trusting()
        let (downstream, leaf, local) = (downstream, try authority.leaf(), local)
        let client = try pair.onLoop {
            pair.server.read()
            return try upstream.connect(pair.client, before: pair.clientLog.requireHandler(), target: local).handshake
        }
        let hello = try pair.serverLog.firstBytes.futureResult.wait()
        let server = try pair.onLoop {
            var rest = hello
            let first = rest.readSlice(length: min(cut, rest.readableBytes))
            let leg = try downstream.accept(
                pair.server, before: pair.serverLog.requireHandler(), certificate: leaf, alpn: nil, replaying: first)
            if rest.readableBytes > 0 { leg.replay(rest) }
            return leg.handshake
        }
        #expect(try client.wait().version == 0x0304)
        #expect(try server.wait().version == 0x0304)
    }

    @Test("a client certificate from --client-cert, alone or with --client-key, is read; what is wrong with a file is told")
    func clientCertificateFiles() throws {
        let leaf = try authority.leaf()
        let both = try scratch.write(leaf.pem, to: "both.pem")
        let other = try scratch.write(try authority.leaf().pem, to: "other.pem")
        let empty = try scratch.write("nothing\n", to: "empty.pem")
        func open(_ certificate: String?, key: String?, roots: [String] = []) throws {
            var options = UpstreamTLSOptions()
            options.clientCertificate = certificate
            options.clientKey = key
            options.additionalRoots = roots
            _ = try UpstreamTLS(options)
        }
        try open(both, key: nil)
        try open(both, key: both)
        #expect(throws: TLSFileError(path: other, problem: "the key does not fit the certificate")) { try open(both, key: other) }
        #expect(throws: TLSFileError(path: both, problem: "a key without --client-cert")) { try open(nil, key: both) }
        #expect(throws: TLSFileError(path: empty, problem: "it holds no certificate in PEM form")) { try open(empty, key: nil) }
        #expect(throws: TLSFileError(path: empty, problem: "it holds no certificate in PEM form")) {
            try open(nil, key: nil, roots: [empty])
        }
        #expect(throws: TLSFileError.self) { try open(scratch.path("absent.pem"), key: nil) }
    }
}
