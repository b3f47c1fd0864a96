import Foundation
import Support
import Testing

/// Each fixture against what a person has read and found right: `expected.txt` and `expected.ndjson` beside its capture.
///
/// `make golden` rewrites them; the difference is then read by a person.
@Suite struct GoldenTests {
    static let fixtures = UnmaskProcess.project.appendingPathComponent("fixtures")

    /// Folders below fixtures/ that hold a capture, by their relative path.
    static let names: [String] = {
        let found = FileManager.default.enumerator(atPath: fixtures.path)
        var names: [String] = []
        while let path = found?.nextObject() as? String {
            let name = (path as NSString).lastPathComponent
            if name == "capture.pcap" || name == "capture.pcapng" { names.append((path as NSString).deletingLastPathComponent) }
        }
        return names.sorted()
    }()

    static func capture(_ name: String) -> String {
        let folder = fixtures.appendingPathComponent(name)
        let plain = folder.appendingPathComponent("capture.pcap").path
        return "fixtures/\(name)/" + (FileManager.default.fileExists(atPath: plain) ? "capture.pcap" : "capture.pcapng")
    }

    @Test func thereAreFixtures() { #expect(Self.names.count > 20) }

    @Test(arguments: names) func textIsAsExpected(name: String) throws {
        try compare(name, "expected.txt", with: ["read", Self.capture(name)])
    }

    @Test(arguments: names) func recordsAreAsExpected(name: String) throws {
        try compare(name, "expected.ndjson", with: ["read", "--format", "ndjson", "--frames", Self.capture(name)])
    }

    /// Fixtures whose payloads formats read: the messaging protocols, long polling, gRPC.
    private static let decoded = names.filter {
        $0.hasPrefix("messaging-") || ["manner-socketio-polling", "http2-grpc", "compressed-messages"].contains($0)
    }

    /// The records with what their payloads say, and without the payloads, and those of the ends: the others stand in `expected.ndjson`.
    @Test(arguments: decoded) func whatPayloadsSayIsAsExpected(name: String) throws {
        let arguments = ["read", "--format", "ndjson", "--decoded", "--payload", "none", Self.capture(name)]
        try compare(name, "expected.decoded.ndjson", with: arguments) { line in
            line.contains(#","decoded":{"#) || line.contains(#""kind":"closed""#)
        }
    }

    /// Fixtures of which the list, and what filters pick, are held as well.
    private static let picked: [(String, file: String, [String])] = [
        ("bodies-and-messages", "expected.list.txt", ["list"]),
        ("websocket-abrupt-ends", "expected.list.txt", ["list", "--sort", "bytes"]),
        ("websocket-abrupt-ends", "expected.problems.txt", ["read", "--problems"]),
        ("manner-socketio-direct", "expected.grep.txt", ["read", "--grep", "chat", "--context", "1"]),
        ("manner-socketio-direct", "expected.grep.follow.txt", ["read", "--follow", "--grep", "chat", "--context", "1"]),
        ("pipelined", "expected.path.txt", ["read", "--path", "/tea*"]),
        ("raw-wrong-framing", "expected.framing.txt", ["read", "--framing", "7000=length:u32be"]),
        ("raw-json", "expected.framing.txt", ["read", "--framing", "tcp.port=7100=json"]),
    ]

    @Test(arguments: picked) func whatIsPickedIsAsExpected(name: String, file: String, arguments: [String]) throws {
        try compare(name, file, with: arguments + [Self.capture(name)], columns: "120")
    }

    /// docs/log-format.schema.json is strict about every kind and key that we print.
    @Test func recordsHoldTheSchema() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var files: [String] = []
        for (index, name) in Self.names.enumerated() {
            for (form, options) in [("ndjson", ["--frames"]), ("json", ["--payload", "preview"]), ("ndjson", ["--payload", "none"])] {
                let url = folder.appendingPathComponent("\(index)-\(options.last ?? "").\(form)")
                try UnmaskProcess.run(["read", "--format", form] + options + [Self.capture(name)]).output.write(to: url)
                files.append(url.path)
            }
        }
        let validator = Process()
        validator.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        validator.arguments = ["python3", "Tests/validate-log.py"] + files
        validator.currentDirectoryURL = UnmaskProcess.project
        let said = Pipe()
        validator.standardOutput = said
        validator.standardError = said
        try validator.run()
        let words = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        validator.waitUntilExit()
        if validator.terminationStatus == 77 {
            print("skipped: holding the fixtures' records against the schema (no jsonschema package for python3)")
            return
        }
        #expect(validator.terminationStatus == 0, "\(words.prefix(2_000))")
    }

    /// - Parameter isKept: which lines of the output count; all where nothing is given.
    private func compare(
        _ name: String, _ file: String, with arguments: [String], columns: String? = nil, keeping isKept: ((Substring) -> Bool)? = nil
    ) throws {
        let outcome = try UnmaskProcess.run(arguments, environment: columns.map { ["COLUMNS": $0] } ?? [:])
        var output = outcome.output
        if let isKept {
            output = Data(outcome.text.split(separator: "\n").filter(isKept).map { $0 + "\n" }.joined().utf8)
        }
        let url = Self.fixtures.appendingPathComponent(name).appendingPathComponent(file)
        if ProcessInfo.processInfo.environment["UNMASK_GOLDEN"] == "rewrite" {
            try output.write(to: url)
            return
        }
        let expected = try Data(contentsOf: url)
        #expect(outcome.status == 0 || outcome.status == 1)
        let told = String(decoding: output, as: UTF8.self)
        #expect(output == expected, "\(difference(String(decoding: expected, as: UTF8.self), told))")
    }

    private func difference(_ expected: String, _ told: String) -> String {
        let (old, new) = (expected.split(separator: "\n"), told.split(separator: "\n"))
        let change = new.difference(from: old)
        return change.prefix(40).map { step in
            switch step {
            case .remove(_, let line, _): "- \(line.prefix(400))"
            case .insert(_, let line, _): "+ \(line.prefix(400))"
            }
        }.joined(separator: "\n")
    }
}
