import Foundation
import Support
import Testing

/// `unmask check`: findings as the failure of a job.
@Suite struct CheckCommandTests {
    private static let good = "fixtures/node-websocket/capture.pcap"
    private static let bad = "fixtures/mask-wrong-direction/capture.pcap"

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test func `the exit status says what counts`() throws {
        #expect(try UnmaskProcess.run(["check", Self.bad]).status == 1)
        #expect(try UnmaskProcess.run(["check", Self.bad, "--allow", "websocket.mask-*"]).status == 0)
        #expect(try UnmaskProcess.run(["check", Self.bad, "--allow", "websocket.mask-unexpected"]).status == 1)
        #expect(try UnmaskProcess.run(["check", "fixtures/no-tcp/capture.pcap", "--severity", "violation"]).status == 0)
        let unknown = try UnmaskProcess.run(["check", Self.bad, "--allow", "websocket.mask-mising"])
        #expect(unknown.status == 2 && unknown.errors.contains("Did you mean websocket.mask-missing?"))
        let missing = try UnmaskProcess.run(["check", "nowhere.pcap"])
        #expect(missing.status == 2 && missing.text.contains("1 problem of the inputs"))
        #expect(try UnmaskProcess.run(["check", "Package.swift"]).status == 2)
        #expect(try UnmaskProcess.run(["check", Self.bad, "--baseline", "Package.swift"]).status == 2)
        #expect(try UnmaskProcess.run(["check", Self.bad, "--output", "nowhere/report.txt"]).status == 2)
    }

    @Test func `a capture that is cut counts as a problem of its own`() throws {
        try inFolder { folder in
            let cut = folder.appendingPathComponent("cut.pcap")
            let whole = try Data(contentsOf: UnmaskProcess.project.appendingPathComponent(Self.bad))
            try whole.prefix(whole.count - 5).write(to: cut)
            let outcome = try UnmaskProcess.run(["check", cut.path, "--allow", "*"])
            #expect(outcome.status == 1 && outcome.text.contains("1 problem of the inputs"), "\(outcome.text)")
            let junit = try UnmaskProcess.run(["check", cut.path, "--allow", "*", "--format", "junit"])
            #expect(junit.text.contains("<error type=\"input\" message=\"\(cut.path): at byte "))
        }
    }

    @Test func `a baseline makes a run pass, whether capture or log, and tells what is gone`() throws {
        try inFolder { folder in
            let (baseline, log) = (folder.appendingPathComponent("known.json").path, folder.appendingPathComponent("log.ndjson"))
            #expect(try UnmaskProcess.run(["check", Self.bad, "--write-baseline", baseline]).status == 0)
            #expect(try UnmaskProcess.run(["check", Self.bad, "--baseline", baseline]).status == 0)
            try UnmaskProcess.run(["read", "--format", "ndjson", Self.bad]).output.write(to: log)
            let again = try UnmaskProcess.run(["check", log.path, "--baseline", baseline])
            #expect(again.status == 0 && again.text.contains("0 new findings at or above warning"), "\(again.text)")
            let other = try UnmaskProcess.run(["check", "fixtures/utf8-invalid/capture.pcap", "--baseline", baseline])
            #expect(other.status == 1 && other.text.contains("of the baseline did not come again:\n  websocket.mask-missing"))
        }
    }

    @Test func `SARIF keeps to its schema, and JUnit XML is read by others`() throws {
        try inFolder { folder in
            let (sarif, junit) = (folder.appendingPathComponent("a.sarif").path, folder.appendingPathComponent("a.xml").path)
            let baseline = folder.appendingPathComponent("known.json").path
            _ = try UnmaskProcess.run(["check", "fixtures/utf8-invalid/capture.pcap", "--write-baseline", baseline])
            // New, known and absent findings, one that is allowed, and an input that cannot be read.
            let uses = [
                [Self.bad, "--baseline", baseline, "--severity", "note"],
                ["fixtures/utf8-invalid/capture.pcap", Self.bad, "--baseline", baseline, "--allow", "websocket.mask-missing"],
                [Self.bad, "nowhere.pcap"],
            ]
            for use in uses {
                _ = try UnmaskProcess.run(["check"] + use + ["--format", "sarif", "--output", sarif])
                _ = try UnmaskProcess.run(["check"] + use + ["--format", "junit", "--output", junit])
                let packages = UnmaskProcess.project.appendingPathComponent(".build/peers").path
                let outcome = try UnmaskProcess.run(
                    ["python3", "Tests/Peers/check_reports.py", sarif, junit], environment: ["PYTHONPATH": packages],
                    through: "/usr/bin/env")
                if outcome.status == 77 { return print("skipped: \(outcome.errors)") }
                #expect(outcome.status == 0, "\(use): \(outcome.text)\(outcome.errors)")
            }
        }
    }

    @Test func `the jobs in the documentation are YAML whose commands are valid`() throws {
        let page = try String(contentsOf: UnmaskProcess.project.appendingPathComponent("docs/check.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```yaml\n").dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
        #expect(blocks.count == 2)
        for block in blocks {
            let outcome = try UnmaskProcess.run(
                ["python3", "-c", "import sys, yaml; assert isinstance(yaml.safe_load(sys.stdin), dict)"], input: Data(block.utf8),
                through: "/usr/bin/env")
            if outcome.errors.contains("No module named 'yaml'") { return print("skipped: reading YAML (no yaml package for python3)") }
            #expect(outcome.status == 0, "\(outcome.errors)")
            for line in block.split(separator: "\n") where line.contains("unmask check") {
                let words = line.split(separator: " ").drop { $0 != "check" }.map(String.init)
                // Its options are known: the input is what is missing here.
                try inFolder { folder in
                    let outcome = try UnmaskProcess.run(words, folder: folder)
                    #expect(outcome.status == 2 && outcome.errors.contains("known.json"), "\(words): \(outcome.errors)")
                }
            }
        }
    }

    @Test func `the example in the documentation is what it prints`() throws {
        let page = try String(contentsOf: UnmaskProcess.project.appendingPathComponent("docs/check.md"), encoding: .utf8)
        #expect(page.contains("$ unmask check \(Self.bad)\n" + (try UnmaskProcess.run(["check", Self.bad]).text)))
    }
}
