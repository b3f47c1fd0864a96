import Foundation
import Libc
import Support
import Testing

/// `kill -9` in the middle of a write: the files are whole again soon after, and no other file is touched.
@Suite("A killed proxy leaves whole records", .serialized)
struct KillGuardTests {
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

    @Test("half a line that a kill left behind is cut off") func theLogIsMended() throws {
        try inFolder {
            let log = try appending("log.ndjson")
            let proxy = try UnreadProxy(before: 9, output: log)
            // Else its first record may come after the half line.
            _ = begun("log.ndjson")
            // What the kernel leaves of a write that a kill cuts short.
            try appending("log.ndjson", "{\"kind\":\"mess").close()
            try proxy.kill(untilFree: path("log.ndjson"))
            let text = try String(contentsOfFile: path("log.ndjson"), encoding: .utf8)
            #expect(text.hasSuffix("}\n") || text.isEmpty, "\(text)")
            #expect(!text.contains("mess"))
        }
    }

    @Test(
        "an array of records is closed, and half a record in it is cut off",
        arguments: ["", ",\n{\"kind\":\"mess", ",", ",\n", "\n", "\n]"])
    func theArrayIsClosed(left: String) throws {
        try inFolder {
            let shown = try appending("shown.json")
            let proxy = try UnreadProxy(before: 9, ["--format", "json", "--log", path("log.json")], output: shown)
            let log = begun("log.json")
            #expect(log.starts(with: Data("[\n{\"kind\":\"capture\"".utf8)) && log.last == UInt8(ascii: "}"))
            _ = begun("shown.json")
            // What the kernel leaves of a write that a kill cuts short.
            try appending("log.json", left).close()
            // It is mended last.
            try proxy.kill(untilFree: path("shown.json"))
            for name in ["log.json", "shown.json"] {
                let records = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path(name)))) as? [[String: Any]]
                #expect(records?.compactMap { $0["kind"] as? String } == ["capture"], "\(name)")
            }
            #expect(try UnmaskProcess.run(["read", path("log.json")]).status == 0)
        }
    }

    @Test("what stood in the log before stays, and so does what somebody else has added to it") func theirs() throws {
        try inFolder {
            // Nothing of the proxy's may be there yet: the notes have no line end.
            let notes = "notes of mine, without a line end"
            let log = try appending("log.txt", notes)
            let proxy = try UnreadProxy(before: 9, output: log)
            try appending("log.txt", "their note").close()
            try proxy.kill(untilFree: path("log.txt"))
            let text = try String(contentsOfFile: path("log.txt"), encoding: .utf8)
            #expect(text.hasPrefix(notes) && text.hasSuffix("their note"), "\(text)")
        }
    }

    @Test("after a rotation the file under the old name is left alone, and the one that is ours is mended") func rotated() throws {
        try inFolder {
            let proxy = try UnreadProxy(before: 9, ["--format", "ndjson", "-w", path("talk.pcapng"), "--log", path("log")])
            let whole = begun("talk.pcapng")
            _ = begun("log")
            for name in ["talk.pcapng", "log"] {
                try FileManager.default.moveItem(atPath: path(name), toPath: path(name + ".1"))
            }
            // Half a block, and half a line, of ours.
            try appending("talk.pcapng.1", "\u{6}\u{0}\u{0}\u{0}\u{40}\u{0}\u{0}\u{0}half").close()
            try appending("log.1", "{\"kind\":\"half").close()
            // Somebody else's, which look as if a kill had cut them: a block that says it is longer than it is, and half a line.
            var theirs = Data([0x0A, 0x0D, 0x0D, 0x0A, 28, 0, 0, 0] + [UInt8](repeating: 1, count: 20))
            theirs += Data([6, 0, 0, 0, 255, 0, 0, 0])
            try theirs.write(to: URL(fileURLWithPath: path("talk.pcapng")))
            try Data("{\"kind\":\"theirs".utf8).write(to: URL(fileURLWithPath: path("log")))
            try proxy.kill(untilFree: path("talk.pcapng.1"))
            #expect(try Data(contentsOf: URL(fileURLWithPath: path("talk.pcapng"))) == theirs)
            #expect(try String(contentsOfFile: path("log"), encoding: .utf8) == "{\"kind\":\"theirs")
            let mended = try Data(contentsOf: URL(fileURLWithPath: path("talk.pcapng.1")))
            #expect(mended == whole)
            #expect(try !String(contentsOfFile: path("log.1"), encoding: .utf8).contains("half"))
        }
    }

    @Test("the guard holds the files that it may have to cut, and nothing else of the proxy") func descriptors() throws {
        guard FileManager.default.fileExists(atPath: "/proc/self/fd") else { return print("skipped: what a guard holds (no proc(5))") }
        try inFolder {
            let log = try appending("log.ndjson")
            let listener = try LoopbackListener()
            let proxy = try UnreadProxy(before: listener.port, ["--format", "ndjson", "-w", path("talk.pcapng")], output: log)
            // It accepts: by then all that it starts with has been started.
            let client = try LoopbackSocket(port: proxy.port)
            _ = try listener.accept()
            let guardian = try #require(child(of: proxy.process.processIdentifier))
            let held = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(guardian)/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(guardian)/fd/\($0)")
            }
            let files = held.filter { $0.hasPrefix(folder.path) }
            #expect(Set(files) == [path("log.ndjson"), path("talk.pcapng")], "\(held)")
            #expect(!held.contains { $0.hasPrefix("socket:") || $0.contains("eventpoll") }, "\(held)")
            #expect(held.filter { $0.hasPrefix("pipe:") }.count == 1, "\(held)")
            client.close()
            _ = proxy.interrupt()
        }
    }

    /// The one child of a process that waits to mend its files, as soon as it is that program.
    private func child(of parent: Int32) -> Int32? {
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
                guard let number = Int32(name), let status = try? String(contentsOfFile: "/proc/\(name)/status", encoding: .utf8),
                    status.contains("PPid:\t\(parent)\n"),
                    let command = try? String(contentsOfFile: "/proc/\(name)/cmdline", encoding: .utf8),
                    command.contains("mend-when-killed")
                else { continue }
                return number
            }
            poll(nil, 0, 10)
        }
        return nil
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

    @Test("a proxy that takes the place of a killed one waits until the files are mended") func restarted() throws {
        try inFolder {
            let first = try UnreadProxy(before: 9, ["-w", path("talk.pcapng")], output: .nullDevice)
            kill(first.process.processIdentifier, SIGKILL)
            let second = try UnreadProxy(before: 9, ["-w", path("talk.pcapng")], output: .nullDevice)
            #expect(second.interrupt().status == 0)
        }
    }
}
