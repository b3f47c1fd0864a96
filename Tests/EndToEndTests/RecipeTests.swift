import Foundation
import Support
import Testing

/// The recipes of the user guide for logs, as they stand there.
@Suite struct RecipeTests {
    /// A folder with a capture and its log under the names that the guide uses; removed at the end.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-recipes-\(UUID().uuidString)")

        init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            let capture = UnmaskProcess.project.appendingPathComponent(GoldenTests.capture("chromium-websocket"))
            try FileManager.default.copyItem(at: capture, to: url.appendingPathComponent("capture.pcapng"))
            let log = try UnmaskProcess.run(["read", "--format", "ndjson", capture.path])
            try log.output.write(to: url.appendingPathComponent("proxy.ndjson"))
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        func records() throws -> LogRecords {
            let lines = try Data(contentsOf: url.appendingPathComponent("proxy.ndjson")).split(separator: 0x0A)
            return LogRecords(lines: lines.map { Data($0) })
        }
    }

    /// The code in a block of the guide that holds a text.
    private static func block(_ language: String, with text: String) throws -> String {
        let page = try String(contentsOf: UnmaskProcess.project.appendingPathComponent("docs/user-guide.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```\(language)\n").dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
        return try #require(blocks.first { $0.contains(text) })
    }

    private static func shell(_ command: String, in folder: URL) throws -> UnmaskProcess.Outcome {
        let path = UnmaskProcess.executable.deletingLastPathComponent().path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        return try UnmaskProcess.run(["-c", command], environment: ["PATH": path], folder: folder, through: "/bin/sh")
    }

    private static func python(_ code: String, in folder: URL) throws -> UnmaskProcess.Outcome {
        let packages = UnmaskProcess.project.appendingPathComponent(".build/peers").path
        return try UnmaskProcess.run(
            ["python3", "-c", code], environment: ["PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1"], folder: folder,
            through: "/usr/bin/env")
    }

    /// How many messages the client sent in the first conversation that has any, and its number.
    private static func ofClient(_ records: LogRecords) throws -> (conversation: Int, count: Int) {
        let messages = records.all("message").filter { $0["from"] as? String == "client" }
        let number = try #require(messages.compactMap { $0["conversation"] as? Int }.min())
        return (number, messages.count { $0["conversation"] as? Int == number })
    }

    /// A message of the fixture, and where it stands.
    private static func message(of records: LogRecords) throws -> (word: String, conversation: Int) {
        let message = try #require(records.all("message").first { ($0["text"] as? String)?.contains("grüß") ?? false })
        return ("grüß", try #require(message["conversation"] as? Int))
    }

    @Test func `the samples of the README are what the program prints`() throws {
        let page = try String(contentsOf: UnmaskProcess.project.appendingPathComponent("README.md"), encoding: .utf8)
        let samples = page.matches(of: /(?s)<!-- sample -->\n```console\n\$ unmask (.*?)\n(.*?)\n```\n<!-- \/sample -->/)
        #expect(samples.count == 2)
        for sample in samples {
            let outcome = try UnmaskProcess.run(
                sample.1.split(separator: " ").map(String.init), environment: ["NO_COLOR": "1", "COLUMNS": "120", "TZ": "UTC0"],
                folder: UnmaskProcess.project)
            let printed = String(decoding: outcome.output, as: UTF8.self)
            #expect(printed.trimmingCharacters(in: .newlines) == sample.2.trimmingCharacters(in: .newlines), "\(sample.1)")
        }
    }

    @Test func `a word in a payload leads to its conversation`() throws {
        let folder = try Folder()
        let (word, conversation) = try Self.message(of: folder.records())
        let lines = try Self.shell(Self.block("sh", with: "grep -F 'order-4711'").replacing("order-4711", with: word), in: folder.url).lines
        #expect(!lines.isEmpty && lines.contains { $0.trimmingPrefix(while: { $0 == " " }).hasPrefix("\(conversation) ") }, "\(lines)")
        guard PeerProgram.has("jq") else { return print("skipped: the recipes with jq: jq is missing") }
        let found = try Self.shell(
            Self.block("sh", with: "contains(\"order-4711\")").replacing("order-4711", with: word), in: folder.url)
        #expect(found.status == 0 && found.lines.contains { $0.hasPrefix("[\(conversation),") && $0.contains("\"message\"") }, "\(found)")
    }

    @Test func `pandas counts the messages of a log`() throws {
        guard PeerProgram.hasPython("pandas") else { return print("skipped: logs as tables: Python's pandas is missing") }
        let folder = try Folder()
        let counted = try Self.python(Self.block("python", with: "import pandas"), in: folder.url)
        let client = try Self.ofClient(folder.records())
        #expect(counted.status == 0, "\(counted.errors)")
        #expect(counted.text.contains(try Regex("\(client.conversation) +client +\(client.count)\n")), "\(counted.text)")
    }

    @Test func `DuckDB counts the messages of a log`() throws {
        guard PeerProgram.hasPython("duckdb"), PeerProgram.hasPython("pytz") else {
            return print("skipped: logs as tables: Python's duckdb or pytz is missing")
        }
        let folder = try Folder()
        let counted = try Self.python(Self.block("python", with: "import duckdb"), in: folder.url)
        let client = try Self.ofClient(folder.records())
        #expect(counted.status == 0, "\(counted.errors)")
        #expect(counted.text.contains("(\(client.conversation), 'client', \(client.count), datetime.datetime("), "\(counted.text)")
    }

    // MARK: - Messages as a table

    /// Bytes of the messages of each side, as the log has them.
    private static func bytes(_ records: LogRecords) -> [String: Int] {
        var bytes: [String: Int] = [:]
        for message in records.all("message") {
            let key = "\(message["conversation"] ?? "") \(message["from"] ?? "")"
            bytes[key, default: 0] += message["length"] as? Int ?? 0
        }
        return bytes
    }

    private static func table() throws -> Folder {
        let folder = try Folder()
        let table = try shell("unmask read --stats --csv messages.csv capture.pcapng", in: folder.url)
        #expect(table.status == 0, "\(table.errors)")
        return folder
    }

    @Test func `Python's csv sums up a table of messages`() throws {
        guard PeerProgram.has("python3") else { return print("skipped: a table in Python: python3 is missing") }
        let folder = try Self.table()
        let summed = try Self.python(Self.block("python", with: "csv.DictReader"), in: folder.url)
        let total = Self.bytes(try folder.records()).values.reduce(0, +)
        #expect(summed.status == 0 && summed.lines == ["\(total)"], "\(summed)")
    }

    @Test func `pandas sums up a table of messages`() throws {
        guard PeerProgram.hasPython("pandas") else { return print("skipped: a table in pandas: Python's pandas is missing") }
        let folder = try Self.table()
        let summed = try Self.python(Self.block("python", with: "pd.read_csv"), in: folder.url)
        #expect(summed.status == 0, "\(summed.errors)")
        for (key, bytes) in Self.bytes(try folder.records()) {
            let parts = key.split(separator: " ")
            let row = try Regex("(?m)^(\(parts[0]))? +\(parts[1]) +\(bytes)$")
            #expect(summed.text.contains(row), "\(key) \(bytes): \(summed.text)")
        }
    }

    @Test func `DuckDB sums up a table of messages`() throws {
        guard PeerProgram.hasPython("duckdb") else { return print("skipped: a table in DuckDB: Python's duckdb is missing") }
        let folder = try Self.table()
        let summed = try Self.python(Self.block("python", with: "read_csv('messages.csv'"), in: folder.url)
        #expect(summed.status == 0, "\(summed.errors)")
        for (key, bytes) in Self.bytes(try folder.records()) {
            let parts = key.split(separator: " ")
            #expect(summed.text.contains("(\(parts[0]), '\(parts[1])', \(bytes))"), "\(key): \(summed.text)")
        }
    }
}
