import Foundation
import Support
import Testing

/// `unmask demo` as a newcomer sees it.
@Suite("Demo", .timeLimit(.minutes(2))) struct DemoCommandTests {
    /// A home and a folder for temporary files, both gone with the test.
    private final class Home {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-" + UUID().uuidString).path

        init() throws { try FileManager.default.createDirectory(atPath: path + "/tmp", withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        var environment: [String: String] { ["HOME": path, "XDG_DATA_HOME": "", "TMPDIR": path + "/tmp", "NO_COLOR": "1", "COLUMNS": ""] }

        func demo(_ arguments: String...) throws -> UnmaskProcess.Outcome {
            try UnmaskProcess.run(["demo", "--fast"] + arguments, environment: environment)
        }

        /// Everything that lies in it.
        var content: [String] { FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? [] }
    }

    /// The text with what differs from run to run taken out: clocks, spans, ports; and the cipher, which goes by the processor.
    private static func masked(_ text: String) -> String {
        text.replacing(/\d\d:\d\d:\d\d\.\d{3} +\d+\.\d{3}/, with: "CLOCK")
            .replacing(/\d{4}-\d\d-\d\d/, with: "DATE")
            .replacing(/(127\.0\.0\.1:|localhost:|port )(?!9000)\d+/) { $0.1 + "PORT" }
            .replacing(/\d+(\.\d+)? (s|ms)\b/, with: "SPAN")
            .replacing(/TLS_[A-Z0-9_]+/, with: "CIPHER")
            .replacing(/unmask \d+\.\d+\.\d+:/, with: "unmask VERSION:")
    }

    @Test("both chats are shown line for line, with a word before each, and nothing is left behind")
    func lines() throws {
        let home = try Home()
        let outcome = try home.demo()
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        #expect(home.content == ["tmp"])
        let expected = """
            unmask VERSION: proxy at 127.0.0.1:PORT, 127.0.0.1:PORT

            1. A chat over ws://, through a proxy in front of one server
               $ unmask proxy --upstream ws://localhost:PORT
               Ana's app connects to port PORT instead. It joins a room, gets the history
               in three fragments, answers a ping, sends a picture. Then it cuts a text in
               the middle of an emoji: see what the server makes of it, and what the line
               with the ! says.

              1  CLOCK  =  127.0.0.1:PORT > localhost:PORT (127.0.0.1, via reverse) opened on DATE
              1  CLOCK  >  GET /rooms/7 HTTP/1.1             host localhost:PORT   upgrade to websocket, offers chat.v2, chat.v1
              1  CLOCK  <  101 Switching Protocols           SPAN   websocket, chat.v2
              1  CLOCK  >  text      23 B  {"join":7,"name":"ana"}
              1  CLOCK  <  text      72 B in 3 fragments     {"history":["grüß dich 👋","who brings the cake? 🍰","Ana does!"]}
              1  CLOCK  <  ping      12 B  still there?
              1  CLOCK  >  pong      12 B  still there?   SPAN
              1  CLOCK  >  text      25 B  {"say":"hello everybody"}
              1  CLOCK  <  text      33 B  {"ben":"hi Ana! 🎉 the photo?"}
              1  CLOCK  >  binary    69 B  PICTURE
              1  CLOCK  <  text      15 B  {"received":69}
              1  CLOCK  >  text      21 B  7b 22 73 61 79 22 3a 22 6f 6e 20 6d 79 20 77 61 79 20 f0 9f 9a  |{"say":"on my way ...|
              1                         !  websocket.utf8-invalid   violation: text that is not UTF-8, first bad byte 18   RFC 6455 8.1
              1  CLOCK  <  close  1007     invalid frame payload data: "a text must be UTF-8"
              1  CLOCK  >  close  1007     invalid frame payload data
              1  CLOCK  =  closed by the server with a Close frame: 1007 invalid frame payload data, answered after SPAN
              1  CLOCK  =  SPAN   > 4 messages 417 B   < 3 messages 330 B

            2. A chat over wss://, through an HTTP proxy that opens the TLS
               $ unmask proxy --mode http
               The app is mended. It asks port PORT for a tunnel to localhost:PORT, and
               speaks TLS inside. The proxy can read that because the app trusts its
               authority: one made for this demonstration, and already deleted.

              2  CLOCK  =  127.0.0.1:PORT > localhost:PORT (127.0.0.1, via http) opened on DATE
              2  CLOCK  =  TLS 1.3 to localhost, CIPHER; opened by the proxy
              2  CLOCK  >  GET /rooms/7 HTTP/1.1             host localhost:PORT   upgrade to websocket, offers chat.v2, chat.v1
              2  CLOCK  <  101 Switching Protocols           SPAN   websocket, chat.v2
              2  CLOCK  >  text      23 B  {"join":7,"name":"ana"}
              2  CLOCK  <  text      72 B in 3 fragments     {"history":["grüß dich 👋","who brings the cake? 🍰","Ana does!"]}
              2  CLOCK  <  ping      12 B  still there?
              2  CLOCK  >  pong      12 B  still there?   SPAN
              2  CLOCK  >  text      24 B  {"say":"on my way 🚲"}
              2  CLOCK  <  text      31 B  {"ben":"mind the rain 🌧️"}
              2  CLOCK  >  ping       1 B  1
              2  CLOCK  <  pong       1 B  1   SPAN
              2  CLOCK  >  close  1000     normal closure: "bye"
              2  CLOCK  <  close  1000     normal closure
              2  CLOCK  =  closed by the client with a Close frame: 1000 normal closure, answered after SPAN
              2  CLOCK  =  SPAN   > 2 messages 324 B   < 2 messages 294 B

            2 conversations, 1.3 kB, 11 messages, 1 finding

            Next
               unmask proxy --upstream ws://localhost:9000   your server; point the app at
                                                             the port that is printed
               unmask proxy --mode http                      any server; make it the HTTP
                                                             proxy of your app
               unmask ca                                     what the app has to trust
               unmask read capture.pcapng                    a capture, afterwards

            """
        let shown = Self.masked(outcome.text).replacing(/89 50 4e 47 .*/, with: "PICTURE")
        for (line, wanted) in zip(shown.split(separator: "\n"), expected.split(separator: "\n")) where line != wanted {
            Issue.record("\(line)\ninstead of\n\(wanted)")
        }
        #expect(shown == expected)
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
        #expect(shown.contains("closed because the proxy was stopped"))
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
        let outcome = try UnmaskProcess.run(["demo", "--fast"], environment: ["TMPDIR": "/nonexistent"])
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors == "unmask: no folder can be made in /nonexistent: No such file or directory\n")
    }

    @Test("wrong use ends with 2", arguments: [["demo", "-w", "-"], ["demo", "--stats", "--follow"], ["demo", "extra"]])
    func wrongUse(arguments: [String]) throws {
        let outcome = try UnmaskProcess.run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
    }
}
