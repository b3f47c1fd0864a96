import Foundation
import Support
import Testing

/// Filters of what is shown, and the list, as users type them.
@Suite struct FindingThingsTests {

    private static func capture(_ name: String) -> String { GoldenTests.capture(name) }

    private static func records(_ arguments: [String], input: Data = Data()) throws -> LogRecords {
        let outcome = try UnmaskProcess.run(["read", "--format", "ndjson"] + arguments, input: input)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return LogRecords(lines: outcome.output.split(separator: 0x0A).map { Data($0) })
    }

    /// A capture of several conversations, in which a word comes in one.
    private static let several = capture("chromium-websocket")

    @Test func `a file and a pipe show the same, each conversation in its order`() throws {
        let data = try Data(contentsOf: UnmaskProcess.project.appendingPathComponent(Self.several))
        for filter in [["--problems"], ["--grep", "grüß", "--whole"], ["--grep", "grüß", "--context", "2"], ["--from", "client"]] {
            let file = try UnmaskProcess.run(["read", "--format", "ndjson"] + filter + [Self.several])
            let pipe = try UnmaskProcess.run(["read", "--format", "ndjson"] + filter + ["-"], input: data)
            #expect(file.status == 0 && pipe.status == 0)
            let lines = file.lines.filter { !$0.contains(#""kind":"capture""#) }
            #expect(lines.sorted() == pipe.lines.filter { !$0.contains(#""kind":"capture""#) }.sorted(), "\(filter)")
        }
    }

    @Test func `whole shows exactly the conversations in which something matches`() throws {
        let all = try Self.records([Self.several])
        let found = all.records.filter { ($0["text"] as? String)?.contains("grüß") ?? false && $0["kind"] as? String != "finding" }
        let hits = Set(found.compactMap { $0["conversation"] as? Int })
        #expect(!hits.isEmpty)
        let whole = try Self.records(["--grep", "grüß", "--whole", Self.several])
        let expected = all.records.filter { record in (record["conversation"] as? Int).map { hits.contains($0) } ?? false }
        #expect(whole.records.count == expected.count + 2)
        #expect(Set(whole.records.compactMap { $0["conversation"] as? Int }) == hits)
    }

    @Test func `a log is filtered like the capture that it was made of`() throws {
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString).ndjson")
        defer { try? FileManager.default.removeItem(at: log) }
        try UnmaskProcess.run(["read", "--format", "ndjson", Self.several]).output.write(to: log)
        for filter in [["--grep", "grüß"], ["--problems"], ["--host", "*"], ["--min-size", "1K"]] {
            let capture = try Self.records(filter + [Self.several])
            let again = try Self.records(filter + [log.path])
            #expect(capture.records.compactMap { $0["kind"] as? String } == again.records.compactMap { $0["kind"] as? String }, "\(filter)")
        }
        let list = try UnmaskProcess.run(["list", "--format", "csv", Self.several])
        #expect(try UnmaskProcess.run(["list", "--format", "csv", log.path]).text == list.text)
    }

    @Test func `logs have everything, unless they have a filter of their own`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = folder.appendingPathComponent("log.ndjson").path
        let shown = try UnmaskProcess.run(["read", "--grep", "no such word", "--log", log, Self.several])
        #expect(shown.text.hasSuffix("nothing matched\n"), "\(shown.text)")
        let plain = try UnmaskProcess.run(["read", "--format", "ndjson", Self.several])
        #expect(try Data(contentsOf: URL(fileURLWithPath: log)) == plain.output)
    }

