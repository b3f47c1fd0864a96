import Foundation
import Support
import Testing

/// Servers that do not speak TLS at a port for it: what they sent stands in the records, live and in a recording, and answers no request.
@Suite("Servers that answer a ClientHello in clear text", .serialized)
struct ForeignServerTests {
    private static let refusal = "HTTP/1.1 400 Bad Request\r\nContent-Length: 5\r\n\r\nplain"

    private func own(_ records: LogRecords) -> [[String: Any]] { records.records.filter { $0["conversation"] as? Int == 1 } }

    private func kinds(_ records: LogRecords) -> [String] { own(records).compactMap { ($0["id"] ?? $0["kind"]) as? String } }

    /// A folder for a recording, gone with the test.
    private func withRecording(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("talk.pcapng").path)
    }

    /// What the proxy told, live and in its recording.
    private func told(_ proxy: ProxyProcess, _ recording: String) throws -> [LogRecords] {
        _ = proxy.records(until: "closed")
        let live = proxy.stop().records
        let read = try UnmaskProcess.run(["read", "--format", "ndjson", recording])
        #expect(read.status == 0, "\(read.errors)")
        return [live, LogRecords(lines: read.lines.map { Data($0.utf8) })]
    }

    private func bytes(_ records: LogRecords, of side: String) -> Int? {
        (records.all("closed").first?[side] as? [String: Any])?["bytes"] as? Int
    }

    @Test(
        "to a client in plaintext, whose request it does not answer", arguments: [refusal, refusal + String(repeating: "x", count: 9_000)])
    func reverse(text: String) throws {
        try withRecording { recording in
            let listener = try LoopbackListener()
            let proxy = try ProxyProcess(["--upstream", "https://localhost:\(listener.port)", "-w", recording])
            let client = try LoopbackSocket(port: proxy.port)
            try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let server = try listener.accept()
            #expect(try server.receive(1) == [22])
            try server.send(text)
            _ = try client.receiveToTheEnd()
            for records in try told(proxy, recording) {
                #expect(kinds(records) == ["opened", "request", "data", "proxy.tls-failed", "closed"], "\(own(records))")
                #expect(records.all("data").compactMap { $0["text"] as? String } == [text])
                #expect(bytes(records, of: "server") == text.utf8.count)
                let detail = records.all("finding").first?["detail"] as? String
                #expect(detail?.contains("the server sent “HTTP/1.1 400 Bad Request” in clear text") == true, "\(detail ?? "")")
                #expect(records.closings == ["tls-failed by proxy"])
            }
        }
    }

    @Test("in pieces, more than is kept: what is kept is one with what is missing", arguments: [3, 100_000])
    func pieces(size: Int) throws {
        try withRecording { recording in
            let listener = try LoopbackListener()
            let proxy = try ProxyProcess(["--upstream", "https://localhost:\(listener.port)", "-w", recording])
            let client = try LoopbackSocket(port: proxy.port)
            try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let server = try listener.accept()
            #expect(try server.receive(1) == [22])
            try server.send("HTTP/1.1 400 Bad Request\r\n")
            // The proxy knows by now that this is no TLS.
            try server.send(String(repeating: "x", count: size))
            server.finish()
            _ = try client.receiveToTheEnd()
            for records in try told(proxy, recording) {
                let data = records.all("data").filter { $0["from"] as? String == "server" }
                let shown = data.reduce(0) { $0 + ($1["length"] as? Int ?? 0) }
                let gaps = records.all("gap").filter { $0["cause"] as? String == "limit" }.reduce(0) { $0 + ($1["length"] as? Int ?? 0) }
                #expect(shown == min(26 + size, 65_536) && shown + gaps == 26 + size, "\(own(records))")
                #expect((records.all("closed").first?["ends"] as? [String: Any])?["server"] as? String == "fin")
            }
        }
    }

    @Test("by nothing: its end is told")
    func leaves() throws {
        try withRecording { recording in
            let listener = try LoopbackListener()
            let proxy = try ProxyProcess(["--upstream", "https://localhost:\(listener.port)", "-w", recording])
            let client = try LoopbackSocket(port: proxy.port)
            try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let server = try listener.accept()
            #expect(try server.receive(1) == [22])
            server.finish()
            _ = try client.receiveToTheEnd()
            for records in try told(proxy, recording) {
                #expect((records.all("closed").first?["ends"] as? [String: Any])?["server"] as? String == "fin", "\(own(records))")
                #expect(records.closings == ["tls-failed by proxy"])
            }
        }
    }

    @Test(
        "to a ClientHello in a tunnel; bytes that are no text, and fewer than a record's header",
        arguments: [refusal, "no", "\u{1}\u{2}\u{3}"])
    func tunnel(text: String) throws {
        try withRecording { recording in
            let listener = try LoopbackListener()
            let proxy = try ProxyProcess(["--mode", "http", "-w", recording])
            let client = try LoopbackSocket(port: proxy.port)
            try client.send("CONNECT 127.0.0.1:\(listener.port) HTTP/1.1\r\n\r\n")
            let server = try listener.accept()
            _ = try client.receiveHead()
            try client.send(Hello.bytes(name: "api.example"))
            #expect(try server.receive(1) == [22])
            try server.send(text)
            server.finish()
            // Our ServerHello, to which it says nothing.
            #expect(try client.receive(1) == [22])
            client.reset()
            for records in try told(proxy, recording) {
                #expect(records.all("data").first?["text"] as? String == text, "\(own(records))")
                #expect(records.all("response").isEmpty)
                #expect(records.findings == ["proxy.tls-failed"])
                #expect(records.all("tls").first?["serverName"] as? String == "api.example")
                #expect(bytes(records, of: "server") == text.utf8.count)
                let ends = records.all("closed").first?["ends"] as? [String: Any]
                #expect(ends?["client"] as? String == "reset", "\(ends ?? [:])")
            }
        }
    }

    /// Who speaks before the handshake may be anybody on the way: nothing of it reaches the client as what the server said under TLS.
    @Test("before the handshake has begun, or as another proxy that is to lead to it", arguments: [false, true])
    func early(isVia: Bool) throws {
        try withRecording { recording in
            let listener = try LoopbackListener()
            let port = listener.port
            let ways = isVia ? ["https://localhost:9", "--via", "http://127.0.0.1:\(port)"] : ["https://localhost:\(port)"]
            let proxy = try ProxyProcess(["--upstream"] + ways + ["-w", recording])
            let client = try LoopbackSocket(port: proxy.port)
            let server = try listener.accept()
            let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nFORGED"
            if isVia {
                #expect(try server.receiveHead().hasPrefix("CONNECT localhost:9 "))
                try server.send("HTTP/1.1 200 OK\r\n\r\n" + forged)
            } else {
                try server.send(forged)
            }
            try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try !String(decoding: client.receiveToTheEnd().bytes, as: UTF8.self).contains("FORGED"))
            for records in try told(proxy, recording) {
                #expect(records.all("response").isEmpty && records.findings == ["proxy.tls-failed"], "\(own(records))")
                #expect(records.all("data").compactMap { $0["text"] as? String } == [forged])
                #expect(bytes(records, of: "server") == forged.utf8.count)
                let detail = records.all("finding").first?["detail"] as? String
                #expect(detail?.contains("does not speak TLS on this port; the server sent “HTTP/1.1 200 OK” in clear text") == true)
            }
        }
    }

    @Test("and clients that go on in clear text after their ClientHello: each byte is counted once")
    func brokenClient() throws {
        try withRecording { recording in
            let listener = try LoopbackListener()
            let proxy = try ProxyProcess(["--mode", "http", "-w", recording])
            let client = try LoopbackSocket(port: proxy.port)
            try client.send("CONNECT 127.0.0.1:\(listener.port) HTTP/1.1\r\n\r\n")
            let server = try listener.accept()
            _ = try client.receiveHead()
            let sent = Hello.bytes(name: "api.example") + Array("clear text, sorry".utf8)
            try client.send(sent)
            #expect(try server.receive(1) == [22])
            try server.send(Self.refusal)
            server.finish()
            _ = try? client.receiveToTheEnd()
            for records in try told(proxy, recording) { #expect(bytes(records, of: "client") == sent.count, "\(own(records))") }
        }
    }

    @Test("a server that sends an alert in place of its hello: the records say whether it closed", arguments: [true, false])
    func alert(closes: Bool) throws {
        try withRecording { recording in
            let listener = try LoopbackListener()
            let proxy = try ProxyProcess(["--upstream", "https://localhost:\(listener.port)", "-w", recording])
            let client = try LoopbackSocket(port: proxy.port)
            try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let server = try listener.accept()
            #expect(try server.receive(1) == [22])
            // handshake_failure
            try server.send([21, 3, 3, 0, 2, 2, 40])
            if closes { server.finish() }
            _ = try client.receiveToTheEnd()
            for records in try told(proxy, recording) {
                let ends = records.all("closed").first?["ends"] as? [String: Any]
                #expect(ends?["server"] as? String == (closes ? "fin" : "open"), "\(own(records))")
                #expect((records.all("finding").first?["detail"] as? String)?.contains("handshake failure") == true)
                #expect(records.closings == ["tls-failed by proxy"])
            }
        }
    }

    @Test("after it has agreed to begin TLS")
    func midstream() throws {
        try withRecording { recording in
            let listener = try LoopbackListener()
            let proxy = try ProxyProcess(["--upstream", "tcp://localhost:\(listener.port)", "-w", recording])
            let client = try LoopbackSocket(port: proxy.port)
            let server = try listener.accept()
            for (text, sender, receiver) in [
                ("220 mail\r\n", server, client), ("STARTTLS\r\n", client, server), ("220 go ahead\r\n", server, client),
            ] {
                try sender.send(text)
                _ = try receiver.receive(text.utf8.count)
            }
            try client.send(Hello.bytes(name: "mail.example"))
            #expect(try server.receive(1) == [22])
            try server.send("500 what?\r\n")
            _ = try client.receiveToTheEnd()
            for records in try told(proxy, recording) {
                #expect(records.all("data").contains { $0["text"] as? String == "500 what?\r\n" }, "\(own(records))")
                #expect(bytes(records, of: "server") == 10 + 14 + 11)
                let detail = records.all("finding").first?["detail"] as? String
                #expect(detail?.contains("the server sent “500 what?” in clear text") == true, "\(records.all("finding"))")
            }
        }
    }
}
