import Foundation
import Support
import Testing

/// `--redact` and what goes with it, through the program.
@Suite struct RedactionCommandTests {
    private static let capture = "fixtures/bodies-and-messages/capture.pcap"

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test func `what is shown, each log and what is extracted have the marks, which change from run to run`() throws {
        try inFolder { folder in
            let log = folder.appendingPathComponent("log.ndjson")
            let shown = try UnmaskProcess.run(["read", Self.capture, "--redact-json", "$.type", "--log", log.path])
            let records = try String(contentsOf: log, encoding: .utf8)
            #expect(shown.text.contains("⟨redacted:") && records.contains("⟨redacted:") && records.contains(#""redacted":1"#))
            #expect(!shown.text.contains(#""join""#) && !records.contains("join"), "\(shown.text)")
            // A log of it is read as it is.
            let again = try UnmaskProcess.run(["read", log.path, "--format", "ndjson"])
            #expect(again.text.contains("⟨redacted:") && again.text.contains(#""redacted":1"#))
            let parts = folder.appendingPathComponent("parts")
            #expect(try UnmaskProcess.run(["extract", Self.capture, "--redact-json", "$.type", "--to", parts.path]).status == 0)
            let message = try String(contentsOf: parts.appendingPathComponent("0001-0004-client.json"), encoding: .utf8)
            #expect(message.hasPrefix(#"{"type":"⟨redacted:"#) && !records.contains(message))
        }
    }

    @Test(arguments: [
        (["--redact-json", "type"], "begins with $"), (["--redact-pattern", "("], "parenthesis"),
        (["--redact-header", "a:"], "without the colon"),
    ])
    func `what cannot be looked for is told`(_ options: [String], _ words: String) throws {
        let outcome = try UnmaskProcess.run(["read", Self.capture] + options)
        #expect(outcome.status != 0 && outcome.errors.contains(words), "\(outcome.errors)")
    }
}