    @Test func `a live proxy shows what a filter picks, and logs everything`() throws {
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString).ndjson").path
        defer { try? FileManager.default.removeItem(atPath: log) }
        let talk = try ProxyTalk(["--format", "text", "--grep", "no such word", "--log", log])
        try talk.upgrade()
        let outcome = try talk.goodbye()
        #expect(outcome.status == 0 && talk.proxy.printed.contains("nothing matched"), "\(talk.proxy.printed)")
        #expect(!talk.proxy.printed.contains("101 Switching"))
        #expect(try String(contentsOfFile: log, encoding: .utf8).contains(#""kind":"upgrade""#))
    }

    @Test func `matches stand out where there is colour`() throws {
        let colored = try UnmaskProcess.run(["read", "--color", "always", "--grep", "grüß", Self.several])
        #expect(colored.text.contains("\u{1b}[1;31mgrüß\u{1b}[0m"), "\(colored.text)")
        let plain = try UnmaskProcess.run(["read", "--grep", "grüß", Self.several])
        #expect(!plain.text.contains("\u{1b}"))
        let strip = colored.text.replacing(#/\u{1b}\[[0-9;]*m/#, with: "")
        #expect(strip == plain.text)
    }

    @Test(arguments: [
        (["--grep", "("], "--grep (: missing closing parenthesis"), (["--since", "noon"], "--since noon: expected a time"),
        (["--whole"], "--whole goes with a filter"), (["--context", "3"], "--context goes with a filter"),
        (["--grep", "x", "--whole", "--context", "1"], "--context does not go with it"),
        (["--ignore-case"], "--ignore-case goes with --grep"),
        (["--grep", "x", "--context", "-1"], "--context"), (["--host", ""], "--host takes a pattern"),
        (["--stats", "--grep", "x"], "--stats counts everything"), (["-Y", ""], "Error"),
        (["--log-filter", "message.length > 1"], "--log-filter goes with --log"),
        (["--list", "--frames"], "--frames does not go with it"), (["--list", "--format", "json"], "A list is text, ndjson or csv"),
    ])
    func `what makes no sense is refused before anything is read`(_ arguments: [String], _ words: String) throws {
        let outcome = try UnmaskProcess.run(["read"] + arguments + ["/dev/null"])
        #expect(outcome.status == 2 && outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test func `read --list is list`() throws {
        let list = try UnmaskProcess.run(["list", "--sort", "duration", Self.several])
        #expect(try UnmaskProcess.run(["read", "--list", "--sort", "duration", Self.several]).text == list.text && list.status == 0)
        let none = try UnmaskProcess.run(["list", "--host", "nowhere.example", Self.several])
        #expect(none.text.hasPrefix("nothing matched\n0 of "), "\(none.text)")
    }

    @Test func `the list has the conversations with problems that read shows`() throws {
        let read = try Self.records(["--problems", Self.capture("websocket-abrupt-ends")])
        let list = try UnmaskProcess.run(["list", "--problems", "--format", "ndjson", Self.capture("websocket-abrupt-ends")])
        let numbers = LogRecords(lines: list.output.split(separator: 0x0A).map { Data($0) }).records.compactMap {
            $0["conversation"] as? Int
        }
        #expect(!numbers.isEmpty && Set(numbers) == Set(read.records.compactMap { $0["conversation"] as? Int }))
    }

    /// The commands of the user guide's section, as they stand there.
    @Test func `the commands of the guide work`() throws {
        let page = try String(contentsOf: UnmaskProcess.project.appendingPathComponent("docs/user-guide.md"), encoding: .utf8)
        let section = try #require(page.components(separatedBy: "## Finding one thing\n").last?.components(separatedBy: "\n## ").first)
        let commands = section.components(separatedBy: "```sh\n").dropFirst().flatMap {
            ($0.components(separatedBy: "\n```").first ?? "").split(separator: "\n").map(String.init)
        }
        #expect(commands.count == 7)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let capture = UnmaskProcess.project.appendingPathComponent(Self.several)
        try FileManager.default.copyItem(at: capture, to: folder.appendingPathComponent("capture.pcapng"))
        try UnmaskProcess.run(["read", "--format", "ndjson", capture.path]).output.write(to: folder.appendingPathComponent("proxy.ndjson"))
        let path = UnmaskProcess.executable.deletingLastPathComponent().path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        for command in commands {
            let outcome = try UnmaskProcess.run(["-c", command], environment: ["PATH": path], folder: folder, through: "/bin/sh")
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(command): \(outcome.errors)")
            #expect(command.contains(">") || !outcome.output.isEmpty, "\(command)")
        }
    }
}
