import Foundation
import Support
import Testing

/// `unmask demo` as a newcomer sees it.
@Suite("Demo", .timeLimit(.minutes(20))) struct DemoCommandTests {
    /// A home and a folder for temporary files, both gone with the test.
    private final class Home {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-" + UUID().uuidString).path

        init() throws { try FileManager.default.createDirectory(atPath: path + "/tmp", withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        var environment: [String: String] {
            ["HOME": path, "XDG_DATA_HOME": "", "TMPDIR": path + "/tmp", "NO_COLOR": "1", "COLUMNS": "140"]
        }

        func demo(_ arguments: String...) throws -> UnmaskProcess.Outcome {
            try UnmaskProcess.run(["demo", "--fast"] + arguments, environment: environment)
        }

        /// Everything that lies in it.
        var content: [String] { FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? [] }
    }

    /// The text without the breaks of lines that were too wide: where they are depends on spans.
    private static func unfolded(_ text: String) -> String { text.replacing(/\s*\n {20,}/, with: " ") }

    /// The text with what differs from run to run taken out: clocks, spans, ports; and the cipher, which goes by the processor.
    private static func masked(_ text: String) -> String {
        unfolded(text).replacing(/\d\d:\d\d:\d\d\.\d{3}/, with: "CLOCK")
            .replacing(/\d{4}-\d\d-\d\d/, with: "DATE")
            .replacing(/(127\.0\.0\.1:|localhost:|port )(?!9000)\d+/) { $0.1 + "PORT" }
            .replacing(/\d+(\.\d+)? (s|ms)\b/, with: "SPAN")
            .replacing(/TLS_[A-Z0-9_]+/, with: "CIPHER")
            .replacing(/unmask \d+\.\d+\.\d+:/, with: "unmask VERSION:")
    }

    @Test("both chats are shown as docs/demo.md has them, line for line, and nothing is left behind")
    func lines() throws {
        let home = try Home()
        let outcome = try home.demo()
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        #expect(home.content == ["tmp"])
        let page = try String(contentsOf: UnmaskProcess.project.appendingPathComponent("docs/demo.md"), encoding: .utf8)
        let sample = try #require(page.firstMatch(of: /(?s)<!-- demo -->\n```console\n\$ unmask demo\n(.*?)```\n<!-- \/demo -->/)?.1)
        let expected = Self.masked(String(sample))
        let shown = Self.masked(outcome.text)
        for (line, wanted) in zip(shown.split(separator: "\n"), expected.split(separator: "\n")) where line != wanted {
            Issue.record("\(line)\ninstead of\n\(wanted)")
        }
        #expect(shown == expected)
        #expect(shown.contains("in 3 fragments") && shown.contains("websocket.utf8-invalid") && shown.contains("opened by the proxy"))
    }

    @Test("records are whole and alone on standard output", arguments: ["ndjson", "json"])
    func records(format: String) throws {
        let home = try Home()
        let outcome = try home.demo("--format", format, "--frames")
        #expect(outcome.status == 0)
        #expect(try LogValidation.verdict(on: outcome.text, form: format) == nil)
        #expect(outcome.text.contains("\"id\":\"websocket.utf8-invalid\""))
        #expect(outcome.text.contains("\"secrets\":\"terminated\""))
        #expect(outcome.errors.contains("1. A chat over ws://"))
        #expect(outcome.errors.contains("unmask proxy --upstream"))
    }

    @Test("what -w wrote shows the same chats again")
    func recording() throws {
        let home = try Home()
        let live = try home.demo("-w", home.path + "/demo.pcapng", "--format", "ndjson")
        let read = try UnmaskProcess.run(["read", "--format", "ndjson", home.path + "/demo.pcapng"])
        #expect(read.status == 0)
        let kinds = ["request", "response", "upgrade", "message", "ping", "pong", "close", "finding", "closed"]
        let shape = { (log: UnmaskProcess.Outcome) in
            log.lines.filter { line in kinds.contains { line.hasPrefix(#"{"kind":"\#($0)""#) } }
                .map { $0.replacing(/"packets":\[\d+,\d+\],?/, with: "") }
        }
        #expect(shape(live).count > 20)
        #expect(shape(read) == shape(live))
    }

    @Test("Ctrl-C in the middle ends it: the chat is closed by the proxy, the totals are printed, nothing is left behind")
    func interrupted() throws {
        let home = try Home()
        let process = Process()
        process.executableURL = UnmaskProcess.executable
        process.arguments = ["demo"]
        process.environment = ProcessInfo.processInfo.environment.merging(home.environment) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        var shown = ""
        while !shown.contains(#"{"join":7,"name":"ana"}"#) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            shown += String(decoding: more, as: UTF8.self)
        }
        process.interrupt()
        shown += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 130)
        #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
        shown = Self.unfolded(shown)
        #expect(shown.contains("the proxy ended the conversation because it was stopped"), "\(shown)")
        #expect(shown.contains("\n1 conversation, "))
        #expect(!shown.contains("2. A chat") && !shown.contains("Next"))
        #expect(home.content == ["tmp"])
    }

    @Test("a reader that goes away is a quiet end")
    func readerGone() throws {
        let home = try Home()
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/bash")
        shell.arguments = ["-c", "'\(UnmaskProcess.executable.path)' demo --fast | head -n 1 > /dev/null; echo ${PIPESTATUS[0]}"]
        shell.environment = ProcessInfo.processInfo.environment.merging(home.environment) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        shell.standardOutput = output
        shell.standardError = errors
        try shell.run()
        #expect(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "0\n")
        #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
        #expect(home.content == ["tmp"])
    }

    @Test("without a place for its authorities it says so")
    func noFolder() throws {
        let absent = AbsentPath.next()
        let outcome = try UnmaskProcess.run(["demo", "--fast"], environment: ["TMPDIR": absent])
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors == "unmask: no folder can be made in \(absent): No such file or directory\n")
    }

    @Test("wrong use ends with 2", arguments: [["demo", "-w", "-"], ["demo", "--stats", "--follow"], ["demo", "extra"]])
    func wrongUse(arguments: [String]) throws {
        let outcome = try UnmaskProcess.run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
    }
}
