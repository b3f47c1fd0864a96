import Foundation
import Support
import Testing

/// `--log`: files beside what is printed, in every command.
@Suite("Log files") struct LogFileTests {
    /// A folder that is removed at the end.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-logs-\(UUID().uuidString)")
        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: url) }

        func path(_ name: String) -> String { url.appendingPathComponent(name).path }
        func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }
        func mode(_ name: String) throws -> Int? {
            try (FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? NSNumber)?.intValue
        }
    }

    private static let capture = "fixtures/close-of-one-byte/capture.pcap"

    private static func printed(_ arguments: [String]) throws -> String {
        let outcome = try UnmaskProcess.run(["read", capture] + arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return String(decoding: outcome.output, as: UTF8.self)
    }

    @Test("several logs, each in the form that its name or its prefix says, beside the text")
    func severalForms() throws {
        let folder = try Folder()
        let logs = ["a.ndjson", "b.json", "c.txt", "d"].flatMap { ["--log", folder.path($0)] }
        let text = try Self.printed(logs + ["--log", "json:" + folder.path("e"), "--log", "text:" + folder.path("f.ndjson")])
        #expect(try text == Self.printed([]))
        let records = try Self.printed(["--format", "ndjson"])
        #expect(try folder.text("a.ndjson") == records)
        #expect(try folder.text("d") == records)
        let array = try Self.printed(["--format", "json"])
        #expect(try folder.text("b.json") == array)
        #expect(try folder.text("e") == array)
        #expect(try folder.text("c.txt") == text)
        #expect(try folder.text("f.ndjson") == text)
        for name in ["a.ndjson", "b.json", "c.txt", "d", "e", "f.ndjson"] { #expect(try folder.mode(name) == 0o600, "\(name)") }
    }

    @Test("a log has payloads of its own, whatever is printed")
    func payloads() throws {
        let folder = try Folder()
        let none = try Self.printed(["--payload", "none", "--format", "ndjson", "--log", folder.path("a")])
        #expect(!none.contains("\"text\":\"hello"))
        #expect(try folder.text("a") == Self.printed(["--format", "ndjson"]))
        _ = try Self.printed(["--log", folder.path("b"), "--log-payload", "none"])
        #expect(try folder.text("b") == none)
    }

    @Test("a file that is read is not written to, and each output has a file of its own")
    func refusals() throws {
        let folder = try Folder()
        let capture = folder.path("talk.pcap")
        try FileManager.default.copyItem(atPath: UnmaskProcess.project.appendingPathComponent(Self.capture).path, toPath: capture)
        let before = try Data(contentsOf: URL(fileURLWithPath: capture))
        let onto = try UnmaskProcess.run(["read", capture, "--log", capture])
        #expect(onto.status == 1 && onto.errors.contains("this file is read"), "\(onto.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: capture)) == before)
        for (arguments, words) in [
            (["--log", "-"], "--log takes a file"), (["--log", "x", "--log", "json:x"], "is there twice"),
            (["--log-payload", "none"], "--log-payload goes with --log"), (["--log", "json:"], "--log"),
        ] {
            let outcome = try UnmaskProcess.run(["read", capture] + arguments)
            #expect(outcome.status == 2 && outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
        }
        try Data("kept".utf8).write(to: URL(fileURLWithPath: folder.path("old")))
        let wrong = try UnmaskProcess.run(["read", capture, "-f", "not a filter", "--log", folder.path("old")])
        #expect(wrong.status == 2)
        #expect(try folder.text("old") == "kept")
        let full = try UnmaskProcess.run(["read", capture, "--log", "/dev/full"])
        #expect(full.status == 1 && full.errors.contains("/dev/full: No space left on device"), "\(full.errors)")
    }

    @Test("whoever reads the terminal may go, and the log is still whole")
    func readerOfTheTerminalGoes() throws {
        let folder = try Folder()
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
            "-c", "\"$0\" read \"$1\" --follow --log \"$2\" | head -1", UnmaskProcess.executable.path, Self.capture, folder.path("a"),
        ]
        shell.currentDirectoryURL = UnmaskProcess.project
        let pipe = Pipe()
        shell.standardOutput = pipe
        try shell.run()
        let head = pipe.fileHandleForReading.readDataToEndOfFile()
        shell.waitUntilExit()
        #expect(head.count { $0 == 0x0A } == 1)
        #expect(try folder.text("a") == Self.printed(["--format", "ndjson"]))
    }
}
