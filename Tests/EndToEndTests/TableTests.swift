import Foundation
import Support
import Testing

/// `--csv`: messages as a table, read back by programs that we did not write.
@Suite struct TableTests {
    private static func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private static func python(_ code: String, _ arguments: [String]) throws -> UnmaskProcess.Outcome {
        let packages = UnmaskProcess.project.appendingPathComponent(".build/peers").path
        return try UnmaskProcess.run(
            ["python3", "-c", code] + arguments, environment: ["PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1"],
            through: "/usr/bin/env")
    }

    /// Compares a table with the log of the same capture, and says what differs.
    private static let comparison = """
        import base64, csv, json, sys
        csv.field_size_limit(1 << 24)
        rows = list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8"), strict=True))
        kinds = ("message", "ping", "pong", "close", "request", "response", "body", "data")
        records = [r for r in map(json.loads, open(sys.argv[2])) if r["kind"] in kinds]
        assert len(rows) == len(records), (len(rows), len(records))
        for row, record in zip(rows, records):
            for key in ("conversation", "time", "from", "kind"):
                assert row[key] == str(record.get(key, "")), (key, row, record)
            if row["kind"] in ("request", "response"):
                continue
            want = record.get("text", "").encode() or base64.b64decode(record.get("base64", ""))
            got = row["text"].encode() or base64.b64decode(row["base64"])
            assert got == want, (row, record)
            assert (row["truncated"] == "true") == bool(record.get("truncated")), (row, record)
        print(len(rows))
        """

    @Test(arguments: GoldenTests.names) func `Python's csv reads what the log has`(name: String) throws {
        guard PeerProgram.has("python3") else { return print("skipped: tables in Python: python3 is missing") }
        try Self.inFolder { folder in
            let (table, log) = (folder.appendingPathComponent("talk.csv").path, folder.appendingPathComponent("talk.ndjson").path)
            _ = try UnmaskProcess.run(["read", "--stats", "--csv", table, "--csv-raw", "--log", log, GoldenTests.capture(name)])
            let compared = try Self.python(Self.comparison, [table, log])
            #expect(compared.status == 0, "\(compared.errors)")
        }
    }

    @Test func `standard output, a file, and the format are the same table`() throws {
        try Self.inFolder { folder in
            let (file, capture) = (folder.appendingPathComponent("x.csv").path, GoldenTests.capture("chromium-websocket"))
            let shown = try UnmaskProcess.run(["read", "--csv", "-", capture])
            #expect(shown.status == 0 && shown.errors.isEmpty && shown.text.hasPrefix("conversation,time,from,kind,"))
            #expect(try UnmaskProcess.run(["read", "--format", "csv", capture]).output == shown.output)
            _ = try UnmaskProcess.run(["read", "--stats", "--log", file, capture])
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == shown.output)
        }
    }

    @Test func `filters and marks are those of what is shown`() throws {
        let capture = GoldenTests.capture("chromium-websocket")
        let picked = try UnmaskProcess.run(["read", "--csv", "-", "-Y", "websocket.opcode == 2", capture])
        let rows = picked.text.split(separator: "\r\n").dropFirst()
        #expect(!rows.isEmpty && rows.allSatisfy { $0.contains(",message,binary,") }, "\(picked.text)")
        let hidden = try UnmaskProcess.run(["read", "--csv", "-", "--redact-pattern", "grüß", capture])
        #expect(hidden.text.contains("⟨redacted:") && !hidden.text.contains("grüß"))
        let kept = try UnmaskProcess.run(["read", "--csv", "-", "--grep", "grüß", "--context", "1", capture])
        #expect(kept.text.split(separator: "\r\n").count == 1 + 2 + 6 + 6, "\(kept.text)")
    }

    @Test func `a message that is a formula is text to a spreadsheet, in both tables`() throws {
        let message = #"{"type":"send","time":1.5,"opcode":1,"data":"=HYPERLINK(\"http://x\")"}"#
        let entry =
            #"{"startedDateTime":"2026-11-20T21:48:00.000Z","request":{"method":"GET","url":"ws://a.example/=x","headers":[]},"#
            + #""response":{"status":101,"headers":[],"statusText":"Switching Protocols"},"_webSocketMessages":[\#(message)]}"#
        let archive = Data(#"{"log":{"entries":[\#(entry)]}}"#.utf8)
        let guarded = try UnmaskProcess.run(["read", "--csv", "-", "-"], input: archive)
        #expect(guarded.text.contains(#","'=HYPERLINK(""http://x"")","#), "\(guarded.text)")
        let raw = try UnmaskProcess.run(["read", "--csv", "-", "--csv-raw", "-"], input: archive)
        #expect(raw.text.contains(#","=HYPERLINK(""http://x"")","#), "\(raw.text)")
        let list = try UnmaskProcess.run(["list", "--format", "csv", "-"], input: archive)
        #expect(list.status == 0 && list.text.contains("a.example"), "\(list.text)")
    }

    @Test(arguments: [
        (["--csv", "x.csv", "--append"], "one table with a heading"), (["--csv-raw"], "goes with --csv"),
        (["--csv", "-", "--format", "ndjson"], "goes to standard output"), (["--csv", "-", "--stats"], "has none"),
    ]) func `what makes no sense is refused`(options: [String], words: String) throws {
        let outcome = try UnmaskProcess.run(["read", GoldenTests.capture("chromium-websocket")] + options)
        #expect(outcome.status != 0 && outcome.errors.contains(words), "\(outcome.errors)")
    }
}
