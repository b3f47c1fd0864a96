import Foundation
import Support
import Testing

/// `--redact` while a real client talks through the proxy to a real server: no output has the secret, and the peers do.
@Suite struct RedactedConversationTests {
    private static let secret = "hunter2-of-the-test"

    @Test func `none of many outputs has a secret, and the recording says it only in its packets`() throws {
        guard PeerProgram.hasPython("aiohttp") else { return print("skipped: a talk full of secrets: Python's aiohttp is missing") }
        let peers = try PeerProgram("secret_talk.py")
        let files = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: files) }
        func path(_ name: String) -> String { files.appendingPathComponent(name).path }
        let proxy = try ProxyProcess([
            "--upstream", "http://127.0.0.1:\(peers.port)/hook?token=\(Self.secret)", "--redact", "--log", path("log.ndjson"), "--log",
            path("log.txt"), "--har", path("talk.har"), "--csv", path("talk.csv"), "--save", path("talk.unmask"), "-w", path("talk.pcapng"),
            "--redact-pattern",
            "127[.]0[.]0[.]1",
        ])
        try peers.say("\(proxy.port)")
        #expect(peers.nextLine() == "login true" && peers.nextLine() == "echo true" && peers.nextLine() == "over")
        _ = proxy.records(until: "closed", count: 2)
        let outcome = proxy.stop()
        #expect(outcome.status == 0)
        #expect(!proxy.printed.contains(Self.secret) && proxy.printed.contains("⟨redacted:"))
        #expect(!outcome.errors.contains(Self.secret), "\(outcome.errors)")
        var marks: [Set<Substring>] = []
        for name in ["log.ndjson", "log.txt", "talk.har", "talk.csv"] {
            let text = try String(contentsOfFile: path(name), encoding: .utf8)
            #expect(!text.contains(Self.secret) && !text.contains("hunter2"), "\(name)")
            marks.append(Set(text.matches(of: /⟨redacted:[0-9a-f]+⟩/).map(\.output)))
        }
        // What was removed from a database may still stand in its file.
        #expect(try Data(contentsOf: URL(fileURLWithPath: path("talk.unmask"))).firstRange(of: Data("hunter2".utf8)) == nil)
        // One value has one mark, in whatever output.
        let common = marks.dropFirst().reduce(marks[0]) { $0.intersection($1) }
        #expect(!common.isEmpty, "\(marks)")
        // The packets have what was sent; what is said of them does not.
        let recording = try Data(contentsOf: URL(fileURLWithPath: path("talk.pcapng")))
        #expect(recording.firstRange(of: Data(Self.secret.utf8)) != nil)
        guard PeerProgram.has("tshark") else { return print("skipped: comments of a redacted recording: tshark is missing") }
        let comments = try UnmaskProcess.run(
            ["tshark", "-r", path("talk.pcapng"), "-T", "fields", "-e", "frame.comment"], through: "/usr/bin/env")
        #expect(comments.text.contains("conversation 1") && !comments.text.contains("127.0.0.1"), "\(comments.text)")
    }
}
