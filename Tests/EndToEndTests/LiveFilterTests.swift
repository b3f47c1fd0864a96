import Foundation
import Support
import Testing

/// Filters of what is shown while it happens: they narrow what is shown, and neither the log, unless it has a filter of its own, nor the recording.
@Suite struct LiveFilterTests {
    /// A folder that is gone with the test.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-" + UUID().uuidString).path

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func records(_ text: some Sequence<String>) -> LogRecords { LogRecords(lines: text.map { Data($0.utf8) }) }

    private static func log(_ path: String) throws -> LogRecords {
        records(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init))
    }

    private static func texts(_ records: LogRecords) -> [String] {
        records.records.filter { $0["kind"] as? String == "message" }.compactMap { $0["text"] as? String }
    }

    private static func kinds(_ records: LogRecords) -> [String] { records.records.compactMap { $0["kind"] as? String } }

    @Test(arguments: [
        (["-Y", "message.text contains \"two\""], ["two"]), (["-Y", "message and from == client"], ["one", "three"]),
        (["--grep", "T", "--ignore-case"], ["two", "three"]), (["--from", "server", "-Y", "message"], ["two", "four"]),
        (["--min-size", "5"], ["three"]), (["--grep", "two", "--context", "1"], ["one", "two", "three"]),
        (["--grep", "three", "--whole"], ["one", "two", "three", "four"]), (["-Y", "tcp.port == 1"], []),
        (["--host", "chat.example", "-Y", "message.length == 4"], ["four"]), (["--path", "/other"], []),
    ])
    func `a proxy shows what is picked, logs what its own filter picks and records everything`(_ filter: [String], _ shown: [String]) throws
    {
        let folder = try Folder()
        let (log, recording) = (folder.path + "/log.ndjson", folder.path + "/talk.pcapng")
        let talk = try ProxyTalk(filter + ["--log", log, "--log-filter", "message.text matches \"o\"", "-w", recording])
        try talk.upgrade()
        try talk.fromClient(Frame.masked(0x81, "one"))
        try talk.fromServer(Frame.plain(0x81, "two"))
        try talk.fromClient(Frame.masked(0x81, "three"))
        try talk.fromServer(Frame.plain(0x81, "four"))
        let outcome = talk.proxy.stop()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(Self.texts(outcome.records) == shown, "\(Self.kinds(outcome.records))")
        #expect(Self.kinds(outcome.records).first == "capture" && Self.kinds(outcome.records).last == "end")
        let logged = try Self.log(log)
        #expect(Self.texts(logged) == ["one", "two", "four"] && Self.kinds(logged).count == 5)
        let read = try UnmaskProcess.run(["read", "--format", "ndjson", recording])
        #expect(Self.texts(Self.records(read.lines)) == ["one", "two", "three", "four"])
    }

    @Test func `what is kept for context comes when the hit does, not at the end`() throws {
        let talk = try ProxyTalk(["--grep", "needle", "--context", "1"])
        try talk.upgrade()
        try talk.fromClient(Frame.masked(0x81, "far"))
        try talk.fromClient(Frame.masked(0x81, "near"))
        try talk.fromServer(Frame.plain(0x81, "needle"))
        #expect(Self.texts(talk.proxy.records(until: "message", count: 2)) == ["near", "needle"])
        try talk.fromServer(Frame.plain(0x81, "after"))
        try talk.fromServer(Frame.plain(0x81, "too late"))
        #expect(Self.texts(talk.proxy.stop().records) == ["near", "needle", "after"])
    }

    @Test(arguments: [
        ["--grep", "^(a+)+$"], ["-Y", "message.text matches \"^(a+)+$\""], ["--redact", "--grep", "(a+)+$"],
    ])
    func `searches that take too many steps are given up, and the end says how many`(_ filter: [String]) throws {
        let talk = try ProxyTalk(filter)
        try talk.upgrade()
        let text = String(repeating: "a", count: 64)
        for _ in 0..<2 { try talk.fromClient(Frame.masked(0x81, text + "b")) }
        try talk.fromClient(Frame.masked(0x81, "aaa"))
        let outcome = talk.proxy.stop()
        #expect(outcome.status == 0 && Self.texts(outcome.records) == ["aaa"])
        #expect(outcome.errors.contains("2 searches given up after too many steps; simplify the expression"), "\(outcome.errors)")
    }

    @Test func `the demonstration is narrowed like any run`() throws {
        let folder = try Folder()
        let (log, recording) = (folder.path + "/log.ndjson", folder.path + "/demo.pcapng")
        let outcome = try UnmaskProcess.run(
            ["demo", "--fast", "--format", "ndjson", "-Y", "message and from == client", "--log", log, "-w", recording],
            environment: ["HOME": folder.path, "XDG_DATA_HOME": "", "TMPDIR": folder.path])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let shown = Self.records(outcome.lines)
        #expect(Set(Self.kinds(shown)) == ["capture", "message", "end"] && shown.records.allSatisfy { $0["from"] as? String != "server" })
        let logged = try Self.log(log)
        #expect(Set(Self.kinds(logged)).isSuperset(of: ["opened", "request", "response", "message", "ping", "close", "closed"]))
        let client = logged.records.filter { $0["kind"] as? String == "message" && $0["from"] as? String == "client" }
        #expect(client.count == shown.records.count - 2 && !client.isEmpty)
        let read = try UnmaskProcess.run(["read", "--format", "ndjson", recording])
        #expect(Self.texts(Self.records(read.lines)) == Self.texts(logged))
    }

    @Test func `what a program says is narrowed on standard error`() throws {
        let folder = try Folder()
        let log = folder.path + "/log.ndjson"
        // Nobody listens at port 9 of this machine; the proxy says so.
        let asking = "import urllib.request as u\ntry: u.urlopen('http://127.0.0.1:9/needle')\nexcept u.HTTPError as e: print(e.code)"
        func run(_ filter: [String], logs: Bool = false) throws -> UnmaskProcess.Outcome {
            try UnmaskProcess.run(
                ["run"] + filter + (logs ? ["--log", log] : []) + ["--", "python3", "-c", asking], environment: ["TMPDIR": folder.path])
        }
        let some = try run(["-Y", "finding.id == proxy.connect-failed"])
        #expect(some.text == "502\n" && some.errors.contains("proxy.connect-failed"), "\(some.errors)")
        let none = try run(["--grep", "no such word"])
        #expect(
            none.text == "502\n" && none.errors.contains("nothing matched") && !none.errors.contains("connect-failed"), "\(none.errors)")
        // A filter is about what is shown, so that something is shown beside a log.
        _ = try run(["--grep", "no such word"], logs: true)
        #expect(try Self.kinds(Self.log(log)).contains("finding"))
    }

    @Test func `a capture of an interface is narrowed, and so is its recording`() throws {
        let folder = try Folder()
        let server = try LoopbackServer()
        let recording = folder.path + "/lo.pcapng"
        let process = Process()
        process.executableURL = UnmaskProcess.executable
        process.arguments = [
            "capture", "-i", "lo", "-f", "tcp port \(server.port)", "-w", recording, "--format", "ndjson", "--duration", "20",
            "--path", "/watched", "-Y", "http.request or http.response.code == 204", "-c", "100000",
        ]
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        defer { if process.isRunning { process.terminate() } }
        let said = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        guard said.contains("listening on lo") else { return print("skipped: watching an interface (\(said))") }
        for path in ["/other", "/watched"] {
            try server.exchange("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n")
        }
        var printed = Data()
        while printed.count(where: { $0 == 0x0A }) < 3 {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            printed += data
        }
        process.interrupt()
        printed += output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let shown = LogRecords(lines: printed.split(separator: 0x0A).map { Data($0) })
        #expect(Self.kinds(shown) == ["capture", "request", "response", "end"])
        #expect(shown.records.compactMap { $0["target"] as? String }.allSatisfy { $0 == "/watched" })
        let read = try UnmaskProcess.run(["read", "--format", "ndjson", recording])
        #expect(Self.kinds(Self.records(read.lines)).count { $0 == "request" } == 1)
    }
}
