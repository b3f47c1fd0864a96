private import Foundation

/// Holds a log against docs/log-format.schema.json.
package enum LogValidation {
    /// What is wrong with the records of a log; nil where nothing is, or where Python or its jsonschema package is missing,
    /// which is said aloud.
    package static func verdict(on log: String, form: String = "ndjson") throws -> String? {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-log-\(UUID().uuidString).\(form)")
        try Data(log.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "Tests/validate-log.py", file.path]
        process.currentDirectoryURL = UnmaskProcess.project
        let output = Pipe()
        process.standardError = output
        process.standardOutput = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        switch process.terminationStatus {
        case 0: return nil
        case 77, 127:
            print("skipped: a log against its schema (\(said.trimmingCharacters(in: .whitespacesAndNewlines)))")
            return nil
        default: return said
        }
    }
}
