import Foundation
import Support
import Testing

/// What a client had sent when its server could not be had, or had not come to it: it stands in the records.
@Suite("Bytes of a client that reach no server", .serialized)
struct UnsentBytesTests {
    /// A port at which nobody listens.
    private func closedPort() throws -> UInt16 { try LoopbackListener().port }

    private func own(_ records: LogRecords, _ conversation: Int) -> [[String: Any]] {
        records.records.filter { $0["conversation"] as? Int == conversation }
    }

    private func kinds(_ records: LogRecords, _ conversation: Int) -> [String] {
        own(records, conversation).compactMap { $0["kind"] as? String }
    }

    /// Greeting and CONNECT of SOCKS to an address of this machine.
    private func socks(_ port: UInt16) -> [UInt8] { [5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, UInt8(port >> 8), UInt8(port & 0xFF)] }

    @Test("a request and its body, where the connection is refused")
    func refused() throws {
        let proxy = try ProxyProcess(["--mode", "socks5"])
        let client = try LoopbackSocket(port: proxy.port)
        try client.send(socks(try closedPort()) + Array("POST /lost HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello".utf8))
        _ = try client.receiveToTheEnd()
        let records = proxy.records(until: "closed")
        #expect(kinds(records, 1) == ["opened", "request", "body", "finding", "closed"], "\(records.records)")
        #expect(records.all("body").compactMap { $0["text"] as? String } == ["hello"])
        #expect(records.findings == ["proxy.connect-failed"])
        #expect(proxy.stop().status == 0)
        #expect(try LogValidation.verdict(on: proxy.printed) == nil)
    }

    @Test("half a request that came before the name turned out to be unknown, and bytes of no protocol")
    func half() throws {
        let proxy = try ProxyProcess(["--mode", "http"])
        for (number, sent) in ["GET /half HTTP/1.1\r\nHost: a\r\n", "no protocol"].enumerated() {
            let client = try LoopbackSocket(port: proxy.port)
            try client.send("CONNECT nobody.invalid:80 HTTP/1.1\r\n\r\n" + sent)
            _ = try client.receiveToTheEnd()
            let records = proxy.records(until: "closed", count: number + 1)
            let all = String(describing: own(records, number + 1))
            #expect(all.contains(number == 0 ? "/half" : "no protocol"), "\(all)")
            #expect(own(records, number + 1).last?["how"] as? String == "connect-failed")
        }
    }

    @Test("in http mode the requests behind the one that failed are records too, without the proxy's password")
    func behind() throws {
        let proxy = try ProxyProcess(["--mode", "http", "--auth", "ana:Sesam17"])
        let client = try LoopbackSocket(port: proxy.port)
        // "ana:Sesam17"
        let password = "Proxy-Authorization: Basic YW5hOlNlc2FtMTc=\r\n"
        try client.send(
            "POST http://127.0.0.1:\(closedPort())/first HTTP/1.1\r\nHost: a\r\n\(password)Content-Length: 4\r\n\r\nbody"
                + "GET http://b.example/second HTTP/1.1\r\nHost: b.example\r\n\(password)\r\n"
                + "GET http://c.example/third HTTP/1.1\r\nHost: c.example\r\n\(password)\r\n"
                + "GET http://d.example/fourth HTTP/1.1\r\n\(password)")
        _ = try client.receiveToTheEnd()
        let records = proxy.records(until: "closed", count: 4)
        let opened = records.all("opened").compactMap { ($0["via"] as? [String: Any])?["target"] as? String }
        #expect(Array(opened.dropFirst()) == ["http://b.example:80", "http://c.example:80"])
        let targets = records.all("request").compactMap { $0["target"] as? String }
        #expect(targets.map { String($0.suffix(6)) } == ["/first", "second", "/third"], "\(targets)")
        #expect(records.all("body").compactMap { $0["text"] as? String } == ["body"])
        #expect(records.findings.count { $0 == "proxy.request-withheld" } == 2)
        #expect(records.all("finding").compactMap { $0["detail"] as? String }.contains { $0.contains("83 bytes of a request had come") })
        #expect(!proxy.printed.contains("YW5hOlNlc2FtMT"))
        #expect(try LogValidation.verdict(on: proxy.stop().records.isWhole ? proxy.printed : "") == nil)
    }

