import Foundation
import Support
import Testing

/// Clients that get no conversation: each is a record with its address and the reason, and one line in text.
@Suite("Clients that the proxy refuses", .serialized)
struct RefusedClientsTests {
    /// What a client sends, and the words that its record has to have.
    struct Visit: CustomTestStringConvertible {
        let mode: String
        let bytes: [UInt8]
        let reason: String
        var arguments: [String] = []
        /// It leaves before anything was answered.
        var leaves = false

        init(_ mode: String, _ bytes: [UInt8], _ reason: String, _ arguments: [String] = [], leaves: Bool = false) {
            (self.mode, self.bytes, self.reason, self.arguments, self.leaves) = (mode, bytes, reason, arguments, leaves)
        }

        init(http text: String, _ reason: String, _ arguments: [String] = [], leaves: Bool = false) {
            self.init("http", Array(text.utf8), reason, arguments, leaves: leaves)
        }

        var testDescription: String { "\(mode): \(reason)" }
    }

    private static let auth = ["--auth", "ana:sesame"]
    private static let wrong = "Proxy-Authorization: Basic YW5hOm5v\r\n"

    static let visits: [Visit] = [
        Visit(http: "CONNECT a:1 HTTP/1.1\r\n\(wrong)\r\n", "407, wrong user or password (user \"ana\")", auth),
        Visit(http: "GET http://a/ HTTP/1.1\r\nConnection: close\r\n\r\n", "407, the client sent no user and password", auth),
        Visit(http: "GET http://a/ HTTP/1.1\r\n\r\n", "407, the client sent no user and password", auth, leaves: true),
        Visit(http: "GET http://\(String(repeating: "a", count: 70_000))", "431, the head of the request is longer than 64 KiB"),
        Visit(http: "\u{0}\u{1}\r\n\r\n", "400, this is not an HTTP/1 request"),
        Visit(http: "GET https://a/ HTTP/1.1\r\n\r\n", "400, a client reaches TLS servers through CONNECT"),
        Visit(http: "GET ftp://a/ HTTP/1.1\r\n\r\n", "400, this proxy knows http:// and ws:// URLs"),
        Visit(http: "GET http://u@a/ HTTP/1.1\r\n\r\n", "400, a URL with a user in it"),
        Visit(http: "GET http://a:0/ HTTP/1.1\r\n\r\n", "400, "),
        Visit(http: "CONNECT a HTTP/1.1\r\n\r\n", "400, CONNECT takes HOST:PORT"),
        Visit(http: "CONNECT unmask.test:443 HTTP/1.1\r\n\r\n", "403, unmask.test is this proxy itself"),
        Visit(http: "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "400, the client took the proxy for a server"),
        Visit(http: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505, this proxy speaks HTTP/1.1"),
        Visit("http", [0x16, 3, 1], "closed without an answer, the client speaks TLS"),
        Visit("http", [5, 1, 0], "answered in SOCKS, the client speaks SOCKS 5"),
        Visit("http", [4, 1, 0, 80], "answered in SOCKS, the client speaks SOCKS 4"),
        Visit(http: "GET http://a/", "it closed the connection; 13 bytes of a request had come", leaves: true),
        Visit(http: "", "it closed the connection; nothing was sent", leaves: true),
        Visit("socks5", [0x16, 3, 1], "closed without an answer, the client speaks TLS"),
        Visit("socks5", Array("GET / HTTP/1.1\r\n\r\n".utf8), "400, the client speaks HTTP"),
        Visit("socks5", [9], "closed without an answer, the client begins with byte 9"),
        Visit("socks5", [5, 1, 1], "no acceptable method, the client insists on another authentication"),
        Visit("socks5", [5, 1, 0], "no acceptable method, the client offers no password", auth),
        Visit("socks5", [5, 1, 2, 1, 3, 97, 110, 97, 1, 98], "password not accepted, wrong user or password (user \"ana\")", auth),
        Visit("socks5", [4, 1, 0, 80, 1, 2, 3, 4, 0], "reply 91 (SOCKS 4: rejected), the client speaks SOCKS 4", auth),
        Visit("socks5", [4, 2, 0, 80, 1, 2, 3, 4, 0], "reply 91 (SOCKS 4: rejected), the client asked for BIND"),
        Visit("socks5", [5, 1, 0, 5, 2, 0, 1, 1, 2, 3, 4, 0, 1], "reply 7 (command not supported), the client asked for BIND"),
        Visit("socks5", [5, 1, 0, 5, 3, 0, 1, 1, 2, 3, 4, 0, 1], "reply 7 (command not supported), the client asked for UDP ASSOCIATE"),
        Visit("socks5", [5, 1, 0, 5, 1, 0, 9, 1], "reply 8 (address type not supported)"),
        Visit("socks5", [5, 1, 0, 5, 1, 0, 3, 1, 0x20, 0, 80], "reply 4 (host unreachable), the requested destination"),
        Visit("socks5", [5, 1, 0, 5, 1], "it closed the connection; 2 bytes of a SOCKS message had come", leaves: true),
    ]

    @Test("each kind is one record with the client's address and the reason", arguments: ["http", "socks5"])
    func records(mode: String) throws {
        for (arguments, visits) in Dictionary(grouping: Self.visits.filter { $0.mode == mode }, by: \.arguments) {
            let proxy = try ProxyProcess(["--mode", mode] + arguments)
            for (number, visit) in visits.enumerated() {
                let client = try LoopbackSocket(port: proxy.port)
                if !visit.bytes.isEmpty { try client.send(visit.bytes) }
                if visit.leaves, visit.reason.hasPrefix("407") { _ = try client.receiveHead() }
                // Some may go on after their answer; none of these does.
                if visit.leaves || mode == "http" { client.finish() }
                if !visit.leaves { _ = try client.receiveToTheEnd() }
                // It is over when the client has left as well.
                if mode == "socks5", !visit.leaves { client.finish() }
                let records = proxy.records(until: "closed", count: number + 1)
                let own = records.records.filter { $0["conversation"] as? Int == number + 1 }
                // What stands behind the refused request is counted.
                let kinds = own.compactMap { $0["kind"] as? String }.filter { $0 != "gap" }
                #expect(kinds == ["opened", "finding", "closed"], "\(visit.testDescription)")
                let opened = own.first { $0["kind"] as? String == "opened" } ?? [:]
                #expect((opened["client"] as? [String: Any])?["address"] as? String == "127.0.0.1")
                #expect((opened["server"] as? [String: Any])?.isEmpty == true)
                #expect((opened["via"] as? [String: Any])?["mode"] as? String == mode)
                let finding = own.first { $0["kind"] as? String == "finding" } ?? [:]
                #expect((finding["detail"] as? String)?.contains(visit.reason) == true, "\(finding) is not \(visit.reason)")
                #expect(
                    finding["id"] as? String
                        == (visit.leaves && !visit.reason.hasPrefix("407") ? "proxy.client-left" : "proxy.client-refused"))
                let closed = own.last ?? [:]
                #expect(closed["how"] as? String == (finding["id"] as? String == "proxy.client-left" ? "fin" : "refused"))
            }
            let outcome = proxy.stop()
            #expect(outcome.records.all("opened").count == visits.count)
            #expect(try LogValidation.verdict(on: proxy.printed) == nil)
        }
    }

    @Test("what a client sends after the refusal is counted", arguments: ["http", "socks5"])
    func counted(mode: String) throws {
        let proxy = try ProxyProcess(["--mode", mode])
        let client = try LoopbackSocket(port: proxy.port)
        // A request that is refused, then 300 bytes; and, once the answer is there, 5,000 more. In SOCKS mode the first byte is refused.
        let refused = mode == "http" ? Array("GET ftp://a/ HTTP/1.1\r\n\r\n".utf8) : Array("GET / HTTP/1.1\r\n\r\n".utf8)
        try client.send(refused + (mode == "http" ? [UInt8](repeating: 0x61, count: 300) : []))
        #expect(try client.receiveHead().hasPrefix("HTTP/1.1 400 "))
        try client.send([UInt8](repeating: 0x62, count: 5_000))
        client.finish()
        let records = proxy.records(until: "closed")
        let gap = try #require(records.all("gap").first, "\(records.records)")
        #expect(gap["length"] as? Int == (mode == "http" ? 5_300 : 5_017) && gap["cause"] as? String == "limit")
        #expect(gap["from"] as? String == "client")
        #expect((records.all("closed").first?["ends"] as? [String: Any])?["client"] as? String == "fin")
        #expect(try LogValidation.verdict(on: proxy.stop().records.isWhole ? proxy.printed : "") == nil)
    }

    @Test("a client that comes back with the password it was asked for was not refused, nor one that only got the certificate")
    func served() throws {
        let listener = try LoopbackListener()
        let proxy = try ProxyProcess(["--mode", "http"] + Self.auth)
        let client = try LoopbackSocket(port: proxy.port)
        let target = "CONNECT 127.0.0.1:\(listener.port) HTTP/1.1\r\n"
        try client.send(target + "\r\n")
        #expect(try client.receiveHead().hasPrefix("HTTP/1.1 407 "))
        // "ana:sesame"
        try client.send(target + "Proxy-Authorization: Basic YW5hOnNlc2FtZQ==\r\n\r\n")
        let server = try listener.accept()
        client.finish()
        server.finish()
        _ = proxy.records(until: "closed")
        let page = try LoopbackSocket(port: proxy.port)
        try page.send("GET http://unmask.test/ HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(String(decoding: try page.receiveToTheEnd().bytes.prefix(12), as: UTF8.self) == "HTTP/1.1 200")
        let records = proxy.stop().records
        #expect(records.findings.isEmpty && records.all("opened").count == 1, "\(records.findings)")
    }

    @Test("clients that are not served yet when the proxy is stopped have their record too")
    func stopped() throws {
        let silent = try LoopbackListener()
        let proxy = try ProxyProcess([
            "--mode", "http", "--auth", "ana:sesame", "--via", "socks5://127.0.0.1:\(silent.port)", "--grace", "0",
        ])
        let target = "CONNECT a:1 HTTP/1.1\r\n"
        var clients: [LoopbackSocket] = []
        func connect(_ text: String) throws -> LoopbackSocket {
            let client = try LoopbackSocket(port: proxy.port)
            clients.append(client)
            try client.send(text)
            return client
        }
        // One of each: asked for its password, in the midst of its request, with a page of the proxy's, silent, and waiting for its server.
        _ = try connect(target + "\r\n").receiveHead()
        _ = try connect(target)
        #expect(try connect("GET http://unmask.test/ HTTP/1.1\r\n\r\n").receiveHead().hasPrefix("HTTP/1.1 200"))
        _ = try connect("")
        _ = try connect(target + "Proxy-Authorization: Basic YW5hOnNlc2FtZQ==\r\n\r\n")
        // Its greeting has come, and so has all that was sent before it.
        let server = try silent.accept()
        _ = try server.receive(3)
        let records = proxy.stop().records
        #expect(
            records.closings.sorted() == ["refused by proxy", "shutdown by proxy", "shutdown by proxy", "shutdown by proxy"],
            "\(records.closings)")
        let reasons = records.all("finding").compactMap { $0["detail"] as? String }
        for reason in [
            "407, the client sent no user and password", "the proxy was stopped; \(target.utf8.count) bytes of a request had come",
            "the proxy was stopped; nothing was sent", "the server was not reached yet",
        ] {
            #expect(reasons.count { $0.hasSuffix(reason) || $0.contains(reason + " ") } == 1, "\(reason) in \(reasons)")
        }
        #expect(try LogValidation.verdict(on: proxy.printed) == nil)
        withExtendedLifetime((clients, server)) {}
    }

    @Test("in text each is one line, and a flood of them is counted")
    func text() throws {
        let proxy = try ProxyProcess(["--mode", "http", "--format", "text"])
        for _ in 0..<200 {
            let client = try LoopbackSocket(port: proxy.port)
            try client.send([0x16, 3, 1])
            _ = try client.receiveToTheEnd()
        }
        _ = proxy.stop()
        let lines = proxy.printed.split(separator: "\n")
        let refused = lines.filter { $0.contains("without a conversation: ") }
        #expect(refused.count >= 10 && refused.count < 100, "\(lines)")
        #expect(refused.first?.contains("127.0.0.1:") == true && refused.first?.contains("(via http)") == true)
        #expect(refused.allSatisfy { $0.contains("closed without an answer, the client speaks TLS") })
        let counted = lines.compactMap { $0.firstMatch(of: /and (\d+) more clients? without a conversation/).flatMap { Int($0.1) } }
        #expect(refused.count + counted.reduce(0, +) == 200, "\(lines)")
    }

    @Test("in text what a client sends after the refusal is no line of its own")
    func oneLine() throws {
        let proxy = try ProxyProcess(["--mode", "http", "--format", "text"])
        let client = try LoopbackSocket(port: proxy.port)
        try client.send("GET ftp://a/ HTTP/1.1\r\n\r\nabc")
        client.finish()
        _ = try client.receiveToTheEnd()
        _ = proxy.stop()
        let lines = proxy.printed.split(separator: "\n")
        #expect(lines.count == 2 && lines.first?.contains("without a conversation: 400") == true, "\(lines)")
    }

    @Test("a dial that failed began when it was tried, and not when it had failed")
    func time() throws {
        // Accepts, and never says a word.
        let silent = try LoopbackListener()
        let proxy = try ProxyProcess(["--mode", "http", "--connect-timeout", "0.4", "--via", "socks5://127.0.0.1:\(silent.port)"])
        let client = try LoopbackSocket(port: proxy.port)
        try client.send("CONNECT a:1 HTTP/1.1\r\n\r\n")
        _ = try client.receiveToTheEnd()
        let closed = try #require(proxy.records(until: "closed").all("closed").first)
        #expect(closed["how"] as? String == "connect-failed")
        #expect(try #require(closed["duration"] as? Double) >= 0.4)
    }
}
