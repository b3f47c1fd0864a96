import Foundation
import Libc
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
        // Keys are read too, and nothing is opened before that is found.
        for name in ["keys", "first"] { try Data("kept\n".utf8).write(to: URL(fileURLWithPath: folder.path(name))) }
        for output in [["--log", folder.path("first"), "--log", folder.path("keys")], ["-w", folder.path("keys")]] {
            let over = try UnmaskProcess.run(["read", capture, "--keys", folder.path("keys")] + output)
            #expect(over.status == 1 && over.errors.contains("\(folder.path("keys")): this file is read"), "\(over.errors)")
        }
        let check = try UnmaskProcess.run(["check", capture, "--keys", folder.path("keys"), "--output", folder.path("keys")])
        #expect(check.status == 2 && check.errors.contains("this file is read"), "\(check.errors)")
        #expect(try folder.text("keys") == "kept\n" && folder.text("first") == "kept\n")
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

    @Test("a name that cannot be opened leaves the log of the last run as it is; with another input it is written")
    func inputsFirst() throws {
        let folder = try Folder()
        try Data("kept".utf8).write(to: URL(fileURLWithPath: folder.path("old")))
        for names in [["/no/such.pcap"], [folder.url.path], ["/no/such.pcap", "/no/other.pcap"]] {
            for format in ["text", "ndjson"] {
                let outcome = try UnmaskProcess.run(["read", "--format", format] + names + ["--log", folder.path("old")])
                #expect(outcome.status == 2 && outcome.errors.contains("unmask: \(names[0])"), "\(outcome.errors)")
                #expect(try folder.text("old") == "kept")
            }
        }
        let outcome = try UnmaskProcess.run(["read", "/no/such.pcap", Self.capture, "--log", folder.path("old")])
        #expect(outcome.status == 2)
        #expect(try folder.text("old") == Self.printed(["--format", "ndjson"]))
    }

    @Test("of an input that is not a capture the records have beginning and end, whatever is on the terminal")
    func notACapture() throws {
        let folder = try Folder()
        try Data("hello, this is text\n".utf8).write(to: URL(fileURLWithPath: folder.path("text")))
        let logs = ["a.ndjson", "b.json", "c.txt"].flatMap { ["--log", folder.path($0)] }
        let outcome = try UnmaskProcess.run(["read", folder.path("text")] + logs)
        #expect(outcome.status == 1 && outcome.text == "")
        let kinds = LogRecords(lines: try folder.text("a.ndjson").split(separator: "\n").map { Data($0.utf8) }).records
            .compactMap { $0["kind"] as? String }
        #expect(kinds == ["capture", "end"])
        let array = try JSONSerialization.jsonObject(with: Data(folder.text("b.json").utf8)) as? [[String: Any]]
        #expect(array?.compactMap { $0["kind"] as? String } == ["capture", "end"])
        #expect(try folder.text("c.txt") == "")
    }

    @Test("a FIFO without a reader is waited for, which is said, and Ctrl-C ends the wait with 130", arguments: ["read", "proxy"])
    func fifo(command: String) throws {
        let folder = try Folder()
        let fifo = folder.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let arguments = command == "read" ? ["read", Self.capture] : ["proxy", "--upstream", "tcp://127.0.0.1:9", "--listen-port", "0"]
        func start() throws -> (Process, Pipe) {
            let (process, errors) = (Process(), Pipe())
            process.executableURL = UnmaskProcess.executable
            process.arguments = arguments + ["--log", fifo]
            process.currentDirectoryURL = UnmaskProcess.project
            process.standardOutput = FileHandle.nullDevice
            process.standardError = errors
            try process.run()
            let said = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
            #expect(said == "unmask: \(fifo): waiting until something reads this FIFO; Ctrl-C ends it\n")
            return (process, errors)
        }
        let (waiting, errors) = try start()
        waiting.interrupt()
        #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
        waiting.waitUntilExit()
        #expect(waiting.terminationReason == .exit && waiting.terminationStatus == 130)
        // Once there is a reader it gets all of it.
        let (served, _) = try start()
        let reader = try FileHandle(forReadingFrom: URL(fileURLWithPath: fifo))
        if command == "proxy" { served.interrupt() }
        let log = String(decoding: reader.readDataToEndOfFile(), as: UTF8.self)
        served.waitUntilExit()
        #expect(served.terminationStatus == 0)
        #expect(log.hasPrefix("{\"kind\":\"capture\"") && log.contains("{\"kind\":\"end\""), "\(log)")
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