    @Test("the ClientHello, where TLS with the server comes to nothing", arguments: [true, false])
    func hello(isSplit: Bool) throws {
        let listener = try LoopbackListener()
        let proxy = try ProxyProcess(["--mode", "http"])
        let client = try LoopbackSocket(port: proxy.port)
        try client.send("CONNECT 127.0.0.1:\(listener.port) HTTP/1.1\r\n\r\n")
        let server = try listener.accept()
        _ = try client.receiveHead()
        let hello = Hello.bytes(name: "api.example")
        try client.send(Array(hello.prefix(isSplit ? 20 : hello.count)))
        if isSplit { try client.send(Array(hello.dropFirst(20))) }
        // The proxy's own hello.
        _ = try server.receive(5)
        server.reset()
        client.close()
        let records = proxy.records(until: "closed")
        let told = own(records, 1)
        #expect(told.first { $0["kind"] as? String == "tls" }?["serverName"] as? String == "api.example", "\(told)")
        #expect(told.last?["how"] as? String == "tls-failed")
        #expect(records.findings == ["proxy.tls-failed"], "\(records.findings)")
    }

    @Test("what the proxy itself answers inside TLS is a record, body and all, and said to be the proxy's own")
    func answeredByTheProxy() throws {
        let peers = try PeerProgram("apology.py")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let recording = folder.appendingPathComponent("talk.pcapng").path
        let proxy = try ProxyProcess(["--mode", "http", "-w", recording])
        let told: [String: Any] = ["port": Int(proxy.port), "authority": proxy.authority.path]
        try peers.say(String(decoding: JSONSerialization.data(withJSONObject: told), as: UTF8.self))
        #expect(peers.nextLine() == "HTTP/1.1 200 Connection established | HTTP/1.1 502 Bad Gateway")
        _ = peers.finish()
        _ = proxy.records(until: "closed")
        let live = proxy.stop().records
        let read = try UnmaskProcess.run(["read", "--format", "ndjson", recording])
        for records in [live, LogRecords(lines: read.lines.map { Data($0.utf8) })] {
            let order = own(records, 1).compactMap { ($0["id"] ?? $0["kind"]) as? String }
            #expect(order == ["opened", "proxy.tls-failed", "tls", "request", "proxy.request-withheld", "body", "closed"], "\(order)")
            #expect(records.all("request").first?["target"] as? String == "/lost")
            #expect(records.all("body").first?["text"] as? String == "hello")
            #expect(records.all("tls").first?["secrets"] as? String == "terminated")
            let detail = records.all("finding").last?["detail"] as? String
            #expect(detail?.hasSuffix("TLS with the server had failed, and the proxy itself answered with 502") == true)
            #expect(records.closings == ["tls-failed by proxy"])
            let closed = records.all("closed").first?["server"] as? [String: Any]
            #expect(closed?["bytes"] as? Int == 0, "\(records.all("closed"))")
        }
    }

    @Test("what a client had sent when it left, or the proxy was stopped, before the server was reached", arguments: [true, false])
    func early(isStopped: Bool) throws {
        let silent = try LoopbackListener()
        let proxy = try ProxyProcess(["--mode", "socks5", "--via", "socks5://127.0.0.1:\(silent.port)", "--grace", "0"])
        let client = try LoopbackSocket(port: proxy.port)
        try client.send(socks(80) + Array("GET /early HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        let server = try silent.accept()
        _ = try server.receive(3)
        if !isStopped {
            client.reset()
            _ = proxy.records(until: "closed")
        }
        let records = proxy.stop().records
        #expect(records.all("request").first?["target"] as? String == "/early")
        #expect(records.closings == [isStopped ? "shutdown by proxy" : "reset by client"])
        withExtendedLifetime(server) {}
    }

    @Test("a request that waits for another server's response", arguments: ["reset", "close", "stop"])
    func waiting(end: String) throws {
        let listener = try LoopbackListener()
        let proxy = try ProxyProcess(["--mode", "http", "--grace", "0"])
        let client = try LoopbackSocket(port: proxy.port)
        try client.send(
            "GET http://127.0.0.1:\(listener.port)/a HTTP/1.1\r\nHost: a\r\n\r\n"
                + "POST http://b.example/b HTTP/1.1\r\nHost: b.example\r\nContent-Length: 4\r\n\r\nbody")
        let server = try listener.accept()
        _ = try server.receiveHead()
        if end == "reset" { client.reset() }
        if end == "close" {
            client.finish()
            server.close()
        }
        let records = end == "stop" ? proxy.stop().records : proxy.records(until: "closed", count: 2)
        #expect(records.all("request").compactMap { $0["target"] as? String }.map { $0.hasSuffix("/b") } == [false, true])
        #expect(kinds(records, 2) == ["opened", "finding", "request", "body", "closed"], "\(own(records, 2))")
        #expect(records.findings.contains("proxy.request-withheld"))
        withExtendedLifetime((client, server)) {}
    }
}
