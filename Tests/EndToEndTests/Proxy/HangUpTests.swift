import Foundation
import Libc
import Support
import Testing

/// SIGHUP: what logrotate sends, and what a terminal sends that is closed.
@Suite("Hang-up") struct HangUpTests {
    private static func folder() throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-hangup-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    /// Waits until a file holds `text`; what it holds then.
    private static func read(_ path: String, until text: String) -> String {
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline {
            if let content = try? String(contentsOfFile: path, encoding: .utf8), content.contains(text) { return content }
            poll(nil, 0, 5)
        }
        return (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    @Test("a log that was moved away goes on in a new file, both are whole, and nothing is lost")
    func logsAreReopened() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = { (name: String) in folder.appendingPathComponent(name).path }
        let listener = try LoopbackListener()
        let proxy = try UnreadProxy(
            before: listener.port, ["--log", path("a.ndjson"), "--log", path("b.json"), "--log", path("c.txt")],
            output: FileHandle(forWritingAtPath: "/dev/null"))
        let client = try LoopbackSocket(port: proxy.port)
        let server = try listener.accept()
        try client.send(Array("before the move".utf8))
        _ = Self.read(path("a.ndjson"), until: "before the move")
        _ = Self.read(path("b.json"), until: "before the move")
        for name in ["a.ndjson", "b.json", "c.txt"] {
            try FileManager.default.moveItem(atPath: path(name), toPath: path(name + ".1"))
        }
        kill(proxy.process.processIdentifier, SIGHUP)
        #expect(Self.read(path("a.ndjson"), until: "\"kind\":\"capture\"").hasPrefix("{\"kind\":\"capture\""))
        try client.send(Array("after the move".utf8))
        _ = Self.read(path("a.ndjson"), until: "after the move")
        try client.finish()
        try server.finish()
        // Another one, while every file has its name: nothing has to be done.
        kill(proxy.process.processIdentifier, SIGHUP)
        let end = proxy.interrupt()
        #expect(end.status == 0, "\(end.errors)")
        let (old, new) = (try Self.text(path("a.ndjson.1")), try Self.text(path("a.ndjson")))
        #expect(old.contains("before the move") && !old.contains("after the move") && old.hasSuffix("}\n"))
        #expect(new.contains("after the move") && !new.contains("before the move") && new.contains("\"kind\":\"end\""))
        #expect(new.matches(of: /"kind":"capture"/).count == 1)
        for name in ["b.json.1", "b.json"] {
            let array = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path(name)))) as? [[String: Any]]
            #expect(array?.first?["kind"] as? String == "capture", "\(name)")
        }
        #expect(try Self.text(path("c.txt.1")).contains("before the move") && Self.text(path("c.txt")).contains("after the move"))
    }

    @Test("a log whose folder is gone is opened anew by the first SIGHUP that can, and what was lost is said and ends with 1")
    func folderIsGone() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let logs = folder.appendingPathComponent("logs")
        let log = logs.appendingPathComponent("a.ndjson").path
        try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)
        let listener = try LoopbackListener()
        let proxy = try UnreadProxy(before: listener.port, ["--log", log], output: FileHandle(forWritingAtPath: "/dev/null"))
        let client = try LoopbackSocket(port: proxy.port)
        let server = try listener.accept()
        try client.send(Array("before".utf8))
        // `capture`, `opened` and the first data.
        _ = Self.read(log, until: "\"before\"")
        try FileManager.default.removeItem(at: logs)
        kill(proxy.process.processIdentifier, SIGHUP)
        let said = proxy.errors(until: "the next SIGHUP tries again")
        #expect(said.contains("the log goes on in the file that it has, which is not there any more: what is written to it will be lost; "))
        try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)
        kill(proxy.process.processIdentifier, SIGHUP)
        #expect(Self.read(log, until: "\"kind\":\"capture\"").hasPrefix("{\"kind\":\"capture\""))
        try client.send(Array("after".utf8))
        _ = Self.read(log, until: "\"after\"")
        let end = proxy.interrupt()
        #expect(end.status == 1)
        #expect(end.errors.contains("unmask: \(log): 3 records went to a file that is not there any more\n"), "\(end.errors)")
    }

    @Test("a log that is removed and never opened anew is missed at the end", arguments: ["a.ndjson", "a.json", "a.txt"])
    func logIsRemoved(name: String) throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = folder.appendingPathComponent(name).path
        let proxy = try UnreadProxy(before: 9, ["--log", log], output: FileHandle(forWritingAtPath: "/dev/null"))
        try FileManager.default.removeItem(atPath: log)
        let end = proxy.interrupt()
        #expect(end.status == 1)
        let lost = name == "a.txt" ? "2 lines" : "2 records"
        #expect(end.errors.contains("unmask: \(log): \(lost) went to a file that is not there any more\n"), "\(end.errors)")
    }

    private static func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test("without a log it ends the run as SIGTERM does: totals, and a whole array")
    func endsWithTotals() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("out").path
        FileManager.default.createFile(atPath: path, contents: nil)
        let proxy = try UnreadProxy(before: 9, ["--format", "json"], output: FileHandle(forWritingAtPath: path))
        kill(proxy.process.processIdentifier, SIGHUP)
        proxy.process.waitUntilExit()
        #expect(proxy.process.terminationReason == .exit && proxy.process.terminationStatus == 0)
        let array = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path))) as? [[String: Any]]
        #expect(array?.last?["kind"] as? String == "end")
    }

    @Test("nohup is respected")
    func nohup() throws {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", "trap '' HUP; exec \"$0\" read --format ndjson -", UnmaskProcess.executable.path]
        let (input, output) = (Pipe(), Pipe())
        shell.standardInput = input
        shell.standardOutput = output
        try shell.run()
        let capture = try Data(
            contentsOf: UnmaskProcess.project.appendingPathComponent("fixtures/close-of-one-byte/capture.pcap"))
        try input.fileHandleForWriting.write(contentsOf: capture.prefix(24))
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).contains("\"capture\""))
        kill(shell.processIdentifier, SIGHUP)
        try input.fileHandleForWriting.write(contentsOf: capture.dropFirst(24))
        try input.fileHandleForWriting.close()
        let rest = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0 && rest.contains("\"kind\":\"message\""))
    }
}
