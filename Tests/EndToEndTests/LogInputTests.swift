import Foundation
import Support
import Testing

/// `unmask read` takes a log that it wrote, as an input like a capture.
@Suite struct LogInputTests {
    private static let captures = GoldenTests.names.map(GoldenTests.capture)

    private static func read(_ arguments: [String], _ input: Data = Data()) throws -> UnmaskProcess.Outcome {
        try UnmaskProcess.run(["read"] + arguments, input: input)
    }

    /// Every kind of record that the fixtures have, which is every kind that there is.
    @Test(arguments: ["ndjson", "json"]) func `a log of all fixtures gives the same records again`(form: String) throws {
        let written = try Self.read(["--format", form, "--frames"] + Self.captures)
        let again = try Self.read(["--format", form, "--frames", "-"], written.output)
        #expect(written.output.count > 100_000)
        #expect(again.output == written.output)
        #expect(again.status == 0 && again.errors.isEmpty, "\(again.errors)")
    }

    @Test func `and the same text, also where the log is compressed`() throws {
        let log = try Self.read(["--format", "ndjson", "--frames"] + Self.captures).output
        let compressed = try UnmaskProcess.run(["-c"], input: log, through: "/usr/bin/gzip").output
        let text = try Self.read(Self.captures)
        for input in [log, compressed] { #expect(try Self.read(["-"], input).output == text.output) }
    }

    /// Some programs write it before any text.
    @Test func `a byte order mark before a log or an archive is passed over`() throws {
        let archive = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: archive) }
        let log = try Self.read(["--format", "ndjson", GoldenTests.capture("chromium-websocket"), "--har", archive.path]).output
        for plain in [log, try Data(contentsOf: archive)] {
            let marked = try Self.read(["-"], Data([0xef, 0xbb, 0xbf]) + plain)
            #expect(marked.output == (try Self.read(["-"], plain).output), "\(marked.errors)")
            #expect(marked.status == 0 && marked.errors.isEmpty)
        }
    }

    @Test func `a part of a log is enough, and its numbers can be chosen`() throws {
        let log = try Self.read(["--format", "ndjson"] + Self.captures)
        let third = log.lines.filter { $0.contains("\"conversation\":3,") }.joined(separator: "\n")
        let text = try Self.read(["--follow", "-"], Data(third.utf8))
        #expect(text.status == 0 && text.lines.count > 4, "\(text.text)")
        #expect(text.lines.dropFirst().dropLast().allSatisfy { $0.contains(" 3 ") }, "\(text.text)")
        let chosen = try Self.read(["--format", "ndjson", "--conversation", "3", "-"], log.output)
        #expect(
            chosen.lines.dropFirst().dropLast().filter { $0.contains("\"conversation\":") } == third.split(separator: "\n").map(String.init)
        )
    }

    @Test func `a log beside captures is numbered on`() throws {
        let captures = ["chromium-websocket", "midstream"].map(GoldenTests.capture)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let logs = try captures.enumerated().map { index, capture in
            let file = folder.appendingPathComponent("\(index).ndjson")
            try Self.read(["--format", "ndjson", capture]).output.write(to: file)
            return file.path
        }
        func rest(_ inputs: [String]) throws -> [String] {
            try Self.read(["--format", "ndjson"] + inputs).lines.filter { !$0.hasPrefix("{\"kind\":\"capture\"") }.sorted()
        }
        let plain = try rest(captures)
        for inputs in [[captures[0], logs[1]], [logs[0], captures[1]], logs] { #expect(try rest(inputs) == plain, "\(inputs)") }
    }

    @Test func `rotated logs give the records of the whole one, and another order is said`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let whole = try Self.read(["--format", "ndjson"] + ["chromium-websocket", "bodies-and-messages"].map(GoldenTests.capture)).lines
        let capture = try #require(whole.last { $0.hasPrefix("{\"kind\":\"capture\"") })
        let begins = String(capture.dropLast()) + ",\"continued\":true}"
        let third = whole.count / 3
        let parts = [Array(whole[..<third]), [begins] + whole[third..<2 * third], [begins] + whole[(2 * third)...]]
        // The source of the last part is that of all of them, as it is for a proxy.
        let first = parts[0].map { $0.hasPrefix("{\"kind\":\"capture\"") ? capture : $0 }
        let paths = try ([first] + parts[1...]).enumerated().map { index, lines in
            let file = folder.appendingPathComponent("\(index).ndjson")
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
            return file.path
        }
        let again = try Self.read(["--format", "ndjson"] + paths)
        let records = { (lines: [String]) in lines.filter { !$0.hasPrefix("{\"kind\":\"capture\"") } }
        #expect(records(again.lines) == records(whole) && again.errors.isEmpty, "\(again.errors)")
        let reversed = try Self.read(["--format", "ndjson"] + [paths[2], paths[0]])
        #expect(reversed.errors.contains("0.ndjson: the log goes on in a file that was read before it; name the oldest file first"))
    }

    @Test func `lines that are no records are told with their number, and the rest is read`() throws {
        let good = #"{"kind":"gap","conversation":1,"length":5,"cause":"missing"}"#
        let input = [
            good, "{\"a\":", #"{"kind":"gap","length":5}"#, #"{"kind":"later"}"#, #"{"kind":"gap","length":5,"cause":"why"}"#, good,
        ]
        let outcome = try Self.read(["--format", "ndjson", "-"], Data((input.joined(separator: "\n") + "\n").utf8))
        #expect(outcome.status == 1)
        #expect(outcome.lines.filter { $0.contains("\"kind\":\"gap\"") } == [good, good])
        #expect(outcome.errors.contains("at byte 61: line 2 is not a record: it is not valid JSON at its byte 5"), "\(outcome.errors)")
        #expect(outcome.errors.contains("line 3 is not a record: it has no \"cause\""))
        #expect(outcome.errors.contains("line 5 is not a record: its \"cause\" is \"why\", which is not a word of this format"))
        #expect(outcome.errors.contains("1 record of the kind \"later\", which this version does not know, left out"))
    }

    @Test func `an array that was not closed is read like one that was, and half a record at its end is told`() throws {
        let array = try Self.read(["--format", "json", Self.captures[0]]).output
        let whole = try Self.read(["--format", "ndjson", "-"], array)
        #expect(whole.status == 0 && whole.lines.count > 3)
        // What a kill leaves: `\n]\n` is missing, or a part of it.
        for count in 1...3 {
            let read = try Self.read(["--format", "ndjson", "-"], array.dropLast(count))
            #expect(read.output == whole.output && read.status == 0 && read.errors.isEmpty, "\(count): \(read.errors)")
        }
        let half = try Self.read(["--format", "ndjson", "-"], array.dropLast(20))
        #expect(half.status == 1 && half.errors.contains("is cut off; the records before it are complete"), "\(half.errors)")
        #expect(half.lines.dropLast() == whole.lines.dropLast())
    }

    @Test(arguments: ["ndjson", "text"]) func `standard output that goes to an input is refused`(form: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = folder.appendingPathComponent("log.ndjson")
        let content = try Self.read(["--format", "ndjson", Self.captures[0]]).output
        try content.write(to: log)
        try FileManager.default.createSymbolicLink(at: folder.appendingPathComponent("link"), withDestinationURL: log)
        let command = { (input: String, more: String) in
            try UnmaskProcess.run(
                ["-c", "\"$0\" read \(input) --format \(form) \(more) >> log.ndjson", UnmaskProcess.executable.path], folder: folder,
                through: "/bin/sh")
        }
        for input in ["log.ndjson", "link", "./log.ndjson", "- < log.ndjson"] {
            let outcome = try command(input, "")
            #expect(outcome.status == 1)
            #expect(
                outcome.errors
                    == "unmask: standard output: it goes to a file that is read; writing to it would destroy it. Name another file\n",
                "\(outcome.errors)")
            #expect(try Data(contentsOf: log) == content)
        }
        let named = try UnmaskProcess.run(["read", log.path, "--append", "--log", log.path])
        #expect(named.status == 1 && named.errors.contains("this file is read"), "\(named.errors)")
        #expect(try Data(contentsOf: log) == content)
    }

    @Test func `a log that is the file that standard output goes to is refused, but for the descriptor itself`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let capture = UnmaskProcess.project.appendingPathComponent(Self.captures[0]).path
        let command = { (log: String) in
            try UnmaskProcess.run(
                ["-c", "\"$0\" read --log \(log) \(capture) > out", UnmaskProcess.executable.path], folder: folder,
                through: "/bin/sh")
        }
        let named = try command("out")
        #expect(named.status == 1 && named.errors.contains("the file is in use"), "\(named.errors)")
        #expect(try Data(contentsOf: folder.appendingPathComponent("out")).isEmpty)
        #expect(try command("/dev/fd/1").status == 0)
    }

    @Test func `a log that was cut says so, and gives what is complete`() throws {
        let log = try Self.read(["--format", "ndjson", GoldenTests.capture("chromium-websocket")])
        let cut = log.output.prefix(log.output.count - 10)
        let outcome = try Self.read(["--format", "ndjson", "-"], Data(cut))
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("is cut off; the records before it are complete"), "\(outcome.errors)")
        #expect(outcome.lines.dropLast() == log.lines.dropLast())
    }

    @Test func `a finding of a later version keeps its id and its words`() throws {
        let record = #"{"kind":"finding","conversation":1,"id":"smtp.odd","severity":"warning","detail":"very odd"}"#
        let outcome = try Self.read(["-"], Data(record.utf8))
        #expect(outcome.text.contains("log.finding-unknown"), "\(outcome.text)")
        #expect(outcome.text.contains("the log has a finding that this version does not know: smtp.odd (warning): very odd"))
    }

    @Test func `a filter of packets cannot choose from a log`() throws {
        let outcome = try Self.read(["-f", "tcp", "-"], Data("{\"kind\":\"end\"}\n".utf8))
        #expect(outcome.status == 2 && outcome.errors.contains("choose conversations with --conversation"), "\(outcome.errors)")
    }
}
