import Foundation
import Support
import Testing

/// Paths that options take, and the descriptors that the caller has opened, or not.
@Suite("Paths and descriptors that were given") struct GivenPathTests {
    private static let capture = "fixtures/close-of-one-byte/capture.pcap"

    @Test(
        "an empty path is wrong use",
        arguments: [
            ["proxy", "--mode", "http", "-w"], ["proxy", "--mode", "http", "--keys"], ["proxy", "--mode", "http", "--log"],
            ["proxy", "--mode", "http", "--upstream-ca"], ["proxy", "--mode", "http", "--client-cert"],
            ["proxy", "--mode", "http", "--ca-folder"], ["capture", "-i", "lo", "-w"], ["demo", "-w"], ["read", capture, "--log"],
            ["read", capture, "--log", "json:"], ["ca", "export", "-o"], ["ca", "path", "--ca-folder"],
            ["proxy", "--mode", "http", "--client-cert", "a.pem", "--client-key"], ["read"], ["proxy", "--upstream", "unix:", "-p"],
        ])
    func empty(arguments: [String]) throws {
        let outcome = try UnmaskProcess.run(arguments + (arguments.last == "json:" ? [] : [""]))
        #expect(outcome.status == 2 && !outcome.errors.isEmpty, "\(arguments): \(outcome.status), \(outcome.errors)")
    }

    @Test(
        "a descriptor that the caller has not opened is none to write to, or to read",
        arguments: [
            ["proxy", "--mode", "http", "-p", "0", "-w"], ["proxy", "--mode", "http", "-p", "0", "--keys"],
            ["proxy", "--mode", "http", "-p", "0", "--log"], ["read", capture, "--log"], ["ca", "export", "-o"], ["read"],
        ])
    func notGiven(arguments: [String]) throws {
        for path in ["/dev/fd/9", "/proc/self/fd/9", "/dev/fd/99999999999"] {
            let outcome = try UnmaskProcess.run(arguments + [path])
            #expect(outcome.status == 2, "\(arguments + [path]): \(outcome.status)")
            #expect(outcome.errors.contains("was not open when unmask was started"), "\(outcome.errors)")
        }
    }

    /// Runs the program by a shell, which opens and closes descriptors.
    private func shell(_ redirections: String, _ arguments: String, in folder: URL) throws -> (status: Int32, errors: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exec \"$0\" \(arguments) \(redirections)", UnmaskProcess.executable.path]
        process.currentDirectoryURL = folder
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        let errors = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: errors, as: UTF8.self))
    }

    private func withFolder(_ body: (URL, String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-given-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder, UnmaskProcess.project.appendingPathComponent(Self.capture).path)
    }

    @Test("one that the caller has opened is written to, unless it was opened to be read")
    func given() throws {
        try withFolder { folder, capture in
            let written = try shell(">/dev/null 9>log", "read \(capture) --log /dev/fd/9", in: folder)
            #expect(written == (0, ""))
            let log = folder.appendingPathComponent("log")
            let text = try String(contentsOf: log, encoding: .utf8)
            #expect(text.hasPrefix("{\"kind\":\"capture\""))
            for option in ["--log", "--keys", "-w"] {
                let refused = try shell(">/dev/null 9<log", "proxy --mode http -p 0 \(option) /dev/fd/9", in: folder)
                #expect(refused.status == 2 && refused.errors.contains("is not open for writing"), "\(refused)")
            }
            #expect(try String(contentsOf: log, encoding: .utf8) == text)
        }
    }

    @Test("what stands in a file that the caller has opened to append to stays, before what is written")
    func appended() throws {
        try withFolder { folder, _ in
            let file = folder.appendingPathComponent("file")
            var before = Data()
            for redirection in ["9>", "9>>"] {
                let written = try shell(">/dev/null \(redirection)file", "demo -w /dev/fd/9", in: folder)
                #expect(written.status == 0, "\(written.errors)")
                let now = try Data(contentsOf: file)
                #expect(now.count > before.count && now.starts(with: before))
                before = now
            }
            #expect(try UnmaskProcess.run(["read", "--stats", file.path]).status == 0)
        }
    }

    @Test("where the shell has closed standard output, nothing is written there, and that is said")
    func closedOutput() throws {
        try withFolder { folder, capture in
            for command in [
                "read \(capture) --format ndjson", "proxy --mode http -p 0", "findings", "schema", "--help",
            ] {
                let outcome = try shell(">&-", command, in: folder)
                #expect(outcome.status == 1 && outcome.errors.contains("standard output"), "\(command): \(outcome)")
            }
            let log = try shell(">&-", "proxy --mode http -p 0 --log /dev/stdout", in: folder)
            #expect(log.status == 2 && log.errors.contains("descriptor 1 was not open"), "\(log)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            // Who wants the records in a file has them there.
            #expect(try shell(">&-", "read \(capture) --log log", in: folder) == (0, ""))
        }
    }
}
