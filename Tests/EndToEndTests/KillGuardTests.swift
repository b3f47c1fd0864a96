import Foundation
import Support
import Testing

/// `kill -9` in the middle of a write: the files are whole again soon after.
@Suite("A killed proxy leaves whole records") struct KillGuardTests {
    @Test("half a line that a kill left behind is cut off") func theLogIsMended() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "unmask-kill-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "log.ndjson")
        FileManager.default.createFile(atPath: path.path, contents: nil)
        let log = try FileHandle(forWritingTo: path)
        let process = Process()
        process.executableURL = UnmaskProcess.executable
        process.arguments = ["proxy", "--upstream", "tcp://127.0.0.1:9", "--listen", "127.0.0.1:0", "--format", "ndjson"]
        process.standardOutput = log
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        _ = errors.fileHandleForReading.availableData
        // What the kernel leaves of a write that a kill cuts short.
        let end = try FileHandle(forWritingTo: path)
        try end.seekToEnd()
        try end.write(contentsOf: Data("{\"kind\":\"mess".utf8))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        // The guard has the pipe's other end: it is gone when the mending is done.
        _ = try errors.fileHandleForReading.readToEnd()
        let text = try String(contentsOf: path, encoding: .utf8)
        #expect(text.hasSuffix("}\n") || text.isEmpty, "\(text)")
        #expect(!text.contains("mess"))
    }
}
