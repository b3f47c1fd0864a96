import Foundation
import Support
import Testing

/// `--har` writes an HTTP archive, and `unmask read` reads one.
@Suite struct ArchiveTests {
    private static let capture = GoldenTests.capture("chromium-websocket")

    private static func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private static func entries(_ file: URL) throws -> [[String: Any]] {
        let archive = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let log = try #require(archive["log"] as? [String: Any])
        #expect(log["version"] as? String == "1.2")
        return try #require(log["entries"] as? [[String: Any]])
    }

    /// The messages of a log, without what an archive does not know.
    private static func messages(_ lines: [String]) throws -> Set<String> {
        var found: Set<String> = []
        for line in lines where line.contains(#""kind":"message""#) {
            let record = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let parts = ["time", "from", "opcode", "text", "base64"].map { "\(record[$0] ?? "")" }
            found.insert(parts.joined(separator: " "))
        }
        return found
    }

    @Test func `an archive of a capture has its exchanges, and is read back with the same messages`() throws {
        try Self.inFolder { folder in
            let file = folder.appendingPathComponent("talk.har")
            let shown = try UnmaskProcess.run(["read", "--format", "ndjson", "--har", file.path, Self.capture])
            #expect(shown.status == 0 && shown.errors.isEmpty, "\(shown.errors)")
            let entries = try Self.entries(file)
            #expect(entries.count == 5)
            let sockets = entries.filter { $0["_resourceType"] as? String == "websocket" }
            #expect(sockets.allSatisfy { ($0["_webSocketMessages"] as? [Any])?.count == 9 })
            let again = try UnmaskProcess.run(["read", "--format", "ndjson", file.path])
            #expect(again.status == 0 && again.errors.isEmpty, "\(again.errors)")
            let expected = try Self.messages(shown.lines)
            #expect(expected.count == 18)
            #expect(try Self.messages(again.lines) == expected)
            let text = try UnmaskProcess.run(["read", file.path]).text
            #expect(text.contains("GET /room/7 HTTP/1.1") && text.contains("5 conversations"), "\(text)")
        }
    }

