import Foundation
import Support
import Testing

/// The filters of `read` in the commands that make a report: `stats`, `check`, `diff` and `extract`.
@Suite struct FilteredReportTests {
    private static func capture(_ name: String) -> String { GoldenTests.capture(name) }

    /// Conversations 4 and 5 are WebSockets, to /room/7 and /mine; 3 and 6 have a warning.
    private static let several = capture("chromium-websocket")

    private static func json(_ arguments: [String], input: Data = Data()) throws -> [String: Any] {
        let outcome = try UnmaskProcess.run(arguments, input: input)
        return try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any], "\(outcome.errors)")
    }

    /// A part of a report with its keys in order.
    private static func part(_ key: String, of report: [String: Any]) throws -> String {
        let data = try JSONSerialization.data(withJSONObject: [report[key] ?? NSNull()], options: .sortedKeys)
        return String(decoding: data, as: UTF8.self)
    }

    @Test(
        "a filter that picks whole conversations gives the statistics of these conversations alone",
        arguments: [
            (["--path", "/room/*"], "4"), (["--host", "*:8080", "--path", "/mine"], "5"), (["--problems"], "3,6"),
            (["--grep", "grüß", "--whole"], "2,4,5"),
        ])
    func statistics(filter: [String], conversations: String) throws {
        let picked = try Self.json(["stats", "--format", "json", Self.several] + filter)
        let alone = try Self.json(["stats", "--format", "json", Self.several, "--conversation", conversations])
        for key in ["total", "hosts", "conversations"] {
            #expect(try Self.part(key, of: picked) == Self.part(key, of: alone), "\(filter): \(key)")
        }
        let pipe = try Self.json(
            ["stats", "--format", "json", "-"] + filter,
            input: try Data(contentsOf: UnmaskProcess.project.appendingPathComponent(Self.several)))
        #expect(try Self.part("total", of: pipe) == Self.part("total", of: picked), "\(filter)")
    }

    @Test("statistics with an expression count the messages that it accepts and no others")
    func countedMessages() throws {
        let records = try UnmaskProcess.run(["read", "--format", "ndjson", "-Y", "message and message.length > 10", Self.several])
        let messages = records.lines.filter { $0.contains(#""kind":"message""#) }
        let fromClient = messages.filter { $0.contains(#""from":"client""#) }
        let stats = try Self.json(["stats", "--format", "json", "-Y", "message and message.length > 10", Self.several])
        let total = try #require(stats["total"] as? [String: Any])
        #expect(total["requests"] as? Int == 0)
        let counted = try #require(total["messages"] as? [String: Int])
        #expect(counted == ["client": fromClient.count, "server": messages.count - fromClient.count] && !fromClient.isEmpty)
    }

    @Test("a check fails for the findings that are picked, and passes beside others")
    func check() throws {
        #expect(try UnmaskProcess.run(["check", Self.several]).status == 1)
        let other = try UnmaskProcess.run(["check", Self.several, "--path", "/room/*"])
        #expect(other.status == 0 && other.text.contains("1 conversation"), "\(other.text)")
        let its = try UnmaskProcess.run(["check", Self.several, "--path", "/done"])
        #expect(its.status == 1 && its.text.contains("http.length-without-body"), "\(its.text)")
        #expect(try UnmaskProcess.run(["check", Self.several, "-Y", "finding.id == \"websocket.mask-missing\""]).status == 0)
        let all = try UnmaskProcess.run(["check", Self.several, "--problems"])
        #expect(all.status == 1 && all.text.contains("2 findings"), "\(all.text)")
    }

    @Test("a finding before the request that names the host is checked with that host")
    func findingBeforeHost() throws {
        let capture = Self.capture("tls-nginx")
        let all = try Self.json(["check", "--format", "json", "--severity", "note", capture])
        let filtered = try Self.json(["check", "--format", "json", "--severity", "note", "--host", "*", capture])
        #expect(try Self.part("findings", of: all) == Self.part("findings", of: filtered))
        #expect((all["findings"] as? [Any])?.isEmpty == false)
    }

    @Test("recordings are compared by what is picked of both")
    func difference() throws {
        let other = Self.capture("curl-nginx-http")
        #expect(try UnmaskProcess.run(["diff", Self.several, other]).status == 1)
        let none = try UnmaskProcess.run(["diff", Self.several, other, "--path", "/nowhere"])
        #expect(none.status == 0 && none.text.contains("no differences in 0 conversations"), "\(none.text)")
        let same = try UnmaskProcess.run(["diff", Self.several, Self.several, "--grep", "grüß"])
        #expect(same.status == 0 && same.text.contains("no differences in 3 conversations"), "\(same.text)")
    }

    @Test("what is picked is extracted whole, under the name that it has without a filter")
    func extraction() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func extract(_ name: String, _ filter: [String]) throws -> [String: Data] {
            let target = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let outcome = try UnmaskProcess.run(["extract", Self.several, Self.capture("curl-nginx-http"), "--to", target.path] + filter)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let names = (try? FileManager.default.contentsOfDirectory(atPath: target.path)) ?? []
            return try Dictionary(
                uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: target.appendingPathComponent($0))) })
        }
        let all = try extract("all", [])
        for (name, filter) in [
            ("server", ["--from", "server"]), ("path", ["--path", "/upload"]), ("text", ["--grep", "grüß"]),
            ("size", ["--min-size", "500"]),
        ] {
            let some = try extract(name, filter)
            #expect(!some.isEmpty && some.count < all.count, "\(filter): \(some.keys.sorted())")
            for (file, content) in some { #expect(all[file] == content, "\(filter): \(file)") }
            if name == "server" { #expect(Set(some.keys) == Set(all.keys.filter { $0.contains("server") })) }
        }
        #expect(try extract("nothing", ["--grep", "no such word"]).isEmpty)
    }

    @Test("every command that reads conversations has the same filters and hides the same")
    func options() throws {
        let names = [
            "--display-filter", "--grep", "--host", "--path", "--from", "--since", "--until", "--problems", "--whole", "--context",
            "--min-size",
            "--conversation", "--redact", "--redact-header", "--redact-json", "--redact-pattern", "--payload-as", "--proto", "--proto-path",
        ]
        for command in ["read", "list", "capture", "proxy", "run", "demo", "stats", "check", "diff", "extract"] {
            let help = try UnmaskProcess.run([command, "--help"]).text
            for name in names { #expect(help.contains("\(name)\n") || help.contains("\(name) "), "\(command) has no \(name)") }
        }
    }

    @Test("what the user says of payloads counts in reports too: a secret that only a schema names is in no file that is extracted")
    func payloads() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let proto = folder.appendingPathComponent("chat.proto").path
        let text = """
            syntax = "proto3"; package im.chat;
            message Said { string room = 1; string password = 2; }
            service Chat { rpc Say(Said) returns (Said); }
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: proto))
        func extract(_ name: String, _ options: [String]) throws -> String {
            let target = folder.appendingPathComponent(name)
            let outcome = try UnmaskProcess.run(["extract", Self.capture("http2-grpc"), "--to", target.path] + options)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let names = try FileManager.default.contentsOfDirectory(atPath: target.path)
            return try names.map { String(decoding: try Data(contentsOf: target.appendingPathComponent($0)), as: UTF8.self) }.joined()
        }
        #expect(try extract("plain", ["--redact"]).contains("hello"))
        let hidden = try extract("hidden", ["--redact", "--proto", proto])
        #expect(hidden.contains("\u{12}\u{5}xxxxx") && !hidden.contains("hello"))
        let shown = try UnmaskProcess.run(["read", "--redact", "--proto", proto, Self.capture("http2-grpc")]).text
        #expect(shown.contains(#"im.chat.Said {room: "7", password: "xxxxx"}"#), "\(shown)")
    }

    @Test("a filter that cannot be read is an error of use", arguments: ["stats", "check", "diff", "extract"])
    func wrongUse(command: String) throws {
        let files = command == "diff" ? [Self.several, Self.several] : [Self.several]
        let to = command == "extract" ? ["--to", "/nowhere/at/all"] : []
        for (filter, words) in [
            (["-Y", "nonsense =="], "the expression ends too early"), (["--grep", "("], "--grep ("), (["--whole"], "goes with a filter"),
        ] {
            let outcome = try UnmaskProcess.run([command] + files + to + filter)
            #expect(outcome.status == 2 && outcome.errors.contains(words), "\(command) \(filter): \(outcome.errors)")
        }
    }
}
