import Foundation
import Support
import Testing

/// Clients that end a handshake before they have seen our certificate: they judge nothing by that.
@Suite("Clients that leave before the certificate comes", .serialized)
struct CertificateSightTests {
    /// Lets a client send its hello while the proxy waits for the proxy behind it, and `leave` before that one answers.
    private func visit(_ proxy: ProxyProcess, _ behind: LoopbackListener, leave: (LoopbackSocket) -> Void) throws -> LoopbackSocket {
        let client = try LoopbackSocket(port: proxy.port)
        let server = try behind.accept()
        #expect(try server.receive(3) == [5, 1, 0])
        try client.send(Hello.bytes(name: "api.example"))
        leave(client)
        try server.send([5, 0])
        _ = try server.receive(4 + 1 + 11 + 2)
        try server.send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        return server
    }

    @Test("a client that had gone by then refused nothing, and its host is not passed through")
    func gone() throws {
        let behind = try LoopbackListener()
        let proxy = try ProxyProcess([
            "--upstream", "tcp://api.example:80", "--via", "socks5://127.0.0.1:\(behind.port)", "--passthrough-on-failure",
        ])
        for number in 1...4 {
            let server = try visit(proxy, behind) { if number % 2 == 0 { $0.close() } else { $0.finish() } }
            let records = proxy.records(until: "closed", count: number)
            #expect(records.findings.count == number && records.findings.allSatisfy { $0 == "proxy.tls-failed" }, "\(records.findings)")
            withExtendedLifetime(server) {}
        }
        // It still gets our certificate: a ServerHello comes, and nothing goes to the server.
        let client = try LoopbackSocket(port: proxy.port)
        let server = try behind.accept()
        _ = try server.receive(3)
        try client.send(Hello.bytes(name: "api.example"))
        try server.send([5, 0])
        _ = try server.receive(4 + 1 + 11 + 2)
        try server.send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        #expect(try client.receive(6).last == 2)
    }

    @Test("one that is asked for another hello has not seen a certificate either; one that has seen it may have refused it")
    func askedAgain() throws {
        let listener = try LoopbackListener()
        let proxy = try ProxyProcess(["--upstream", "tcp://127.0.0.1:\(listener.port)"])
        for asksAgain in [true, false] {
            let client = try LoopbackSocket(port: proxy.port)
            try client.send(Hello.bytes(name: "api.example", asksAgain: asksAgain))
            let server = try listener.accept()
            let header = try client.receive(5)
            #expect(header[0] == 22)
            let hello = try client.receive(Int(header[3]) << 8 | Int(header[4]))
            // The random of a request for another hello is the same for all (RFC 8446, section 4.1.3).
            #expect(hello[0] == 2 && hello[6...].starts(with: [0xCF, 0x21, 0xAD, 0x74]) == asksAgain)
            // All of a certificate, or the change_cipher_spec that follows a request.
            client.finish()
            let records = proxy.records(until: "closed", count: asksAgain ? 1 : 2)
            let expected = asksAgain ? "proxy.tls-failed" : "proxy.client-refused-certificate"
            #expect(records.findings.last == expected, "\(records.findings)")
            withExtendedLifetime(server) {}
        }
    }

    #if os(Linux)
    @Test("a client that resets its connection at once has an address all the same")
    func resetAtOnce() throws {
        let proxy = try ProxyProcess(["--mode", "http"])
        for _ in 0..<20 { try LoopbackSocket(port: proxy.port).reset() }
        let opened = proxy.records(until: "opened", count: 20).all("opened")
        #expect(opened.allSatisfy { ($0["client"] as? [String: Any])?["address"] as? String == "127.0.0.1" }, "\(opened)")
    }
    #endif
}
