import Foundation
import Support
import Testing

/// Peers that do not play along, and what becomes of the other side.
@Suite("Peers that do not play along", .serialized)
struct HostilePeersTests {
    @Test("a server that never answers our ClientHello is let go, and so is its client")
    func silentTLSServer() throws {
        let listener = try LoopbackListener()
        let proxy = try ProxyProcess(["--upstream", "tls://localhost:\(listener.port)", "--tls-timeout", "0.3"])
        let client = try LoopbackSocket(port: proxy.port)
        let start = ContinuousClock.now
        try client.send("hello?")
        let server = try listener.accept()
        // Our hello, and then the end, long before a close gives up waiting.
        #expect(try server.receiveToTheEnd().bytes.first == 22)
        #expect(try client.receiveToTheEnd() == ([], .reset))
        #expect(ContinuousClock.now - start < .seconds(8))
        let closed = try #require(proxy.records(until: "closed").all("closed").first)
        #expect(closed["how"] as? String == "tls-failed")
    }

    @Test("plaintext that only looks like the beginning of TLS is taken for plaintext")
    func almostHello() throws {
        let listener = try LoopbackListener()
        let proxy = try ProxyProcess(["--upstream", "tls://localhost:\(listener.port)"])
        let client = try LoopbackSocket(port: proxy.port)
        // A handshake record whose message is no ClientHello, and claims to be longer than any.
        try client.send([22, 3, 1, 0, 8, 0x7F, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4])
        let server = try listener.accept()
        // It goes to the server inside our TLS, and not in the clear: this is our ClientHello.
        let first = try server.receive(6)
        #expect(first[0] == 22 && first[5] == 1)
    }

    @Test("who connects to the transparent entrance itself is told apart from who was redirected there")
    func transparentLoop() throws {
        let proxy = try ProxyProcess(["--mode", "transparent"])
        let client = try LoopbackSocket(port: proxy.port)
        #expect(try client.receiveToTheEnd() == ([], .reset))
        #if os(Linux)
        #expect(proxy.records(until: "finding").findings == ["proxy.loop"])
        #endif
    }

    @Test("a plaintext client's FIN is a proper end for a TLS server; a client whose server leaves first refused nothing")
    func mixedEndings() throws {
        let peers = try PeerProgram("mixed_endings.py")
        let authority = try #require(peers.announced.last)
        let proxy = try ProxyProcess(["--upstream", "tls://localhost:\(peers.port)", "--upstream-ca", authority])
        let told: [String: Any] = ["port": Int(proxy.port), "authority": proxy.authority.path]
        try peers.say(String(decoding: JSONSerialization.data(withJSONObject: told), as: UTF8.self))
        #expect(peers.finish().lines == ["plain: proper end after 100000", "tls: b''"])
        let records = proxy.records(until: "closed", count: 2)
        #expect(!records.findings.contains("proxy.client-refused-certificate"))
        #expect(records.all("closed").last?["by"] as? String == "server")
    }

    @Test("a Unix socket at which somebody listens is not taken away; one that was left behind is")
    func unixSocketInUse() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("socket").path
        let way = ["--mode", "socks5", "--listen", "unix:\(path)", "--mode", "socks5"]
        let first = try ProxyProcess(way)
        let refused = #expect(throws: ProxyProcess.Failure.self) { try ProxyProcess(way) }
        #expect(refused?.description.contains("address already in use") == true)
        first.kill()
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(throws: Never.self) { _ = try ProxyProcess(way) }
    }

    @Test("a proxy on the way that is not there is named in the reason, and so is a file that is not there")
    func reasons() throws {
        let dead = try LoopbackListener().port
        let proxy = try ProxyProcess(["--upstream", "tcp://127.0.0.1:1", "--via", "http://127.0.0.1:\(dead)"])
        #expect(try LoopbackSocket(port: proxy.port).receiveToTheEnd() == ([], .reset))
        let finding = try #require(proxy.records(until: "closed").all("finding").first)
        #expect((finding["detail"] as? String)?.contains("http://127.0.0.1:\(dead): connection refused") == true)

        let none = #expect(throws: ProxyProcess.Failure.self) {
            try ProxyProcess(["--upstream", "tls://localhost:1", "--upstream-ca", "/nowhere/ca.pem"])
        }
        #expect(none?.description.contains("/nowhere/ca.pem: No such file or directory") == true)
    }
}
