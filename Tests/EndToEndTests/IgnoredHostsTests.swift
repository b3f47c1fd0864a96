import Foundation
import Support
import Testing

/// `--ignore`: conversations with servers that the user does not want to see.
@Suite struct IgnoredHostsTests {
    private static let both = ["fixtures/event-stream/capture.pcap", "fixtures/tls-nginx/capture.pcapng"]

    @Test(arguments: ["ticks.example", "TICKS.example.", "*.example:8080", "10.0.0.9", "ticks.*"])
    func `a conversation is left out by the name or address of its server, and counted`(pattern: String) throws {
        let text = try UnmaskProcess.run(["read", "--ignore", pattern] + Self.both)
        #expect(text.status == 0 && !text.text.contains("ticks") && text.text.contains("TLS"), "\(text.text)")
        #expect(text.text.contains("conversations (1 ignored), "), "\(text.lines.suffix(3))")
        let followed = try UnmaskProcess.run(["read", "--follow", "--ignore", pattern] + Self.both)
        #expect(!followed.text.contains("ticks"))
        let records = try UnmaskProcess.run(["read", "--format", "ndjson", "--ignore", pattern] + Self.both)
        #expect(!records.text.contains("ticks") && records.text.contains(#""ignored":1"#))
        // The numbers are those of all conversations.
        #expect(records.text.contains(#""conversation":2"#) && !records.text.contains(#""conversation":1,"#))
    }

    @Test func `the name in a ClientHello counts too`() throws {
        let all = try UnmaskProcess.run(["read", "--format", "ndjson", Self.both[1]])
        let name = try #require(all.text.firstMatch(of: #/"serverName":"([^"]+)"/#)).1
        let outcome = try UnmaskProcess.run(["read", "--ignore", String(name), Self.both[1]])
        #expect(outcome.text.contains(" ignored), ") && !outcome.text.contains(name), "\(outcome.text)")
    }

    @Test func `what is not left out is shown as ever`() throws {
        for format in [["--format", "ndjson"], ["--follow"], []] {
            let plain = try UnmaskProcess.run(["read"] + format + Self.both)
            let sifted = try UnmaskProcess.run(["read", "--ignore", "other.example", "--ignore", "10.0.0.9:81"] + format + Self.both)
            // Only their order may differ, by what was held until the server was known.
            #expect(plain.lines.sorted() == sifted.lines.sorted())
        }
    }

    @Test func `logs leave out the same, and a recording has everything`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (log, recording) = (folder.appendingPathComponent("log.ndjson").path, folder.appendingPathComponent("all.pcapng").path)
        let talk = try ProxyTalk(["--format", "text", "--ignore", "chat.example", "--log", log, "-w", recording])
        try talk.upgrade()
        let outcome = try talk.goodbye()
        #expect(outcome.status == 0 && talk.proxy.printed.contains("1 conversation (1 ignored), "), "\(talk.proxy.printed)")
        #expect(!talk.proxy.printed.contains("chat"))
        #expect(try !String(contentsOfFile: log, encoding: .utf8).contains("chat.example"))
        #expect(try UnmaskProcess.run(["read", recording]).text.contains("chat.example"))
    }

    @Test func `totals say how many were left out, and count the others`() throws {
        let one = try UnmaskProcess.run(["read", "--stats", Self.both[1]])
        let outcome = try UnmaskProcess.run(["read", "--stats", "--ignore", "ticks.example"] + Self.both)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.contains { $0.hasSuffix(" 1  of them ignored, and not counted below") }, "\(outcome.text)")
        // Below it stands what the other capture alone has.
        func events(_ lines: [String]) -> [String] {
            lines.drop { !$0.contains(" conversation") }.dropFirst().filter { !$0.contains(" of them ignored") }
        }
        #expect(events(outcome.lines) == events(one.lines) && events(one.lines).count > 1, "\(outcome.text)")
    }

    @Test func `a log keeps the count of what it leaves out`() throws {
        let log = try UnmaskProcess.run(["read", "--format", "ndjson", "--ignore", "ticks.example"] + Self.both).output
        let plain = try UnmaskProcess.run(["read", "--ignore", "ticks.example"] + Self.both)
        let again = try UnmaskProcess.run(["read", "-"], input: log)
        #expect(again.text == plain.text && again.text.contains("4 conversations (1 ignored), "), "\(again.text)")
        let more = try UnmaskProcess.run(["read", "--format", "ndjson", "--ignore", "*", "-"], input: log)
        #expect(more.lines.last?.contains("\"conversations\":4,\"ignored\":4,") == true, "\(more.text)")
    }

    @Test(arguments: [
        ("http://a/", "a"), ("https://user@chat.example:8443/rooms?x", "chat.example:8443"), ("wss://[::1]:9000", "[::1]:9000"),
    ])
    func `a URL is answered with its host`(url: String, host: String) throws {
        let outcome = try UnmaskProcess.run(["read", "--ignore", url] + Self.both)
        #expect(outcome.status == 2 && outcome.errors.contains("it is a URL; write the host alone: \(host)\n"), "\(outcome.errors)")
    }

    @Test(arguments: [["--ignore", "http://a/"], ["--ignore", ""], ["--ignore", "http://"]])
    func `what is not a host is refused`(options: [String]) throws {
        let outcome = try UnmaskProcess.run(["read"] + options + Self.both)
        #expect(outcome.status == 2 && outcome.errors.contains("--ignore"), "\(outcome.errors)")
    }
}
