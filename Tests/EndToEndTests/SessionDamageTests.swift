import Foundation
import Libc
import Support
import Testing

/// Session files that are cut off, lie, or are a stranger's; writers that are killed, and disks that are full.
@Suite(.serialized) struct SessionDamageTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-session-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private var file: String { folder.appendingPathComponent("talk.unmask").path }
    private static let captures = GoldenTests.names.map(GoldenTests.capture)

    private func end() { try? FileManager.default.removeItem(at: folder) }

    private func read(_ options: [String] = ["--format", "ndjson"]) throws -> UnmaskProcess.Outcome {
        try UnmaskProcess.run(["read"] + options + [file])
    }

    private func save() throws { _ = try UnmaskProcess.run(["read", "--save", file] + Self.captures) }

    /// Has sqlite3 change the file; false where this system has none.
    private func change(_ statements: String) throws -> Bool {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3") else {
            print("skipped: a session file in sqlite3 (sqlite3 is not installed)")
            return false
        }
        let outcome = try UnmaskProcess.run(["-batch", "-bail", file, statements], through: "/usr/bin/sqlite3")
        try #require(outcome.status == 0, "\(outcome.errors)")
        return true
    }

    @Test func `a file that is cut off anywhere is refused`() throws {
        defer { end() }
        try save()
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        let lines = Set(try read().lines)
        for part in [
            0, 50, 99, 100, 1_000, 4_096, whole.count / 3, whole.count / 2, whole.count - 16_384, whole.count - 4_096, whole.count - 1,
        ] {
            try whole.prefix(part).write(to: URL(fileURLWithPath: file))
            let outcome = try read()
            #expect((1...2).contains(outcome.status) && !outcome.errors.isEmpty, "\(part): \(outcome.status)")
            #expect(
                outcome.lines.allSatisfy {
                    lines.contains($0) || $0.contains("\"kind\":\"end\"") || $0.contains("\"closed\"") || $0.contains("\"capture\"")
                })
        }
    }

    @Test func `bytes that were changed at random crash nothing`() throws {
        defer { end() }
        try save()
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        var random = SystemRandomNumberGenerator()
        for _ in 0..<40 {
            var changed = whole
            for _ in 0..<Int.random(in: 1...200, using: &random) {
                changed[Int.random(in: 100..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try changed.write(to: URL(fileURLWithPath: file))
            let outcome = try read()
            #expect((0...2).contains(outcome.status), "\(outcome.status) \(outcome.errors)")
        }
    }

    @Test func `a record that is damaged is left out, and a check ends as one of a damaged capture`() throws {
        defer { end() }
        try save()
        let whole = try read().lines.count
        #expect(try UnmaskProcess.run(["check", "--allow", "*", file]).status == 0)
        guard try change("UPDATE records SET json = 'x' WHERE id = (SELECT max(id) FROM records WHERE kind = 'finding')") else { return }
        let outcome = try read()
        #expect(outcome.status == 1 && outcome.lines.count == whole - 1, "\(outcome.errors)")
        #expect(try UnmaskProcess.run(["check", "--allow", "*", file]).status == 1)
    }

    @Test(arguments: [
        (
            "DROP TABLE messages; CREATE VIEW messages AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i AS id FROM n",
            "messages"
        ),
        ("DROP TABLE pages", "pages"), ("ALTER TABLE records ADD COLUMN more TEXT", "records"),
        ("PRAGMA user_version = 2", "version 2"), ("PRAGMA application_id = 7", "not a session file"),
    ])
    func `another schema is refused with what is wrong`(change statements: String, words: String) throws {
        defer { end() }
        try save()
        guard try change(statements) else { return }
        let outcome = try read()
        #expect(outcome.status == 1 && outcome.errors.contains(words), "\(outcome.errors)")
        #expect(!outcome.text.contains("\"kind\":\"message\""))
    }

    @Test func `what a stranger has added runs nothing and changes nothing`() throws {
        defer { end() }
        try save()
        let before = try read().output
        guard
            try change(
                """
                CREATE TABLE mine(a); CREATE VIEW lies AS SELECT * FROM messages; CREATE INDEX more ON messages(time);
                CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM messages; END
                """)
        else { return }
        let outcome = try read()
        #expect(outcome.output == before && outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `rows that lie are told with their number, and the rest is read`() throws {
        defer { end() }
        try save()
        let all = try read().lines.count
        guard
            try change(
                """
                UPDATE messages SET conversation = -5 WHERE id = (SELECT min(id) FROM messages);
                UPDATE messages SET framing = '{"by":"nonsense"}' WHERE id = (SELECT max(id) FROM messages);
                UPDATE messages SET opcode = 9223372036854775807, side = 77, fragments = -1, channel = 1000, time = -1
                  WHERE id = (SELECT id FROM messages LIMIT 1 OFFSET 3);
                UPDATE records SET json = 'nonsense' WHERE id = (SELECT id FROM records WHERE kind = 'body' LIMIT 1);
                UPDATE records SET split = 100000 WHERE id = (SELECT id FROM records WHERE split NOT NULL LIMIT 1 OFFSET 1);
                UPDATE traces SET ids = 'no list'; UPDATE runs SET first = 9223372036854775807 WHERE id = 99
                """)
        else { return }
        let outcome = try read()
        #expect(outcome.status == 1 && outcome.errors.contains("of the session file cannot be read"), "\(outcome.errors)")
        #expect(outcome.lines.count >= all - 4 && outcome.lines.count < all)
        // What the traces say is needed where conversations are chosen.
        let chosen = try read(["--conversation", "1", "--format", "ndjson"])
        #expect(chosen.status == 1 && chosen.errors.contains("malformed JSON"), "\(chosen.errors)")
    }

    @Test func `a session of a proxy that is killed has everything up to the last batch`() throws {
        defer { end() }
        for rounds in [30, 400, 2_000] {
            let listener = try LoopbackListener()
            let proxy = Process()
            proxy.executableURL = UnmaskProcess.executable
            proxy.arguments = [
                "proxy", "--listen", "127.0.0.1:0", "--mode", "reverse:tcp://127.0.0.1:\(listener.port)", "--save", file, "--format",
                "ndjson",
            ]
            let said = Pipe()
            proxy.standardError = said
            proxy.standardOutput = FileHandle(forWritingAtPath: "/dev/null")
            try proxy.run()
            let line = String(decoding: said.fileHandleForReading.availableData, as: UTF8.self)
            let port = try #require(line.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) }, "\(line)")
            let client = try LoopbackSocket(port: port)
            let server = try listener.accept()
            for round in 0..<rounds {
                try client.send("message \(round)\n")
                let count = "message \(round)\n".utf8.count
                #expect(try server.receive(count).count == count)
            }
            // A batch comes every tenth of a second: what is older than that is there once something of it is.
            let deadline = ContinuousClock.now + .seconds(20)
            while ContinuousClock.now < deadline, try !read().text.contains("message 0") {}
            kill(proxy.processIdentifier, SIGKILL)
            proxy.waitUntilExit()
            let outcome = try read()
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
            #expect(outcome.text.contains("message 0"))
            guard FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3") else { continue }
            let check = try UnmaskProcess.run(["-batch", file, "PRAGMA integrity_check"], through: "/usr/bin/sqlite3")
            #expect(check.text == "ok\n")
        }
    }

    @Test func `a disk that is full is told, and what was written before can be read`() throws {
        defer { end() }
        // A file that may not grow, as on a disk that is full, after the first transaction.
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/bash")
        let captures = Self.captures.map { "'\($0)'" }.joined(separator: " ")
        shell.arguments = [
            "-c",
            """
            ulimit -f 20000
            for round in {1..60}; do set -- "$@" \(captures); done
            exec '\(UnmaskProcess.executable.path)' read --stats --save '\(file)' "$@"
            """,
        ]
        shell.currentDirectoryURL = UnmaskProcess.project
        let errors = Pipe()
        shell.standardError = errors
        shell.standardOutput = FileHandle(forWritingAtPath: "/dev/null")
        try shell.run()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        shell.waitUntilExit()
        #expect(shell.terminationReason == .exit && shell.terminationStatus == 1, "\(said)")
        #expect(said.contains("records could not be written"), "\(said)")
        let outcome = try read()
        #expect(outcome.errors.isEmpty && outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("\"kind\":\"message\""))
    }
}
