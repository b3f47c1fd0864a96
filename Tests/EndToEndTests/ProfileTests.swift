import Foundation
import Support
import Testing

/// `unmask.yml`: options that hold for a folder.
@Suite struct ProfileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-profile-\(UUID().uuidString)")

    /// What a command prints in a folder with this profile.
    private func run(_ arguments: [String], in profile: String?, named name: String = "unmask.yml") throws -> UnmaskProcess.Outcome {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        if let profile { try profile.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8) }
        return try UnmaskProcess.run(arguments, folder: folder)
    }

    private var chat: String { UnmaskProcess.project.appendingPathComponent("fixtures/websockets-heartbeat/capture.pcapng").path }

    @Test func `it is found in the working folder, and says so`() throws {
        let outcome = try run(["read", chat], in: "format: ndjson\nread:\n  payload: none\n")
        #expect(outcome.status == 0 && outcome.lines.first?.hasPrefix("{") == true, "\(outcome.text)")
        #expect(!outcome.text.contains("\"text\":"))
        #expect(outcome.errors == "unmask: with the options of unmask.yml; --profile none leaves them out\n")
        // Options of another command do not matter.
        let other = try run(["read", chat], in: "proxy:\n  mode: http\n")
        #expect(other.status == 0 && other.errors.isEmpty && !other.text.hasPrefix("{"), "\(other.errors)")
    }

    @Test func `the command line wins`() throws {
        let text = try run(["read", "--format", "text", chat], in: "format: ndjson\n")
        #expect(text.status == 0 && !text.text.hasPrefix("{"), "\(text.text)")
        let without = try run(["read", "--profile", "none", chat], in: "format: ndjson\n")
        #expect(without.status == 0 && !without.text.hasPrefix("{") && without.errors.isEmpty)
        let conversations = try run(["read", "--conversation", "1", chat], in: "conversation: [7]\n")
        #expect(conversations.text.contains("WebSocket"), "\(conversations.text)")
    }

    @Test(arguments: [
        ("formt: text", "unmask.yml:1:1: there is no option 'formt' for a profile; did you mean format?"),
        ("format: text\nignore:\n  - a\n  - \"http://b/\"", "unmask.yml:4:5: "),
        ("read:\n  mode: http", "unmask.yml:2:3: unmask read has no option 'mode' for a profile"),
        ("follow: maybe", "unmask.yml:1:9: 'follow' is true or false"),
        ("format: [text, json]", "unmask.yml:1:9: 'format' takes one value"),
        ("format: {a: b}", "unmask.yml:1:9: expected a value"),
        ("- a", "unmask.yml:1:1: expected options"),
        ("format: [", "unmask.yml:2:1: is not valid YAML"),
        ("format: xml", "unmask.yml:1:9: "),
        ("hide: [heartbeats]\nhide: []", "hide twice"),
        ("log: x.ndjson", "unmask.yml:1:1: 'log' writes files, weakens TLS, changes what is spoken"),
        ("run:\n  all: true", "unmask.yml:2:3: 'all' writes files"), ("proxy:\n  http1: true", "unmask.yml:2:3: 'http1' writes files"),
        ("capture:\n  promiscuous: true", "unmask.yml:2:3: 'promiscuous' writes files"),
        ("save: x.unmask", "unmask.yml:1:1: 'save' writes files"),
        ("proxy:\n  mode: [\"reverse:tcp://127.0.0.1:1\"]", "unmask.yml:2:10: a profile that was only found may not say where"),
        ("display-filter: mqtt.topc", "unmask.yml:1:17: "),
        ("filter: a b c", "unmask.yml:1:9: "),
        ("hide: [heartbeats]\nsort: upside", "unmask.yml:2:7: "),
        ("a: &x [b]", "unmask.yml:1: anchors and aliases"),
        ("-\"x: &a [q]\n-\"y: [*a]", "unmask.yml:1: anchors and aliases"),
        ("host: *.example.org", "quote a pattern that begins with *"),
        ("profile: other.yml", "there is no option 'profile'"),
    ])
    func `what is wrong is said with its place`(profile: String, words: String) throws {
        let outcome = try run(["read", chat], in: profile)
        #expect(outcome.status == 2 && outcome.errors.contains(words), "\(outcome.errors)")
        #expect(outcome.text.isEmpty)
    }

    @Test func `what does not go with the command line gives way to it`() throws {
        let profile = "headers: true\nfull: true\nhide: [heartbeats]\nframes: true\n"
        for options in [["--format", "ndjson"], ["--csv", "-"], ["--list"], ["--stats"]] {
            let outcome = try run(["read"] + options + [chat], in: profile)
            #expect(outcome.status == 0 && !outcome.text.isEmpty, "\(options): \(outcome.errors)")
        }
        // What does not go together in the profile itself is wrong whatever the command line has.
        let outcome = try run(["read", chat], in: "stats: true\nfollow: true\n")
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("unmask: unmask.yml:2:9: --stats shows the totals"), "\(outcome.errors)")
    }

    @Test func `a filter may have && in it, and is no way of a proxy where it has a URL`() throws {
        let both = try run(["read", "--format", "ndjson", chat], in: "display-filter: websocket && ping\n")
        #expect(both.status == 0 && both.text.contains("\"kind\":\"ping\""), "\(both.errors)")
        // The mode of the profile stays, and is what is wrong.
        let proxy = try run(["proxy", "--grep", "ws://a"], in: "proxy:\n  mode: nonsense\n")
        #expect(proxy.status == 2 && proxy.errors.hasPrefix("unmask: unmask.yml:2:9: "), "\(proxy.errors)")
    }

    @Test func `a file that is named may have everything, and has to be there`() throws {
        let named = try run(["read", "--profile", "mine.yml", chat], in: "log: x.ndjson\nstats: true\n", named: "mine.yml")
        #expect(named.status == 0 && named.errors.isEmpty && !named.text.contains("> "), "\(named.errors)")
        let missing = try run(["read", "--profile", "mine.yml", chat], in: nil)
        #expect(missing.status == 2 && missing.errors.hasPrefix("unmask: mine.yml: cannot be read: No such file"), "\(missing.errors)")
    }

    @Test func `show prints what each command gets`() throws {
        let outcome = try run(
            ["profile", "show"], in: "hide: [heartbeats]\nignore: [\"*.example.org\", b]\nproxy:\n  mode: http\n  hide: []\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.lines == [
                "unmask.yml",
                "  read      --hide=heartbeats '--ignore=*.example.org' --ignore=b",
                "  capture   --hide=heartbeats '--ignore=*.example.org' --ignore=b",
                "  proxy     '--ignore=*.example.org' --ignore=b --mode=http",
                "  run       --hide=heartbeats '--ignore=*.example.org' --ignore=b",
                "  extract   nothing",
            ], "\(outcome.text)")
        let wrong = try run(["profile", "show"], in: "decode-as: [nonsense]")
        #expect(wrong.status == 2 && wrong.errors.hasPrefix("unmask: unmask.yml:1:13: --decode-as nonsense: expected"), "\(wrong.errors)")
    }

    @Test func `init writes what a capture has, and what it writes is a profile`() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try UnmaskProcess.run(["profile", "init", chat], folder: folder)
        #expect(first.status == 0 && first.errors == "unmask: wrote unmask.yml; unmask profile show prints what holds\n", "\(first.errors)")
        let text = try String(contentsOf: folder.appendingPathComponent("unmask.yml"), encoding: .utf8)
        #expect(text.contains("1 conversation"), "\(text)")
        #expect(try UnmaskProcess.run(["profile", "show"], folder: folder).status == 0)
        let second = try UnmaskProcess.run(["profile", "init", chat], folder: folder)
        #expect(second.status == 1 && second.errors.contains("--force replaces it"), "\(second.errors)")
        #expect(try UnmaskProcess.run(["profile", "init", "--to", "-"], folder: folder).text.contains("# proxy:"))
    }

    @Test func `a framing that was guessed is written, and then holds without a guess`() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let capture = UnmaskProcess.project.appendingPathComponent(GoldenTests.capture("raw-length-prefixed")).path
        let guessed = try UnmaskProcess.run(["read", "--format", "ndjson", capture], folder: folder)
        #expect(guessed.text.contains(#""guessed":true"#))
        #expect(try UnmaskProcess.run(["profile", "init", capture], folder: folder).status == 0)
        let text = try String(contentsOf: folder.appendingPathComponent("unmask.yml"), encoding: .utf8)
        #expect(text.contains("framing:\n  - 'tcp.port="), "\(text)")
        let said = try UnmaskProcess.run(["read", "--format", "ndjson", capture], folder: folder)
        #expect(said.status == 0 && said.text.contains(#""framing":{"by":"length""#), "\(said.errors)")
        #expect(!said.text.contains(#""guessed":true"#))
    }
}
