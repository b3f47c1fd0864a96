import Foundation
import Support
import Testing

/// How the program ends when it is not left to end by itself.
@Suite struct InterruptionTests {
    /// The program with its standard input held open, and its output read as it comes.
    private final class Running {
        let process = Process()
        let input = Pipe()
        private let output = Pipe()
        private let errors = Pipe()

        init(_ arguments: [String]) throws {
            process.executableURL = UnmaskProcess.executable
            process.arguments = arguments
            process.currentDirectoryURL = UnmaskProcess.project
            process.standardInput = input
            process.standardOutput = output
            process.standardError = errors
            try process.run()
        }

        func feed(_ data: Data) throws { try input.fileHandleForWriting.write(contentsOf: data) }

        /// Reads standard output until it holds `text`; everything read so far.
        func read(until text: String) -> String { Self.read(output.fileHandleForReading, until: text) }
        func readErrors(until text: String) -> String { Self.read(errors.fileHandleForReading, until: text) }

        private static func read(_ handle: FileHandle, until text: String) -> String {
            var read = ""
            while !read.contains(text) {
                let data = handle.availableData
                if data.isEmpty { break }
                read += String(decoding: data, as: UTF8.self)
            }
            return read
        }

        /// Interrupts it; the rest of its output, its errors and its status.
        func interrupt() -> (output: String, errors: String, status: Int32) {
            process.interrupt()
            let rest = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (rest, said, process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus)
        }
    }

    private func fixture(_ name: String) throws -> Data {
        try Data(contentsOf: UnmaskProcess.project.appendingPathComponent("fixtures/\(name)/capture.pcap"))
    }

    @Test func ctrlCPrintsTheTotalsSoFar() throws {
        let running = try Running(["read", "--follow", "-"])
        try running.feed(fixture("manner-socketrocket"))
        #expect(running.read(until: "closed by the client").contains("hello everybody"))
        let end = running.interrupt()
        #expect(end.status == 130)
        #expect(end.output.contains("1 conversation, "))
        #expect(end.errors == "")
    }

    @Test func ctrlCEndsWithinAnEntryOfAnArchive() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: file) }
        let opening = #"{"log":{"entries":[{"request":{"url":"ws://a/"},"response":{"status":101},"_webSocketMessages":["#
        let messages = [String](repeating: #"{"type":"send","opcode":1,"data":"hello"}"#, count: 200_000).joined(separator: ",")
        try Data("\(opening)\(messages)]}]}}".utf8).write(to: file)
        let running = try Running(["read", "--format", "ndjson", file.path])
        let seen = running.read(until: #""kind":"message""#)
        let end = running.interrupt()
        #expect(end.status == 130)
        let told = (seen + end.output).split(separator: "\n")
        #expect(told.count < 100_000)
        #expect(told.last?.contains(#""kind":"end""#) == true, "\(told.last ?? "")")
    }

    @Test func ctrlCClosesTheArray() throws {
        let running = try Running(["read", "--format", "json", "-"])
        // A capture that stops in the middle of a talk: the reader waits for more.
        let capture = try fixture("manner-socketrocket")
        try running.feed(capture)
        // More of the same, until what waits in the program's buffer has to come out.
        let packets = capture.dropFirst(24)
        let input = running.input.fileHandleForWriting
        let isFed = DispatchSemaphore(value: 0)
        Thread {
            for _ in 0..<8 { try? input.write(contentsOf: packets) }
            isFed.signal()
        }.start()
        let first = running.read(until: "\"kind\":\"message\"")
        isFed.wait()
        let end = running.interrupt()
        #expect(end.status == 130)
        let records = try JSONSerialization.jsonObject(with: Data((first + end.output).utf8)) as? [[String: Any]]
        #expect(records?.last?["kind"] as? String == "end")
    }

    @Test func aReaderThatGoesAwayIsAQuietEnd() throws {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/bash")
        let many = Array(repeating: "fixtures/manner-socketrocket/capture.pcap", count: 60).joined(separator: " ")
        shell.arguments = [
            "-c", "'\(UnmaskProcess.executable.path)' read --format ndjson \(many) | head -n 1 > /dev/null; echo ${PIPESTATUS[0]}",
        ]
        shell.currentDirectoryURL = UnmaskProcess.project
        let (output, errors) = (Pipe(), Pipe())
        shell.standardOutput = output
        shell.standardError = errors
        try shell.run()
        #expect(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "0\n")
        #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
    }

    @Test func anInterfaceIsWatchedUntilCtrlC() throws {
        let recording = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString).pcapng")
        defer { try? FileManager.default.removeItem(at: recording) }
        let server = try LoopbackServer()
        let running = try Running(["capture", "-i", "lo", "-f", "tcp port \(server.port)", "-w", recording.path])
        let said = running.readErrors(until: "\n")
        guard said.contains("listening on lo") else {
            print("skipped: watching an interface (\(said.trimmingCharacters(in: .whitespacesAndNewlines)))")
            #expect(running.interrupt().status == 1)
            #expect(said.contains("CAP_NET_RAW"))
            return
        }
        try server.exchange("GET /watched HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n")
        let shown = running.read(until: "204 No Content")
        #expect(shown.contains("GET /watched HTTP/1.1"))
        let end = running.interrupt()
        #expect(end.status == 0)
        #expect(end.output.contains("1 conversation, "))
        #expect(end.errors.contains("dropped by the kernel"))
        // What was written is a capture that reads the same.
        let read = try UnmaskProcess.run(["read", recording.path])
        #expect(read.status == 0)
        #expect(read.text.contains("GET /watched HTTP/1.1"))
    }
}