    @Test(arguments: [true, false]) func `an archive has the exchanges that the filters pick, whole`(isPipe: Bool) throws {
        let capture = UnmaskProcess.project.appendingPathComponent(Self.capture)
        let input = isPipe ? try Data(contentsOf: capture) : Data()
        func picked(_ options: [String]) throws -> [[String: Any]] {
            var found: [[String: Any]] = []
            try Self.inFolder { folder in
                let file = folder.appendingPathComponent("talk.har")
                let outcome = try UnmaskProcess.run(
                    ["read", "--format", "ndjson", "--har", file.path, isPipe ? "-" : capture.path] + options, input: input)
                #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
                found = try Self.entries(file)
            }
            return found
        }
        func paths(_ entries: [[String: Any]]) -> [String] {
            entries.compactMap { URL(string: ($0["request"] as? [String: Any])?["url"] as? String ?? "")?.path }
        }
        let all = try picked([])
        #expect(all.count == 5)
        // A hit in one message brings all of them.
        let words = try picked(["--grep", "grüß"])
        let sockets = words.filter { $0["_resourceType"] as? String == "websocket" }
        // The page has it in its script.
        #expect(words.count == 3 && sockets.count == 2 && sockets.allSatisfy { ($0["_webSocketMessages"] as? [Any])?.count == 9 })
        #expect(try Set(paths(picked(["--path", "/room/*"]))) == Set(paths(all).filter { $0.hasPrefix("/room/") }))
        #expect(
            try picked(["-Y", "http.response.code == 200"]).count
                == all.count { ($0["response"] as? [String: Any])?["status"] as? Int == 200 })
        #expect(try picked(["-Y", "http.response.code == 599"]).isEmpty)
        #expect(try picked(["--grep", "grüß", "--whole"]).count >= 2)
        // A filter of its own goes before that of what is shown.
        #expect(try picked(["--grep", "nothing-of-it", "--log-filter", "websocket.opcode == 1"]).count == 2)
    }

    @Test func `an archive that is cut off is read as far as it goes`() throws {
        try Self.inFolder { folder in
            let file = folder.appendingPathComponent("talk.har")
            let written = try UnmaskProcess.run(["read", "--har", file.path, Self.capture])
            #expect(written.status == 0 && written.errors.isEmpty, "\(written.status): \(written.errors)")
            let whole = try Data(contentsOf: file)
            try whole.prefix(whole.count - 700).write(to: file)
            let outcome = try UnmaskProcess.run(["read", file.path])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("the archive ends within or before entry"), "\(outcome.errors)")
            #expect(outcome.text.contains("GET / HTTP/1.1"), "\(outcome.text)")
        }
    }

    @Test func `entries that are none are told, and the others are read`() throws {
        let good =
            #"{"request":{"method":"GET","url":"http://a.example/x","headers":[]},"response":{"status":200,"headers":[],"statusText":"OK"}}"#
        let input = "{ \"log\" :\n{\"creator\":{\"name\":\"\\\"entries\\\":[\"},\n\"entries\": [ {}, \(good),\n\(good) ] } }"
        let outcome = try UnmaskProcess.run(["read", "-"], input: Data(input.utf8))
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("entry 1 of the archive cannot be read: it has no request or no response"), "\(outcome.errors)")
        #expect(outcome.text.contains("2 conversations"), "\(outcome.text)")
    }

    @Test(arguments: [
        #"{"version":"1","log":"#, #"{"comment":"\"log\":{","x":{"log":{"a":[]}},"n":[1,{"log":{}}],"log" : "#,
        "\u{20}\n{ \"_log\":null, \"log\":",
    ]) func `an archive need not begin with its log`(_ beginning: String) throws {
        let entry =
            #"{"request":{"method":"GET","url":"http://a.example/x","headers":[]},"response":{"status":200,"headers":[],"statusText":"OK"}}"#
        let outcome = try UnmaskProcess.run(["read", "-"], input: Data("\(beginning){\"entries\":[\(entry)]}}".utf8))
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.text.contains("GET /x") && outcome.text.contains("200"), "\(outcome.text)")
    }

    @Test(arguments: GoldenTests.names) func `an archive that is read and written again has the same entries`(name: String) throws {
        try Self.inFolder { folder in
            let (first, second) = (folder.appendingPathComponent("a.har"), folder.appendingPathComponent("b.har"))
            _ = try UnmaskProcess.run(["read", "--stats", "--har", first.path, GoldenTests.capture(name)])
            let entries = try Self.entries(first)
            // What has no URL of HTTP cannot be told again.
            guard !entries.isEmpty else { return }
            _ = try UnmaskProcess.run(["read", "--stats", "--har", second.path, first.path])
            let again = try Self.entries(second)
            func told(_ entries: [[String: Any]]) -> [String] {
                entries.map { entry in
                    let (request, response) = (entry["request"] as? [String: Any] ?? [:], entry["response"] as? [String: Any] ?? [:])
                    let messages = (entry["_webSocketMessages"] as? [[String: Any]])?.map { "\($0["type"] ?? "") \($0["data"] ?? "")" }
                    return "\(request["method"] ?? "") \(request["url"] ?? "") \(response["status"] ?? "") \(messages ?? [])"
                }
            }
            #expect(told(again) == told(entries))
        }
    }

    @Test func `an archive is not appended to`() throws {
        let outcome = try UnmaskProcess.run(["read", "--har", "/nowhere/x.har", "--append", Self.capture])
        #expect(outcome.status == 2 || outcome.status == 64)
        #expect(outcome.errors.contains("is one HTTP archive"), "\(outcome.errors)")
    }

    @Test func `Chromium's developer tools import an archive of ours`() throws {
        guard ["chromium", "chromium-browser", "google-chrome"].contains(where: PeerProgram.has), PeerProgram.hasPython("websockets") else {
            return print("skipped: Chromium's import of an archive: chromium or Python's websockets is missing")
        }
        try Self.inFolder { folder in
            let file = folder.appendingPathComponent("talk.har")
            _ = try UnmaskProcess.run(["read", "--stats", "--har", file.path, Self.capture])
            let packages = UnmaskProcess.project.appendingPathComponent(".build/peers").path
            let script = UnmaskProcess.project.appendingPathComponent("Tests/Peers/har_import.py").path
            let imported = try UnmaskProcess.run(
                ["python3", script, file.path], environment: ["PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1"],
                through: "/usr/bin/env")
            if imported.text.hasPrefix("absent: ") { return print("skipped: Chromium's import of an archive: \(imported.text)") }
            let requests = try JSONSerialization.jsonObject(with: imported.output) as? [[String: Any]] ?? []
            let entries = try Self.entries(file)
            #expect(requests.count == entries.count, "\(imported.text) \(imported.errors)")
            // They are sorted by time there.
            let seen = requests.map { request in
                let frames = (request["frames"] as? [[String: Any]] ?? []).map { "\($0["type"] ?? "") \($0["text"] ?? "")" }
                return "\(request["url"] ?? "") \(request["status"] ?? "") \(frames)"
            }
            let written = entries.map { entry in
                let messages = (entry["_webSocketMessages"] as? [[String: Any]] ?? []).map { "\($0["type"] ?? "") \($0["data"] ?? "")" }
                let (request, response) = (entry["request"] as? [String: Any], entry["response"] as? [String: Any])
                return "\(request?["url"] ?? "") \(response?["status"] ?? "") \(messages)"
            }
            #expect(seen.sorted() == written.sorted())
            #expect(requests.contains { ($0["frames"] as? [Any])?.count == 9 && $0["type"] as? String == "websocket" })
        }
    }

    private static let good =
        #"{"request":{"method":"GET","url":"http://a.example/x","headers":[]},"response":{"status":200,"headers":[],"statusText":"OK"}}"#

    /// What is wrong with an archive, and how many conversations are read of it all the same.
    @Test(arguments: [
        (#"{"log":{"entries":[null,GOOD]}}"#, "entry 1 of the archive is no object, and is left out", 1),
        (#"{"log":{"entries":[1,"}{,x",[{}],GOOD]}}"#, "entry 3 of the archive is no object, and is left out", 1),
        (#"{"log":{"entries":[GOOD]}}garbage{"#, "what follows the end of the archive is none, and is left out", 1),
        (#"{"log":{"entries":[GOOD],"comment":"cut"#, "the archive ends after its entries, before its own end", 1),
        (#"{"log":{"version":"1.2"}}"#, "the archive has no list of entries", 0),
        (#"{"log":{"entries":[]}}"#, "", 0),
        (#"{"log":{"entries":[GOOD]},"more":[1]}"#, "", 1),
        (#"{"log":{"entries":[GOOD],"entries":[GOOD, GOOD]}}"#, "", 3),
        ("{\"log\":{\"entries\":[GOOD]}}\n\u{FEFF}{\"log\":{\"pages\":[{}],\"entries\":[GOOD]}}\n", "", 2),
        (#"{"log":{"entries":[GOOD]}}{"log":{"version":"1.2"}}{"log":{"entries":[GOOD]}}"#, "the archive has no list of entries", 2),
        (
            #"{"log":{"entries":[{"request":{"url":"ws://a/"},"response":{"status":101},"_webSocketMessages":[7]},GOOD]}}"#,
            "entry 1 of the archive is not read whole: 1 of its messages is not an object", 2
        ),
    ])
    func `what cannot be read of an archive is told, and all else is read`(archive: String, problem: String, conversations: Int) throws {
        let input = archive.replacingOccurrences(of: "GOOD", with: Self.good)
        let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", "-"], input: Data(input.utf8))
        #expect(outcome.status == (problem.isEmpty ? 0 : 1), "\(outcome.errors)")
        #expect(problem.isEmpty ? outcome.errors.isEmpty : outcome.errors.contains(problem), "\(outcome.errors)")
        #expect(outcome.lines.count { $0.contains(#""kind":"opened""#) } == conversations)
    }

    @Test func `an archive of nothing is valid`() throws {
        try Self.inFolder { folder in
            let input = folder.appendingPathComponent("empty.pcap")
            for bytes in [Data(), Data(PacketBuilder.pcap([]))] {
                try bytes.write(to: input)
                let file = folder.appendingPathComponent("talk.har")
                _ = try UnmaskProcess.run(["read", "--har", file.path, input.path])
                #expect(try Self.entries(file).isEmpty)
                try FileManager.default.removeItem(at: file)
            }
        }
    }

    @Test func `the messages of an archive are counted`() throws {
        let message = #"{"type":"send","time":1700000000,"opcode":1,"data":"hello"}"#
        let entry = #"{"request":{"url":"ws://a.example:81/"},"response":{"status":101},"_webSocketMessages":[\#(message),\#(message)]}"#
        let input = #"{"log":{"entries":[\#(entry)]}}"#
        let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", "-"], input: Data(input.utf8))
        let closed = try #require(outcome.lines.first { $0.contains(#""kind":"closed""#) })
        #expect(closed.contains(#""client":{"bytes":10,"messages":2,"frames":2,"missing":0}"#), "\(closed)")
        #expect(outcome.lines.last?.contains(#""messages":2"#) == true, "\(outcome.lines.last ?? "")")
        let text = try UnmaskProcess.run(["read", "-"], input: Data(input.utf8)).text
        #expect(text.contains("a.example:81"), "\(text)")
    }

    @Test func `an entry of a great many messages takes no more memory than one of few`() throws {
        let entries = (
            count: 300_000, open: #"{"log":{"entries":[{"request":{"url":"ws://a/"},"response":{"status":101},"_webSocketMessages":["#
        )
        var input = Data(entries.open.utf8)
        for _ in 0..<entries.count { input.append(contentsOf: Array("{},".utf8)) }
        input.append(contentsOf: Array("{}]}]}}".utf8))
        guard let peak = try UnmaskProcess.peakMemory(of: ["read", "--format", "ndjson", "--memory", "16M"], reading: input) else {
            print("skipped: what an entry of many messages cost (this system does not tell the memory of a process)")
            return
        }
        print("an entry of 300,000 messages cost \(peak.bytes >> 20) MiB")
        #expect(peak.bytes < 48 << 20)
        #expect(peak.lines == 300_001 + 7)
    }
}
