import Foundation
import Support
import Testing

/// `--redact` and what goes with it, through the program.
@Suite struct RedactionCommandTests {
    private static let capture = "fixtures/bodies-and-messages/capture.pcap"

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test func `what is shown, each log and what is extracted have the marks, which change from run to run`() throws {
        try inFolder { folder in
            let log = folder.appendingPathComponent("log.ndjson")
            let shown = try UnmaskProcess.run(["read", Self.capture, "--redact-json", "$.type", "--log", log.path])
            let records = try String(contentsOf: log, encoding: .utf8)
            #expect(shown.text.contains("⟨redacted:") && records.contains("⟨redacted:") && records.contains(#""redacted":1"#))
            #expect(!shown.text.contains(#""join""#) && !records.contains("join"), "\(shown.text)")
            // A log of it is read as it is.
            let again = try UnmaskProcess.run(["read", log.path, "--format", "ndjson"])
            #expect(again.text.contains("⟨redacted:") && again.text.contains(#""redacted":1"#))
            let parts = folder.appendingPathComponent("parts")
            #expect(try UnmaskProcess.run(["extract", Self.capture, "--redact-json", "$.type", "--to", parts.path]).status == 0)
            let message = try String(contentsOf: parts.appendingPathComponent("0001-0004-client.json"), encoding: .utf8)
            #expect(message.hasPrefix(#"{"type":"⟨redacted:"#) && !records.contains(message))
        }
    }

    @Test(arguments: [
        ["--upstream", "ws://user:s3cret@localhost:1/abc"], ["--upstream=ftp://user:s3cret@localhost:1"], ["ws://user:s3cret@localhost:1"],
        ["--mode", "http", "-p", "http://user:s3cret@localhost"], ["--mode", "http", "--passthrough", "https://user:s3/s3cret@localhost"],
    ])
    func `an error about an option does not repeat the password of a URL`(arguments: [String]) throws {
        for more in [[], ["--redact"]] {
            let run = try UnmaskProcess.run(["proxy"] + more + arguments)
            #expect(run.status == 2 && run.errors.contains("://***@localhost"), "\(run.errors)")
            #expect(!run.errors.contains("s3cret"), "\(run.errors)")
        }
    }

    @Test func `reports about a whole run have the marks, the same ones for both of what is compared`() throws {
        try inFolder { folder in
            func capture(_ name: String, _ password: String) throws -> String {
                let log = folder.appendingPathComponent("\(name).ndjson")
                var text = ""
                let common = #","conversation":1,"time":"2026-01-02T03:04:05.000000000Z""#
                text += #"{"kind":"capture","version":1,"tool":"unmask 0.1.0","source":{"type":"live"}}"# + "\n"
                text +=
                    #"{"kind":"opened"\#(common),"client":{"address":"10.0.0.1","port":1},"server":{"address":"10.0.0.2","port":80},"transport":"tcp","start":"handshake","roles":"handshake"}"#
                    + "\n"
                text +=
                    #"{"kind":"request"\#(common),"from":"client","offset":0,"exchange":1,"method":"GET","target":"/?token=abc123","version":"HTTP/1.1","#
                    + #""headers":[["Host","ana:\#(password)@a.example"],["Content-Length","password=\#(password)"]]}"# + "\n"
                text +=
                    #"{"kind":"finding"\#(common),"from":"client","severity":"violation","id":"http.content-length-invalid","detail":"password=\#(password)"}"#
                    + "\n"
                try text.write(to: log, atomically: true, encoding: .utf8)
                return log.path
            }
            let (one, same, other) = (try capture("one", "hunter2"), try capture("same", "hunter2"), try capture("other", "hunter3"))
            for command in [["check"], ["check", "--format", "json"], ["stats"], ["stats", "--format", "json"]] {
                let plain = try UnmaskProcess.run(command + [one])
                let hidden = try UnmaskProcess.run(command + ["--redact", one])
                #expect(plain.text.contains("hunter2"), "\(command) \(plain.text) \(plain.errors)")
                #expect(!hidden.text.contains("hunter2") && hidden.text.contains("⟨redacted:"), "\(command) \(hidden.text)")
            }
            #expect(try UnmaskProcess.run(["diff", "--redact", one, same]).status == 0)
            let differs = try UnmaskProcess.run(["diff", "--redact", one, other])
            #expect(differs.status == 1 && !differs.text.contains("hunter") && differs.text.contains("⟨redacted:"), "\(differs.text)")
            #expect(try UnmaskProcess.run(["check", "--redact", "--write-baseline", folder.path + "/b.json", one]).status != 0)
        }
    }

    /// A message on raw TCP, as a log has it.
    private static func message(_ side: String, _ framing: String, _ text: String) throws -> String {
        let content = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        let common = #""conversation":1,"time":"2026-01-02T03:04:05.000000000Z","from":"\#(side)","offset":0"#
        let count = text.utf8.count
        return #"{"kind":"message",\#(common),"length":\#(count),"wireLength":\#(count),"framing":\#(framing),"text":\#(content)}"#
    }

    @Test func `replies of a redacted conversation with Redis name their commands in every output`() throws {
        try inFolder { folder in
            let redis = #"{"by":"protocol","protocol":"redis"}"#
            let value = #"{"password":"hunter2"}"#
            let lines = [
                #"{"kind":"capture","version":1,"tool":"unmask 0.1.0","source":{"type":"live"}}"#,
                #"{"kind":"opened","conversation":1,"time":"2026-01-02T03:04:05.000000000Z","client":{"address":"10.0.0.1","port":1},"server":{"address":"10.0.0.2","port":6379},"transport":"tcp","start":"handshake","roles":"handshake"}"#,
                try Self.message("client", redis, "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$\(value.utf8.count)\r\n\(value)\r\n"),
                try Self.message("client", redis, "*2\r\n$4\r\nLLEN\r\n$1\r\nn\r\n"), try Self.message("server", redis, "+OK\r\n"),
                try Self.message("server", redis, ":7\r\n"),
            ]
            let log = folder.appendingPathComponent("in.ndjson")
            try (lines.joined(separator: "\n") + "\n").write(to: log, atomically: true, encoding: .utf8)
            let left = folder.appendingPathComponent("left.ndjson")
            // Of what was left, read once more, the same is said.
            for (path, options) in [(log.path, ["--redact", "--log", left.path]), (left.path, [])] {
                let shown = try UnmaskProcess.run(["read", path] + options).text
                #expect(shown.contains("of SET") && shown.contains("integer 7, of LLEN"), "\(shown)")
                #expect(!shown.contains("not readable") && !shown.contains("hunter2") && shown.contains("⟨redacted:"), "\(shown)")
            }
            let table = try UnmaskProcess.run(["read", "--redact", "--format", "csv", log.path]).text
            #expect(!table.contains("hunter2") && table.contains("⟨redacted:"), "\(table)")
        }
    }

    @Test(arguments: [
        (["--redact-json", "type"], "begins with $"), (["--redact-pattern", "("], "parenthesis"),
        (["--redact-header", "a:"], "without the colon"),
    ])
    func `what cannot be looked for is told`(_ options: [String], _ words: String) throws {
        let outcome = try UnmaskProcess.run(["read", Self.capture] + options)
        #expect(outcome.status != 0 && outcome.errors.contains(words), "\(outcome.errors)")
    }
}
