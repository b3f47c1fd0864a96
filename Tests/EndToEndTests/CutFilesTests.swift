import Foundation
import Libc
import Support
import Testing

/// `kill -9` in the middle of a write: what is whole is read, and another run can begin at once.
@Suite("Files of a killed proxy", .serialized)
struct CutFilesTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "unmask-kill-\(UUID().uuidString)")

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func inFolder(_ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body()
    }

    /// Opens a file to append to it, as a shell does for `>>`.
    private func appending(_ name: String, _ content: String = "") throws -> FileHandle {
        let descriptor = open(path(name), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        try #require(descriptor >= 0)
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(content.utf8))
        return handle
    }

    /// Waits until the proxy has begun to write a file; what it has then.
    private func begun(_ name: String) -> Data {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            if let content = FileManager.default.contents(atPath: path(name)), !content.isEmpty { return content }
            poll(nil, 0, 10)
        }
        Issue.record("nothing is written to \(name)")
        return Data()
    }

    @Test(
        "a file that a kill has cut is read up to what is whole, and the rest is reported",
        arguments: [
            ("log.ndjson", "{\"kind\":\"mess", "is cut off"), ("log.json", ",\n{\"kind\":\"mess", "is cut off"), ("log.json", ",\n", ""),
            ("talk.pcapng", "\u{6}\u{0}\u{0}\u{0}\u{40}\u{0}\u{0}\u{0}half", "the last block is cut"),
        ])
    func cutFiles(name: String, left: String, said: String) throws {
        try inFolder {
            let proxy = try UnreadProxy(before: 9, [name.hasSuffix("pcapng") ? "-w" : "--log", path(name)], output: .nullDevice)
            _ = begun(name)
            proxy.kill()
            // What the kernel leaves of a write that a kill cuts short.
            try appending(name, left).close()
            let cut = begun(name)
            for command in ["read", "list", "check"] {
                let end = try UnmaskProcess.run([command, path(name)])
                #expect(said.isEmpty ? end.errors.isEmpty : end.errors.contains(said), "\(command) \(name): \(end.errors)")
                #expect(!end.text.isEmpty)
                #expect(end.status == (said.isEmpty ? 0 : 1), "\(command) \(name)")
            }
            #expect(begun(name) == cut)
        }
    }

    @Test("a run that goes on in the log of a killed one cuts off its half record") func goneOn() throws {
        try inFolder {
            let first = try UnreadProxy(before: 9, ["--log", path("log.ndjson")], output: .nullDevice)
            _ = begun("log.ndjson")
            first.kill()
            try appending("log.ndjson", "{\"kind\":\"mess").close()
            let second = try UnreadProxy(before: 9, ["--log", path("log.ndjson"), "--append"], output: .nullDevice)
            let end = second.interrupt()
            #expect(end.status == 0)
            #expect(end.errors.contains("half a record at its end, 13 B of a run that was killed, was cut off"), "\(end.errors)")
            let lines = try String(contentsOfFile: path("log.ndjson"), encoding: .utf8).split(separator: "\n")
            #expect(lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") && !$0.contains("mess{") })
        }
    }

    @Test("a second proxy is refused the files of the first, and harms none of them") func locked() throws {
        try inFolder {
            let log = try appending("log.ndjson")
            let first = try UnreadProxy(
                before: 9, ["--format", "ndjson", "-w", path("talk.pcapng"), "--log", path("log"), "--keys", path("keys")], output: log)
            let size = begun("talk.pcapng").count
            for arguments in [["-w", path("talk.pcapng")], ["--log", path("log")], ["--keys", path("keys")], ["-w", path("log")]] {
                let second = try UnreadProxy(before: 9, arguments, output: .nullDevice, listens: false)
                let end = second.end()
                #expect(end.status == 1)
                #expect(end.errors.contains("\(arguments[1]): the file is in use: another unmask process"), "\(end.errors)")
            }
            let second = try UnreadProxy(before: 9, ["--format", "ndjson"], output: try appending("log.ndjson"), listens: false)
            let end = second.end()
            #expect(end.status == 1 && end.errors.hasPrefix("unmask: standard output: the file is in use"), "\(end.errors)")
            #expect(try FileManager.default.attributesOfItem(atPath: path("talk.pcapng"))[.size] as? Int == size)
            #expect(first.interrupt().status == 0)
            // One after the other is fine.
            let third = try UnreadProxy(before: 9, ["-w", path("talk.pcapng"), "--keys", path("keys")], output: .nullDevice)
            #expect(third.interrupt().status == 0)
        }
    }

    @Test("a proxy that takes the place of a killed one can begin at once") func restarted() throws {
        try inFolder {
            let first = try UnreadProxy(before: 9, ["-w", path("talk.pcapng")], output: .nullDevice)
            kill(first.process.processIdentifier, SIGKILL)
            let second = try UnreadProxy(before: 9, ["-w", path("talk.pcapng")], output: .nullDevice)
            #expect(second.interrupt().status == 0)
        }
    }
}
