import Foundation
import Synchronization
import Testing

/// Holds every record that the tests of a suite make against docs/log-format.schema.json, when the last one is done.
struct LogSchema: SuiteTrait, TestScoping {
    @TaskLocal private static var collected: Collected?

    private final class Collected: Sendable {
        let text = Mutex("")
    }

    /// Takes note of whole lines.
    static func collect(_ lines: String) {
        collected?.text.withLock { $0 += lines }
    }

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        let collected = Collected()
        try await LogSchema.$collected.withValue(collected) { try await function() }
        let lines = collected.text.withLock { $0 }
        #expect(!lines.isEmpty)
        try LogSchema.check(lines)
    }

    /// Runs Tests/validate-log.py; says that it was skipped where Python or its jsonschema package is missing.
    static func check(_ log: String) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "unmask-log-\(UUID().uuidString).ndjson")
        try Data(log.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "validate-log.py")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path, file.path]
        let output = Pipe()
        process.standardError = output
        process.standardOutput = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        if process.terminationStatus == 77 || process.terminationStatus == 127 {
            print("skipped: the log against its schema (\(said.trimmingCharacters(in: .whitespacesAndNewlines)))")
        } else {
            #expect(process.terminationStatus == 0, "\(said)")
        }
    }
}

extension Trait where Self == LogSchema {
    /// Every record that the suite makes through `RecordScript` holds the schema.
    static var holdsLogSchema: Self { LogSchema() }
}
