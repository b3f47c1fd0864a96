import Foundation
import Support
import Testing

/// A client that asks several servers on one connection to the proxy: nothing of one reaches another.
@Suite("Two servers on one connection of an HTTP client", .serialized)
struct TwoOriginsTests {
    @Test("what a server sends without having been asked is not taken for another's response, and hears no request for it")
    func python() throws {
        let peers = try PeerProgram("two_origins.py")
        let proxy = try ProxyProcess(["--mode", "http"])
        try peers.say("{\"port\": \(proxy.port)}")
        #expect(
            peers.finish().lines == [
                "unasked 101: 101, then honest", "unasked 101 and more: 101, then honest", "asked 101: 101, then honest",
                "two responses: 200, then honest", "body after HEAD: 200, then honest", "body after 204: 204, then honest",
                "body after 304: 304, then honest", "two chunked: 200, then honest",
            ])
        let told = proxy.stop().records.findings
        #expect(told.count { $0 == "proxy.unasked-upgrade" } == 2)
        #expect(told.count { $0 == "proxy.request-withheld" } == 1)
        #expect(told.count { $0 == "proxy.excess-response" } == 5)
    }

    @Test("what came too much stands in the records, and the client's connection goes on to the next server")
    func excess() throws {
        let (first, second) = (try LoopbackListener(), try LoopbackListener())
        let proxy = try ProxyProcess(["--mode", "http"])
        let client = try LoopbackSocket(port: proxy.port)
        func ask(_ listener: LoopbackListener) throws -> LoopbackSocket {
            try client.send("GET http://127.0.0.1:\(listener.port)/ HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\n\r\n")
            let server = try listener.accept()
            #expect(try server.receiveHead().hasPrefix("GET / HTTP/1.1\r\n"))
            return server
        }
        let evil = try ask(first)
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        try evil.send(answer + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
        #expect(try client.receive(answer.utf8.count) == Array(answer.utf8))
        #expect(try evil.receiveToTheEnd().bytes == [])
        let honest = try ask(second)
        try honest.send("HTTP/1.1 204 Fine\r\n\r\n")
        #expect(try client.receiveHead() == "HTTP/1.1 204 Fine\r\n\r\n")
        client.finish()
        honest.finish()
        let records = proxy.records(until: "closed", count: 2)
        let ofEvil = records.records.filter { $0["conversation"] as? Int == 1 }
        #expect(ofEvil.contains { $0["id"] as? String == "proxy.excess-response" })
        #expect(ofEvil.contains { $0["text"] as? String == "evil" })
        #expect(records.all("closed").first?["by"] as? String == "proxy")
    }

    @Test("a request that waited for another server's response arrives whole, and the client's FIN after it", arguments: [false, true])
    func finish(isChunked: Bool) throws {
        let (first, second) = (try LoopbackListener(), try LoopbackListener())
        let proxy = try ProxyProcess(["--mode", "http"])
        let client = try LoopbackSocket(port: proxy.port)
        func head(_ method: String, _ listener: LoopbackListener, _ fields: String = "") -> String {
            "\(method) http://127.0.0.1:\(listener.port)/ HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\n\(fields)\r\n"
        }
        let framing = isChunked ? "Transfer-Encoding: chunked\r\n" : "Content-Length: 4\r\n"
        let body = isChunked ? "4\r\nbody\r\n0\r\n\r\n" : "body"
        try client.send(head("GET", first) + head("POST", second, framing) + body)
        client.finish()
        let one = try first.accept()
        _ = try one.receiveHead()
        let response = "HTTP/1.1 204 Fine\r\n\r\n"
        try one.send(response)
        let other = try second.accept()
        #expect(try other.receiveHead().hasPrefix("POST / HTTP/1.1\r\n"))
        #expect(try other.receiveToTheEnd() == (Array(body.utf8), .finished))
        try other.send(response)
        other.finish()
        #expect(try client.receiveToTheEnd() == (Array((response + response).utf8), .finished))
        let records = proxy.records(until: "closed", count: 2)
        #expect(records.findings == [], "\(records.findings)")
        #expect(records.all("body").compactMap { $0["text"] as? String } == ["body"])
        withExtendedLifetime(one) {}
    }

    @Test("what is not a request is refused after an exchange, and no byte of it reaches the server")
    func noRequest() throws {
        let proxy = try ProxyProcess(["--mode", "http"])
        let texts = [
            "GET\thttp://b/ HTTP/1.1\r\nCookie: secret\r\n\r\n", " GET http://b/ HTTP/1.1\r\nCookie: secret\r\n\r\n",
            "GET http://b/\r\nCookie: secret\r\n\r\n", "CONNECT\tb:443 HTTP/1.1\r\n\r\nsecret", "\u{16}\u{3}\u{1}secret", "\u{5}\u{1}\u{0}",
        ]
        for (number, text) in texts.enumerated() {
            let listener = try LoopbackListener()
            let client = try LoopbackSocket(port: proxy.port)
            try client.send("GET http://127.0.0.1:\(listener.port)/ HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\n\r\n")
            let server = try listener.accept()
            _ = try server.receiveHead()
            try server.send("HTTP/1.1 204 Fine\r\n\r\n")
            #expect(try client.receiveHead() == "HTTP/1.1 204 Fine\r\n\r\n")
            for byte in text.utf8 { try client.send([byte]) }
            #expect(try client.receiveHead().hasPrefix("HTTP/1.1 400 "))
            #expect(try server.receiveToTheEnd().bytes == [], "\(text)")
            client.finish()
            let records = proxy.records(until: "closed", count: 2 * number + 2)
            let refusals = records.all("finding").filter { $0["id"] as? String == "proxy.client-refused" }
            #expect(refusals.count == number + 1)
            #expect((refusals.last?["detail"] as? String)?.hasSuffix("400, this is not an HTTP/1 request") == true)
        }
        #expect(!proxy.stop().records.records.contains { "\($0)".contains("secret") })
    }

    @Test("the first bytes of an accepted upgrade wait for no more than a moment")
    func heldBytes() throws {
        let listener = try LoopbackListener()
        let proxy = try ProxyProcess(["--mode", "http"])
        let client = try LoopbackSocket(port: proxy.port)
        try client.send("GET http://127.0.0.1:\(listener.port)/ HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: tcp\r\n\r\n")
        let server = try listener.accept()
        _ = try server.receiveHead()
        try server.send("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
        _ = try client.receiveHead()
        // One letter, as a method might begin, and no more before there is an answer.
        try client.send("Q")
        #expect(try server.receive(1) == [UInt8(ascii: "Q")])
        try server.send("A")
        #expect(try client.receive(1) == [UInt8(ascii: "A")])
        try client.send("GET http://b/ HTTP/1.1\r\n")
        #expect(try server.receive(24) == Array("GET http://b/ HTTP/1.1\r\n".utf8))
    }

    @Test("the proxy's own password is in no record and no recording, and what is changed of a head is said")
    func password() throws {
        let listener = try LoopbackListener()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let recording = folder.appendingPathComponent("talk.pcapng")
        let proxy = try ProxyProcess(["--mode", "http", "--auth", "ana:Sesam17", "-w", recording.path])
        let client = try LoopbackSocket(port: proxy.port)
        // "ana:Sesam17", and "ana:Sesam18" before it.
        let head = "POST http://127.0.0.1:\(listener.port)/ HTTP/1.1\r\nHost: other\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n"
        try client.send("GET http://a/ HTTP/1.1\r\nProxy-Authorization: Basic YW5hOlNlc2FtMTg=\r\n\r\n")
        #expect(try client.receiveHead().hasPrefix("HTTP/1.1 407 "))
        let note = "unmask: This proxy asks for a user and a password.\n"
        #expect(try client.receive(note.utf8.count) == Array(note.utf8))
        try client.send(head + "Proxy-Authorization: Basic YW5hOlNlc2FtMTc=\r\nProxy-Connection: keep-alive\r\n\r\n0\r\n\r\n")
        let server = try listener.accept()
        #expect(
            try server.receiveHead()
                == "POST / HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\nTransfer-Encoding: chunked\r\n\r\n")
        try server.send("HTTP/1.1 204 Fine\r\n\r\n")
        _ = try client.receiveHead()
        client.finish()
        server.finish()
        _ = proxy.records(until: "closed", count: 2)
        let outcome = proxy.stop()
        let all = proxy.printed + outcome.errors + String(decoding: try Data(contentsOf: recording), as: UTF8.self)
        for secret in ["Sesam17", "Sesam18", "YW5hOlNlc2FtMT", "U2VzYW0x"] { #expect(!all.contains(secret), "\(secret)") }
        #expect(all.contains("Basic ***"))
        let details = outcome.records.all("finding").filter { ($0["id"] as? String)?.hasPrefix("proxy.") == true }
            .compactMap { $0["detail"] as? String }
        #expect(
            details == [
                "the client was refused: 407, wrong user or password (user \"ana\")",
                "the proxy changed the request: Host: other became 127.0.0.1:\(listener.port); Proxy-Connection was removed; "
                    + "Proxy-Authorization was removed; Content-Length beside Transfer-Encoding was removed",
            ], "\(details)")
    }
}
