import Foundation
import Support
import Testing

/// How a client leaves to whom the proxy itself has to say, inside TLS, that TLS with its server came to nothing.
@Suite("Clients whose server failed, and how they leave", .serialized)
struct ApologyEndTests {
    /// What the proxy tells of a client that leaves in this way, live and in its recording.
    private func told(_ end: String, _ meanwhile: (PeerProgram, ProxyProcess) throws -> Void) throws -> [LogRecords] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let recording = folder.appendingPathComponent("talk.pcapng").path
        let peers = try PeerProgram("apology.py")
        let proxy = try ProxyProcess(["--mode", "http", "-w", recording, "--grace", "0"])
        let words: [String: Any] = ["port": Int(proxy.port), "authority": proxy.authority.path, "end": end]
        try peers.say(String(decoding: JSONSerialization.data(withJSONObject: words), as: UTF8.self))
        try meanwhile(peers, proxy)
        let live = proxy.stop().records
        let read = try UnmaskProcess.run(["read", "--format", "ndjson", recording])
        return [live, LogRecords(lines: read.lines.map { Data($0.utf8) })]
    }

    private func clientEnd(_ records: LogRecords) -> String? {
        (records.all("closed").first?["ends"] as? [String: Any])?["client"] as? String
    }

    @Test("with a FIN or a RST, before they have sent a request", arguments: [("close", "fin"), ("reset", "reset")])
    func leaves(end: String, told word: String) throws {
        for records in try told(
            end,
            { peers, proxy in
                #expect(peers.nextLine() == end)
                _ = proxy.records(until: "closed")
            })
        {
            #expect(clientEnd(records) == word)
            #expect(records.closings == ["tls-failed by proxy"] && records.findings == ["proxy.tls-failed"], "\(records.findings)")
        }
    }

    @Test("with a FIN or a RST after the 502 to a plain request; what they send after it is counted", arguments: ["fin", "reset"])
    func plainRequest(end: String) throws {
        let port = try LoopbackListener().port
        let proxy = try ProxyProcess(["--mode", "http", "--grace", "0"])
        let client = try LoopbackSocket(port: proxy.port)
        try client.send("POST http://127.0.0.1:\(port)/ HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 9\r\n\r\n")
        #expect(try client.receiveToTheEnd().bytes.starts(with: Array("HTTP/1.1 502 ".utf8)))
        try client.send("late body")
        if end == "fin" { client.finish() } else { client.reset() }
        let records = proxy.records(until: "closed")
        #expect(clientEnd(records) == end && records.closings == ["connect-failed by proxy"])
        #expect(records.findings == ["proxy.connect-failed"], "\(records.findings)")
        // A reset may overtake what was sent before it.
        if end == "fin" { #expect(records.all("gap").compactMap { $0["length"] as? Int } == [9], "\(records.records)") }
    }

    @Test("with an alert about our certificate")
    func refuses() throws {
        for records in try told(
            "untrusting",
            { peers, proxy in
                #expect(peers.nextLine() == "untrusting")
                _ = proxy.records(until: "closed")
            })
        {
            #expect(records.findings == ["proxy.tls-failed", "proxy.client-refused-certificate"], "\(records.findings)")
            #expect(records.all("finding").last?["detail"].map { "\($0)".contains("unknown CA") } == true)
        }
    }

    @Test("not before the proxy is stopped")
    func isStopped() throws {
        var waiting: PeerProgram?
        for records in try told(
            "stays",
            { peers, proxy in
                #expect(peers.nextLine() == "secured")
                _ = proxy.records(until: "tls")
                waiting = peers
            })
        {
            #expect(records.findings == ["proxy.tls-failed", "proxy.shut-down"], "\(records.findings)")
            #expect(clientEnd(records) == "open" && records.closings == ["tls-failed by proxy"])
        }
        try waiting?.say("go on")
    }
}
