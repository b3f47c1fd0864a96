import Foundation
import Support
import Testing

/// Output that cannot be written: exit status 1, and how much is missing, on standard error.
@Suite("A full disk", .serialized)
struct FullDiskTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-full-\(UUID().uuidString)")

    private func fullDevice() -> FileHandle? {
        guard let full = FileHandle(forWritingAtPath: "/dev/full") else {
            print("skipped: a full disk (this system has no /dev/full)")
            return nil
        }
        return full
    }

    /// Runs it with standard output on a full disk.
    private func run(_ arguments: [String], on full: FileHandle) throws -> (status: Int32, errors: String) {
        let process = Process()
        process.executableURL = UnmaskProcess.executable
        process.arguments = arguments
        process.currentDirectoryURL = UnmaskProcess.project
        process.standardOutput = full
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, said)
    }

    @Test(
        "read counts what it could not print", arguments: [["--format", "ndjson"], ["--format", "json"], [], ["--follow"], ["--stats"]])
    func reading(options: [String]) throws {
        guard let full = fullDevice() else { return }
        let arguments = ["read"] + options + ["fixtures/manner-socketrocket/capture.pcap"]
        var lines = try UnmaskProcess.run(arguments).text.count { $0 == "\n" }
        // The brackets of an array are no records.
        if options.last == "json" { lines -= 2 }
        let outcome = try run(arguments, on: full)
        #expect(outcome.status == 1)
        let unit = options.first == "--format" ? "records" : "lines"
        let counted = try #require(
            outcome.errors.firstMatch(of: /^unmask: standard output: No space left on device; (\d+) (records|lines) could not be written/),
            "\(outcome.errors)")
        #expect(counted.2 == unit)
        if options == ["--follow"] {
            // Each line is written at once: reading stops after the first.
            #expect(outcome.errors.contains("lines could not be written, and nothing was read after packet 1\n"), "\(outcome.errors)")
        } else {
            #expect(Int(counted.1) == lines, "\(outcome.errors)")
        }
    }

    @Test("help and lists do not pretend to be printed", arguments: [["findings"], ["findings", "websocket.mask-missing"]])
    func lists(arguments: [String]) throws {
        guard let full = fullDevice() else { return }
        let outcome = try run(arguments, on: full)
        #expect(outcome.status == 1)
        #expect(outcome.errors == "unmask: standard output: No space left on device\n")
    }

    @Test("a proxy counts records and packets")
    func proxying() throws {
        guard let full = fullDevice() else { return }
        let listener = try LoopbackListener()
        let proxy = try UnreadProxy(before: listener.port, ["--format", "ndjson", "-w", "/dev/full"], output: full)
        let client = try LoopbackSocket(port: proxy.port)
        let server = try listener.accept()
        try client.send("hello")
        #expect(try server.receive(5).count == 5)
        server.finish()
        #expect(try client.receiveToTheEnd().ending == .finished)
        client.finish()
        #expect(try server.receiveToTheEnd().ending == .finished)
        let end = proxy.interrupt()
        #expect(end.status == 1)
        // `capture`, `opened`, `data`, `closed`, `end`; three packets of the handshake, one of data, two FIN.
        #expect(end.errors.contains("unmask: 5 records could not be written to standard output\n"), "\(end.errors)")
        #expect(end.errors.contains("unmask: 6 packets could not be written to /dev/full\n"), "\(end.errors)")
    }

    @Test("files that may not grow any more end whole, and what is missing is counted")
    func limitedFiles() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (log, recording) = (folder.appendingPathComponent("log").path, folder.appendingPathComponent("talk.pcapng").path)
        let listener = try LoopbackListener()
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/bash")
        shell.arguments = [
            "-c",
            """
            ulimit -f 16; exec '\(UnmaskProcess.executable.path)' proxy --listen 127.0.0.1:0 --upstream tcp://127.0.0.1:\(listener.port) \
            --grace 0 --ca-folder '\(folder.path)/ca' --format ndjson -w '\(recording)' > '\(log)'
            """,
        ]
        let errors = Pipe()
        shell.standardError = errors
        try shell.run()
        defer { if shell.isRunning { shell.terminate() } }
        let begun = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        let port = try #require(begun.firstMatch(of: /listening on 127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) }, "\(begun)")
        let client = try LoopbackSocket(port: port)
        let server = try listener.accept()
        // Each run is read before the next is sent, so that each is a record.
        for number in 0..<400 {
            let text = "message \(number) " + String(repeating: "x", count: 100)
            try client.send(text)
            #expect(try server.receive(text.utf8.count).count == text.utf8.count)
        }
        shell.interrupt()
        let said = begun + String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        shell.waitUntilExit()
        #expect(shell.terminationReason == .exit && shell.terminationStatus == 1, "\(said)")
        let text = try Data(contentsOf: URL(fileURLWithPath: log))
        #expect(text.last == 0x0A && text.count <= 16_384)
        let written = text.count { $0 == 0x0A }
        let lost = try #require(
            said.firstMatch(of: /(\d+) records could not be written to standard output/).flatMap { Int($0.1) }, "\(said)")
        // `capture`, `opened`, 400 runs, the finding that the proxy was stopped, `closed`, `end`.
        #expect(written + lost == 405, "\(written) written, \(lost) lost")
        let packets = try #require(said.firstMatch(of: /(\d+) packets could not be written to/).flatMap { Int($0.1) }, "\(said)")
        let read = try UnmaskProcess.run(["read", "--format", "ndjson", recording])
        let kept = try #require(read.text.firstMatch(of: /"kind":"end","packets":(\d+)/).flatMap { Int($0.1) })
        // Three of the handshake, 400 of data, one RST.
        #expect(kept + packets == 404, "\(kept) kept, \(packets) lost")
    }

    @Test("a demo counts what it could not show, log or record", arguments: [[], ["--log", "/dev/full"], ["-w", "/dev/full"]])
    func demonstrating(options: [String]) throws {
        guard let full = fullDevice() else { return }
        let arguments = ["demo", "--fast"] + options
        let outcome = options.isEmpty ? try run(arguments, on: full) : try run(arguments, on: FileHandle.nullDevice)
        #expect(outcome.status == 1 && outcome.errors.contains("could not be written to "), "\(outcome.status) \(outcome.errors)")
    }

    @Test("a capture says how many packets are missing")
    func capturing() throws {
        guard fullDevice() != nil else { return }
        let server = try LoopbackServer()
        let process = Process()
        process.executableURL = UnmaskProcess.executable
        process.arguments = ["capture", "-i", "lo", "-f", "tcp port \(server.port)", "-w", "/dev/full"]
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        defer { if process.isRunning { process.terminate() } }
        var said = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        guard said.contains("listening on lo") else { return print("skipped: watching an interface (\(said))") }
        try server.exchange("GET /watched HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n")
        // It ends by itself.
        said += String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        #expect(said.contains(/unmask: \/dev\/full: No space left on device; \d+ packets could not be written\n/), "\(said)")
    }
}
