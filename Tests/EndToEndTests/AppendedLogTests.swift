import Foundation
import Libc
import Support
import Testing

/// `--append`: a log that goes on where another run has left it.
@Suite("Appended logs", .serialized) struct AppendedLogTests {
    /// A folder that is removed at the end.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-append-\(UUID().uuidString)")
        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: url) }

        func path(_ name: String) -> String { url.appendingPathComponent(name).path }
        func lines(_ name: String) throws -> [String] {
            let text = try String(contentsOfFile: path(name), encoding: .utf8)
            #expect(text.isEmpty || text.hasSuffix("\n"), "the last line is not ended: \(text.suffix(80))")
            return text.split(separator: "\n").map(String.init)
        }
        func mode(_ name: String) throws -> Int? {
            try (FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? NSNumber)?.intValue
        }
    }

    private static let capture = GoldenTests.capture("close-of-one-byte")

    private static func records(_ text: [String]) throws -> [[String: Any]] {
        try text.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)") }
    }

    private static func append(_ log: String, _ more: [String] = []) throws -> UnmaskProcess.Outcome {
        try UnmaskProcess.run(["read", capture, "--append", "--log", log] + more)
    }

    /// What the log has after `capture` and before `end` when the fixture is read once.
    private static func once() throws -> [String] { try UnmaskProcess.run(["read", "--format", "ndjson", capture]).lines }

    @Test func `a proxy that is killed under load and started again loses no record of either run`() throws {
        let folder = try Folder()
        let log = folder.path("chat.ndjson")
        let listener = try LoopbackListener()
        var printed: [String] = []
        do {
            let proxy = try ProxyProcess(["--append", "--log", log, "--upstream", "tcp://127.0.0.1:\(listener.port)"])
            let client = try LoopbackSocket(port: proxy.port)
            let server = try listener.accept()
            for number in 0..<400 {
                try client.send("first \(number);")
                _ = try server.receiveSome()
            }
            // What was shown is in the log already. The rest is on its way when the kill comes.
            _ = proxy.records(until: "data", count: 300)
            proxy.kill()
            printed = proxy.printed.split(separator: "\n").map(String.init)
        }
        let proxy = try ProxyProcess(["--append", "--log", log, "--upstream", "tcp://127.0.0.1:\(listener.port)"])
        let client = try LoopbackSocket(port: proxy.port)
        let server = try listener.accept()
        for number in 0..<50 {
            try client.send("second \(number);")
            _ = try server.receiveSome()
        }
        client.finish()
        server.finish()
        _ = proxy.records(until: "closed")
        #expect(proxy.stop().status == 0)
        let again = proxy.printed.split(separator: "\n").map(String.init)
        let lines = try folder.lines("chat.ndjson")
        let begin = try #require(lines.dropFirst().firstIndex { $0.contains("\"kind\":\"capture\"") })
        #expect(printed.count > 300 && Array(lines.prefix(printed.count)) == printed)
        #expect(begin >= printed.count)
        #expect(Array(lines[(begin + 1)...]) == Array(again.dropFirst()))
        #expect(lines[begin] == String(again[0].dropLast()) + ",\"appended\":true}")
        #expect(try folder.mode("chat.ndjson") == 0o600)
        // Both runs count from 1; read again, the second one is numbered on.
        #expect(try LogValidation.verdict(on: lines.joined(separator: "\n") + "\n") == nil)
        let read = try UnmaskProcess.run(["read", "--format", "ndjson", log])
        let records = LogRecords(lines: read.lines.map { Data($0.utf8) })
        #expect(read.status == 0 && records.all("capture").count == 2, "\(read.errors)")
        for (number, word) in [(1, "first"), (2, "second")] {
            let texts = records.all("data").filter { $0["conversation"] as? Int == number }.compactMap { $0["text"] as? String }
            #expect(texts.count >= 50 && texts.allSatisfy { $0.hasPrefix(word) }, "\(texts)")
        }
        #expect(records.all("end").first?["conversations"] as? Int == 2)
    }

    @Test func `a record that was cut short is cut off, and one that lacks its line feed alone is ended`() throws {
        let folder = try Folder()
        let once = try Self.once()
        for cut in [1, 2, 20, 60] {
            let text = once.joined(separator: "\n") + "\n"
            try Data(text.utf8.dropLast(cut)).write(to: URL(fileURLWithPath: folder.path("log")))
            chmod(folder.path("log"), 0o644)
            let outcome = try Self.append(folder.path("log"))
            let lines = try folder.lines("log")
            let kept = cut == 1 ? once : once.dropLast()
            #expect(outcome.status == 0)
            #expect(lines.count == kept.count + once.count && Array(lines.prefix(kept.count)) == Array(kept), "\(cut)")
            #expect(try Self.records(lines)[kept.count]["appended"] as? Bool == true)
            let half = once[once.count - 1].utf8.count + 1 - cut
            #expect(
                outcome.errors
                    == (cut == 1
                        ? "" : "unmask: \(folder.path("log")): half a record at its end, \(half) B of a run that was killed, was cut off\n")
            )
            #expect(try folder.mode("log") == 0o600)
        }
    }

    @Test func `runs that ended, and captures read together, are told from each other`() throws {
        let folder = try Folder()
        let log = folder.path("log.ndjson")
        for _ in 0..<3 { #expect(try Self.append(log).status == 0) }
        let written = try Self.records(try folder.lines("log.ndjson"))
        #expect(written.filter { $0["kind"] as? String == "capture" }.map { $0["appended"] as? Bool ?? false } == [false, true, true])
        // The same as the capture read three times at once.
        let three = try UnmaskProcess.run(["read", "--format", "ndjson"] + Array(repeating: Self.capture, count: 3))
        let read = try UnmaskProcess.run(["read", "--format", "ndjson", log])
        #expect(read.lines == three.lines)
        // A log without `end`, as a kill leaves it: how many packets there were at the end is not known.
        let killed = try folder.lines("log.ndjson").filter { !$0.contains("\"kind\":\"end\"") }
        let rest = try UnmaskProcess.run(["read", "--format", "ndjson", "-"], input: Data(killed.joined(separator: "\n").utf8))
        let numbers = { (lines: [String]) in try Self.records(lines).dropLast().map { $0["conversation"] as? Int } }
        #expect(rest.lines.count == three.lines.count)
        #expect(try numbers(rest.lines) == numbers(three.lines))
    }

    @Test func `text goes on too, after its last line`() throws {
        let folder = try Folder()
        try Data("notes of mine".utf8).write(to: URL(fileURLWithPath: folder.path("log.txt")))
        #expect(try Self.append(folder.path("log.txt")).status == 0)
        let lines = try folder.lines("log.txt")
        #expect(lines.first == "notes of mine" && lines.count > 3)
    }

    @Test func `a log that is not there, or is empty, begins as without the option`() throws {
        let folder = try Folder()
        FileManager.default.createFile(atPath: folder.path("empty.ndjson"), contents: nil)
        for name in ["new.ndjson", "empty.ndjson"] {
            #expect(try Self.append(folder.path(name)).status == 0)
            #expect(try folder.lines(name) == Self.once())
        }
    }

    @Test func `what cannot go on is refused, and stays as it is`() throws {
        let folder = try Folder()
        let array = try Self.append(folder.path("log.json"))
        #expect(array.status != 0 && array.errors.contains("is one JSON array; use ndjson:FILE or text:FILE"), "\(array.errors)")
        let alone = try UnmaskProcess.run(["read", Self.capture, "--append"])
        #expect(alone.errors.contains("--append goes with --log."), "\(alone.errors)")
        for content in ["[\n{\"kind\":\"capture\"}\n]\n", "\u{1F}\u{8B}packed"] {
            try Data(content.utf8).write(to: URL(fileURLWithPath: folder.path("log")))
            let outcome = try Self.append(folder.path("log"))
            #expect(outcome.status == 1 || outcome.status == 2)
            #expect(
                outcome.errors.contains("the file does not begin with a record, so --append cannot go on in it; move it away"),
                "\(outcome.errors)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("log"))) == Data(content.utf8))
        }
    }

    @Test func `a file of another program is refused, and a last line without its end is ended and told`() throws {
        let folder = try Folder()
        let log = folder.path("log")
        let ours = try Self.once()[0]
        for line in ["{\"level\":\"info\"}", "{\"kind\":\"Pod\"}", "not JSON", "{\"kind\":\"end\"", "[\"kind\"]", "{\"kind\":7}"] {
            for part in ["", "{\"kind\":\"mess", "x"] {
                let content = "{\"kind\":\"capture\"}\n\(line)\n\(part)"
                try Data(content.utf8).write(to: URL(fileURLWithPath: log))
                let outcome = try Self.append(log)
                #expect(outcome.status == 1)
                #expect(
                    outcome.errors.contains("the last line of the file is not a record, so --append cannot go on in it"),
                    "\(outcome.errors)")
                #expect(try String(contentsOfFile: log, encoding: .utf8) == content)
            }
        }
        try Data("\(ours)\nsomebody's note".utf8).write(to: URL(fileURLWithPath: log))
        let outcome = try Self.append(log)
        #expect(outcome.status == 0 && outcome.errors == "unmask: \(log): the last line was not ended; a line feed was added\n")
        #expect(try folder.lines("log").prefix(2) == [ours, "somebody's note"])
    }

    @Test func `a log that another run writes to is refused`() throws {
        let folder = try Folder()
        let log = folder.path("log.ndjson")
        let proxy = try ProxyProcess(["--append", "--log", log, "--upstream", "tcp://127.0.0.1:9"])
        let outcome = try Self.append(log)
        #expect(outcome.status != 0 && outcome.errors.contains("the file is in use"), "\(outcome.errors)")
        #expect(proxy.stop().status == 0)
    }
}
