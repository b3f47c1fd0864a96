import Foundation
import Support
import Testing

/// `--save` writes a session file, which `unmask read` takes like the log of the same run, and sqlite3 like any database.
@Suite(.serialized) struct SessionFileTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-session-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private var file: String { folder.appendingPathComponent("talk.unmask").path }

    private static let captures = GoldenTests.names.map(GoldenTests.capture)

    private static func read(_ arguments: [String]) throws -> UnmaskProcess.Outcome { try UnmaskProcess.run(["read"] + arguments) }

    /// Writes the session file, which is whole only where the program ended well.
    private func save(_ arguments: [String]) throws {
        let outcome = try Self.read(["--save", file] + arguments)
        #expect(outcome.status == 0, "\(outcome.status): \(outcome.errors)")
    }

    private func end() { try? FileManager.default.removeItem(at: folder) }

    /// What sqlite3 says to a query; nil where this system has none.
    private func sqlite(_ query: String) throws -> String? {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3") else {
            print("skipped: a session file in sqlite3 (sqlite3 is not installed)")
            return nil
        }
        let outcome = try UnmaskProcess.run(["-batch", "-bail", file, query], through: "/usr/bin/sqlite3")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(query): \(outcome.errors)")
        return outcome.text
    }

    @Test(arguments: [
        [], ["--frames"], ["--log-payload", "none"], ["--log-payload", "preview"], ["--payload-limit", "5"], ["--redact"],
        ["--log-filter", "websocket"], ["--conversation", "2-5"], ["--ignore", "127.0.0.1"],
    ])
    func `the records of all fixtures come back as those of a log do`(options: [String]) throws {
        defer { end() }
        let log = folder.appendingPathComponent("log.ndjson").path
        // Replacements are salted in each run, so that both files are of one.
        let written = try Self.read(["--save", file, "--log", log, "--format", "ndjson"] + options + Self.captures)
        #expect(written.status == 0, "\(written.errors)")
        for again in [["--format", "ndjson", "--frames"], [], ["--stats"]] {
            let (one, other) = (try Self.read(again + [log]), try Self.read(again + [file]))
            #expect(one.output.count > 100 && one.output == other.output, "\(again): \(first(one.lines, other.lines))")
            #expect(other.status == 0 && other.errors.isEmpty, "\(other.errors)")
        }
        // It stands for itself.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["log.ndjson", "talk.unmask"])
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    private func first(_ one: [String], _ other: [String]) -> String {
        zip(one, other).first { $0 != $1 }.map { "\($0)\n\($1)" } ?? "\(one.count) and \(other.count) lines"
    }

    @Test(arguments: [
        ["read", "--format", "ndjson", "--conversation", "3"], ["read", "--grep", "hello"], ["read", "-Y", "websocket", "--whole"],
        ["list"],
        ["read", "--format", "ndjson", "--since", "2026-11-20T21:48:00.13Z", "--until", "2026-11-20T21:48:20Z"],
        ["stats"], ["check", "--severity", "violation"],
    ])
    func `every command takes it like a log`(command: [String]) throws {
        defer { end() }
        let log = folder.appendingPathComponent("log.ndjson").path
        try save(["--log", log] + Self.captures)
        let (one, other) = (try UnmaskProcess.run(command + [log]), try UnmaskProcess.run(command + [file]))
        #expect(
            !one.output.isEmpty && one.status == other.status && one.errors == other.errors.replacingOccurrences(of: file, with: log),
            "\(other.status): \(other.errors)")
        let told = other.text.replacingOccurrences(of: file, with: log)
        #expect(one.text == told, "\(first(one.lines, told.split(separator: "\n").map(String.init)))")
    }

    @Test func `another run is appended, and numbered on when it is read`() throws {
        defer { end() }
        let log = folder.appendingPathComponent("log.ndjson").path
        for capture in Self.captures.prefix(3) {
            let outcome = try Self.read(["--save", file, "--log", log, "--append", capture])
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        let (one, other) = (try Self.read(["--format", "ndjson", log]), try Self.read(["--format", "ndjson", file]))
        #expect(one.text.contains("\"kind\":\"capture\"") && one.output == other.output, "\(first(one.lines, other.lines))")
        if let runs = try sqlite("SELECT count(*), count(DISTINCT run) FROM runs, conversations WHERE run = runs.id") {
            #expect(runs.hasSuffix("|3\n"), "\(runs)")
        }
        // Without it the file begins anew.
        try save([Self.captures[0]])
        let anew = try Self.read(["--format", "ndjson", file])
        #expect(anew.output == (try Self.read(["--format", "ndjson", Self.captures[0]])).output)
    }

    @Test func `what is no session file is not overwritten`() throws {
        defer { end() }
        for text in ["precious", "SQLite format 3\0" + String(repeating: "x", count: 100)] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            let outcome = try Self.read(["--save", file, Self.captures[0]])
            #expect(outcome.status == 1 && outcome.errors.contains("not a session file and is not overwritten"), "\(outcome.errors)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(text.utf8))
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o644)
        }
    }

    @Test func `sqlite3 finds nothing wrong with it, and the pages and traces hold every record`() throws {
        defer { end() }
        try save(["--frames"] + Self.captures)
        guard try sqlite("PRAGMA integrity_check") == "ok\n" else { return }
        #expect(try sqlite("PRAGMA foreign_key_check") == "")
        #expect(try sqlite("PRAGMA application_id; PRAGMA user_version; PRAGMA journal_mode") == "1433300339\n1\ndelete\n")
        #expect(try sqlite("INSERT INTO search(search) VALUES('integrity-check')") == "")
        let all = "SELECT id, conversation FROM messages UNION ALL SELECT id, conversation FROM records"
        let outside = "SELECT count(*) FROM (\(all)) AS r WHERE NOT EXISTS (SELECT 1 FROM pages WHERE r.id BETWEEN first AND last)"
        #expect(try sqlite(outside) == "0\n")
        let traced = "SELECT count(*) FROM (SELECT conversation, id FROM conversation_records"
        #expect(try sqlite("\(traced) EXCEPT SELECT conversation, id FROM (\(all)))") == "0\n")
        #expect(
            try sqlite(
                "SELECT count(*) FROM (SELECT id, conversation FROM (\(all)) WHERE conversation NOT NULL EXCEPT SELECT id, conversation FROM conversation_records)"
            ) == "0\n")
        // The totals of the log.
        let end = try Self.read(["--format", "ndjson", file]).lines.last ?? ""
        // Those of gRPC are parts of bodies.
        let messages =
            "SELECT (SELECT count(*) FROM messages) + (SELECT count(*) FROM records WHERE kind = 'body' AND json ->> 'element' = 'message')"
        let counted =
            try sqlite(
                "SELECT (SELECT count(*) FROM conversations), (\(messages)), (SELECT count(*) FROM findings)") ?? ""
        let numbers = counted.trimmingCharacters(in: .newlines).split(separator: "|")
        for (key, number) in zip(["conversations", "messages", "findings"], numbers) {
            #expect(end.contains("\"\(key)\":\(number),"), "\(end)")
        }
    }

    @Test func `each query of the documentation has an answer`() throws {
        defer { end() }
        try save(Self.captures)
        let page = try String(contentsOf: UnmaskProcess.project.appendingPathComponent("docs/session-file.md"), encoding: .utf8)
        let queries = page.matches(of: /```sql\n((?:.|\n)*?)```/).map { String($0.1) }
        #expect(queries.count == 8)
        for query in queries {
            guard let answer = try sqlite(query) else { return }
            #expect(!answer.isEmpty, "\(query)")
        }
        // The search finds what a scan of everything finds.
        let scan = try sqlite("SELECT count(*) FROM messages WHERE payload LIKE '%hello%'")
        #expect(try sqlite("SELECT count(*) FROM found WHERE found.words MATCH 'hello*' AND payload LIKE '%hello%'") == scan)
        #expect(scan != "0\n")
    }
}
