import Foundation
import Support
import Testing

/// `--har` writes an HTTP archive, and `unmask read` reads one.
@Suite struct ArchiveTests {
    private static let capture = GoldenTests.capture("chromium-websocket")

    private static func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private static func entries(_ file: URL) throws -> [[String: Any]] {
        let archive = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let log = try #require(archive["log"] as? [String: Any])
        #expect(log["version"] as? String == "1.2")
        return try #require(log["entries"] as? [[String: Any]])
    }

    /// The messages of a log, without what an archive does not know.
    private static func messages(_ lines: [String]) throws -> Set<String> {
        var found: Set<String> = []
        for line in lines where line.contains(#""kind":"message""#) {
            let record = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let parts = ["time", "from", "opcode", "text", "base64"].map { "\(record[$0] ?? "")" }
            found.insert(parts.joined(separator: " "))
        }
        return found
    }

    @Test func `an archive of a capture has its exchanges, and is read back with the same messages`() throws {
        try Self.inFolder { folder in
            let file = folder.appendingPathComponent("talk.har")
            let shown = try UnmaskProcess.run(["read", "--format", "ndjson", "--har", file.path, Self.capture])
            #expect(shown.status == 0 && shown.errors.isEmpty, "\(shown.errors)")
            let entries = try Self.entries(file)
            #expect(entries.count == 5)
            let sockets = entries.filter { $0["_resourceType"] as? String == "websocket" }
            #expect(sockets.allSatisfy { ($0["_webSocketMessages"] as? [Any])?.count == 9 })
            let again = try UnmaskProcess.run(["read", "--format", "ndjson", file.path])
            #expect(again.status == 0 && again.errors.isEmpty, "\(again.errors)")
            let expected = try Self.messages(shown.lines)
            #expect(expected.count == 18)
            #expect(try Self.messages(again.lines) == expected)
            let text = try UnmaskProcess.run(["read", file.path]).text
            #expect(text.contains("GET /room/7 HTTP/1.1") && text.contains("5 conversations"), "\(text)")
        }
    }

    @Test func `an archive that is cut off is read as far as it goes`() throws {
        try Self.inFolder { folder in
            let file = folder.appendingPathComponent("talk.har")
            _ = try UnmaskProcess.run(["read", "--har", file.path, Self.capture])
            let whole = try Data(contentsOf: file)
            try whole.prefix(whole.count - 700).write(to: file)
            let outcome = try UnmaskProcess.run(["read", file.path])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("the archive ends within or before entry"), "\(outcome.errors)")
            #expect(outcome.text.contains("GET / HTTP/1.1"), "\(outcome.text)")
        }
    }

    @Test func `entries that are none are told, and the others are read`() throws {
        let good =
            #"{"request":{"method":"GET","url":"http://a.example/x","headers":[]},"response":{"status":200,"headers":[],"statusText":"OK"}}"#
        let input = "{ \"log\" :\n{\"creator\":{\"name\":\"\\\"entries\\\":[\"},\n\"entries\": [ {}, \(good),\n\(good) ] } }"
        let outcome = try UnmaskProcess.run(["read", "-"], input: Data(input.utf8))
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("entry 1 of the archive cannot be read: it has no request or no response"), "\(outcome.errors)")
        #expect(outcome.text.contains("2 conversations"), "\(outcome.text)")
    }

    @Test func `an archive is not appended to`() throws {
        let outcome = try UnmaskProcess.run(["read", "--har", "/nowhere/x.har", "--append", Self.capture])
        #expect(outcome.status == 2 || outcome.status == 64)
        #expect(outcome.errors.contains("is one HTTP archive"), "\(outcome.errors)")
    }
}
