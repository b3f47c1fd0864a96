import Foundation
import Support
import Testing

/// Two proxies that name each other.
@Suite("Proxies that lead to each other", .serialized)
struct ProxyLoopTests {
    @Test("through HTTP proxies a loop is known by its mark, at once")
    func marked() throws {
        let place = try LoopbackListener().port
        let first = try ProxyProcess(["--mode", "http", "--via", "http://127.0.0.1:\(place)"])
        let second = try ProxyProcess(
            ["--mode", "http", "--via", "http://127.0.0.1:\(first.port)"], listen: "127.0.0.1:\(place)")
        let client = try LoopbackSocket(port: first.port)
        try client.send("CONNECT a.example:1 HTTP/1.1\r\n\r\n")
        let answer = String(decoding: try client.receiveToTheEnd().bytes, as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 502 "))
        let records = first.records(until: "closed", count: 2)
        #expect(records.findings.contains("proxy.loop") && records.all("opened").count == 2, "\(records.findings)")
        #expect(second.records(until: "closed").all("opened").count == 1)
    }

    @Test("a client that asks for the proxy itself is told so, and so are the records")
    func itself() throws {
        let proxy = try ProxyProcess(["--mode", "http"])
        for request in [
            "GET http://127.0.0.1:\(proxy.port)/a HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT localhost:\(proxy.port) HTTP/1.1\r\n\r\n",
        ] {
            let client = try LoopbackSocket(port: proxy.port)
            try client.send(request)
            #expect(String(decoding: try client.receiveToTheEnd().bytes, as: UTF8.self).contains("proxy_loop_detected"))
        }
        let records = proxy.records(until: "closed", count: 2)
        #expect(records.findings == ["proxy.loop", "proxy.loop"])
        let detail = records.all("finding").first?["detail"] as? String
        #expect(
            detail == "the proxy was asked to connect to itself: 127.0.0.1:\(proxy.port) is an address at which this proxy listens")
        #expect(records.closings == ["connect-failed by proxy", "connect-failed by proxy"])
    }

    #if os(Linux)
    @Test("where nothing can be marked, a loop of silent connections ends after a small number of them, and is told")
    func counted() throws {
        let clients = 3
        let place = try LoopbackListener().port
        let first = try ProxyProcess(["--upstream", "tcp://127.0.0.1:\(place)"])
        let second = try ProxyProcess(["--upstream", "tcp://127.0.0.1:\(first.port)"], listen: "127.0.0.1:\(place)")
        let looping = try (0..<clients).map { _ in try LoopbackSocket(port: first.port) }
        // Others come, say something and go.
        let passing = try (0..<clients - 1).map { _ in try LoopbackSocket(port: first.port) }
        for client in passing {
            try client.send("hello")
            client.finish()
        }
        for client in looping { #expect(try client.receiveToTheEnd() == ([], .reset)) }
        let (one, other) = (first.stop(), second.stop())
        let opened = one.records.all("opened").count + other.records.all("opened").count
        // A machine with much else to do may take more than one trial for it.
        #expect(opened < 500, "\(clients) clients became \(opened) conversations")
        let told = one.records.findings + other.records.findings
        #expect((1...2 * clients).contains(told.count { $0 == "proxy.loop" }), "\(told)")
        let lines = (one.errors + other.errors).split(separator: "\n").filter { $0.contains("leads back here through another proxy") }
        #expect(lines.count == 1, "\(lines)")
    }

    @Test("so does a loop over Unix sockets, whose clients the kernel knows")
    func unixSockets() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("u\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (one, other) = (folder.appendingPathComponent("a").path, folder.appendingPathComponent("b").path)
        func start(_ own: String, _ next: String) throws -> ProxyProcess {
            try ProxyProcess(["--mode", "reverse:unix:\(next)", "--mode", "reverse:unix:\(next)", "--listen", "unix:\(own)"])
        }
        let first = try start(one, other)
        let second = try start(other, one)
        let client = try LoopbackSocket(port: first.port)
        // A Unix socket knows no RST.
        #expect(try client.receiveToTheEnd().bytes == [])
        let records = (first.stop().records, second.stop().records)
        #expect(records.0.all("opened").count + records.1.all("opened").count < 500)
        #expect((records.0.findings + records.1.findings).contains("proxy.loop"))
    }
    #endif

    @Test("silent connections that are opened one after the other are not a loop")
    func silent() throws {
        let listener = try LoopbackListener()
        let proxy = try ProxyProcess(["--upstream", "tcp://127.0.0.1:\(listener.port)"])
        let talks = try (0..<150).map { _ in (try LoopbackSocket(port: proxy.port), try listener.accept()) }
        for (client, server) in talks {
            try client.send("ping")
            #expect(try server.receive(4) == Array("ping".utf8))
        }
        #expect(proxy.stop().records.findings.allSatisfy { $0 == "proxy.shut-down" })
    }
}
