import Foundation
import Support
import Testing

/// Ordinary WebSocket traffic that tshark 4.0 misreads, and what we read in it, each by the built program.
@Suite struct TsharkMisreadsTests {
    /// tshark: decompression fails from the second client message on.
    @Test func theServerAloneGivesUpItsContext() throws {
        let records = try Records("fixtures/deflate-server-no-context-takeover/capture.pcap")
        let words = ["first", "second", "third"]
        #expect(records.texts(from: "client") == words.map { "{\"type\":\"text\",\"text\":\"the \($0) of three\"}" })
        #expect(records.texts(from: "server") == words.map { "{\"type\":\"ack\",\"of\":\"the \($0) of three\"}" })
        let compression = records.all("upgrade").first?["compression"] as? [String: Any]
        #expect(compression?["clientTakeover"] as? Bool == true)
        #expect(compression?["serverTakeover"] as? Bool == false)
        #expect(records.findings == [])
    }

    /// The same between real programs.
    @Test func theServerAloneGivesUpItsContextAsRecorded() throws {
        let records = try Records("fixtures/websockets-deflate-server-no-takeover/capture.pcapng")
        let messages = records.all("message")
        #expect(messages.count > 2)
        #expect(messages.contains { $0["compressed"] as? Bool == true })
        #expect(messages.allSatisfy { $0["text"] != nil || $0["opcode"] as? String == "binary" })
        #expect(records.all("gap").isEmpty)
        #expect(records.findings == [])
    }

    /// tshark: nothing of them is inflated.
    @Test func compressedMessagesInFragments() throws {
        let records = try Records("fixtures/deflate-fragmented/capture.pcap")
        let news = "all the news that fits, "
        let end = String(repeating: "the end of a block ", count: 10)
        #expect(
            records.texts(from: "client") == [String(repeating: news, count: 20), "not compressed", String(repeating: news, count: 30)])
        #expect(records.texts(from: "server") == [end, end, ""])
        let fragments = records.all("message").filter { $0["from"] as? String == "client" }.map { $0["fragments"] as? Int }
        #expect(fragments == [4, 1, 2])
        #expect(records.findings == [])
    }

    /// tshark: merged into one message, because it tells directions by address.
    @Test func bothSidesFragmentOnOneAddress() throws {
        let records = try Records("fixtures/fragments-both-ways/capture.pcap")
        #expect(records.texts(from: "client") == ["from the client: grüße"])
        #expect(records.texts(from: "server") == ["from the server: 👋"])
        #expect(records.all("ping").map { $0["text"] as? String } == ["in between"])
        #expect(records.findings == [])
    }

    /// tshark, by its default settings: the messages are lost.
    @Test func segmentsOutOfOrder() throws {
        let plain = try Records("fixtures/out-of-order/capture.pcap")
        #expect(plain.texts(from: "client") == ["a message that goes through two segments, the last of them first", "sent in one"])
        #expect(
            plain.texts(from: "server") == [
                "another one, cut within its header's length and its payload, …", "one", "two", "three",
                "four, and long enough to need a second segment",
            ])
        let deflated = try Records("fixtures/out-of-order-deflate/capture.pcap")
        #expect(
            deflated.texts(from: "client")
                == ["one two three four five", "six seven three four five"].map {
                    "{\"type\":\"text\",\"text\":\"\($0)\"}"
                })
        #expect(deflated.all("message").allSatisfy { $0["compressed"] as? Bool == true })
        for records in [plain, deflated] {
            #expect(records.all("gap").isEmpty)
            #expect(records.findings == [])
        }
    }

    /// tshark: cut at 256 KiB, and nothing says so.
    @Test func aMaskedTextOver256KiB() throws {
        try withCapture(of: "fixtures/masked-text-over-256k/talk.wire") { capture in
            let records = try Records(capture)
            #expect(records.texts(from: "client") == [String(repeating: "0123456789", count: 30_000)])
            #expect(records.all("message").allSatisfy { $0["truncated"] == nil })
        }
    }

    /// tshark: nothing is decoded.
    @Test(arguments: ["midstream/capture.pcap", "websocket-midstream/capture.pcapng", "midstream-deflate/capture.pcap"])
    func aCaptureThatBeginsInTheMiddle(name: String) throws {
        let records = try Records("fixtures/\(name)")
        #expect(records.all("opened").allSatisfy { $0["start"] as? String == "midstream" })
        #expect(records.all("message").contains { $0["text"] as? String != nil })
        #expect(records.all("close").count == 2)
        #expect(records.all("finding").allSatisfy { $0["severity"] as? String == "note" })
    }

    /// The same, where every message refers to compressed ones before the capture: none is shown as text, all else is read.
    @Test func aCaptureThatBeginsInTheMiddleOfACompressedTalk() throws {
        let records = try Records("fixtures/websocket-midstream-deflate/capture.pcapng")
        #expect(records.all("message").isEmpty)
        #expect(records.all("gap").allSatisfy { $0["cause"] as? String == "undecodable" })
        #expect(records.findings == ["websocket.deflate-context-lost", "websocket.deflate-context-lost"])
        #expect(records.all("ping").map { $0["text"] as? String } == ["hb"])
        #expect(records.all("close").map { $0["code"] as? Int } == [1_001, 1_001])
    }

    /// tshark: nothing is decoded behind a handshake that is cut.
    @Test(arguments: ["handshake-cut-by-snaplen/capture.pcap", "websocket-snaplen-96/capture.pcapng"])
    func aHandshakeCutByTheSnapshotLength(name: String) throws {
        let records = try Records("fixtures/\(name)")
        let whole = records.all("message").filter { $0["truncated"] == nil }
        #expect(whole.count > 1)
        #expect(whole.allSatisfy { $0["text"] != nil || $0["base64"] != nil })
        #expect(records.all("message").filter { $0["truncated"] != nil }.allSatisfy { $0["length"] as? Int ?? 0 > 30 })
        #expect(records.all("gap").contains { $0["cause"] as? String == "truncated" })
    }

    /// tshark: no expert note on any of them.
    @Test(arguments: [
        ("bad-accept", "websocket.accept-wrong"), ("utf8-invalid", "websocket.utf8-invalid"),
        ("mask-wrong-direction", "websocket.mask-missing"), ("mask-wrong-direction", "websocket.mask-unexpected"),
        ("reserved-bits-and-opcodes", "websocket.rsv-unexpected"), ("control-frames-too-long", "websocket.control-too-long"),
        ("length-not-minimal", "websocket.length-not-minimal"), ("close-codes-reserved", "websocket.close-code-reserved"),
        ("close-of-one-byte", "websocket.close-payload-one-byte"),
    ])
    func aBrokenRuleIsFound(fixture: String, finding: String) throws {
        let records = try Records("fixtures/\(fixture)/capture.pcap")
        #expect(records.findings.contains(finding))
        let found = records.all("finding").filter { $0["id"] as? String == finding }
        #expect(found.allSatisfy { $0["severity"] as? String == "violation" && $0["reference"] != nil && $0["packets"] != nil })
        // The talk goes on behind it.
        #expect(!records.all("close").isEmpty)
    }

    /// tshark -T json: one object with a key for each message, so that a parser keeps the last.
    @Test func severalMessagesInAPacket() throws {
        let path = "fixtures/several-messages-in-a-packet/capture.pcap"
        let records = try Records(path)
        #expect(records.texts(from: "server") == ["0: with the handshake", "1"])
        let client = records.all("message").filter { $0["from"] as? String == "client" }
        #expect(client.map { $0["text"] as? String } == ["2", "3", "5", "6, and its end", "", "9"])
        #expect(Set(client.compactMap { $0["offset"] as? Int }).count == 6)
        #expect(client.allSatisfy { $0["packets"] as? [Int] == [8, 8] })
        let array = try UnmaskProcess.run(["read", "--format", "json", path])
        let parsed = try JSONSerialization.jsonObject(with: array.output) as? [[String: Any]]
        #expect(parsed?.count == records.records.count)
    }

    /// tshark: 372 MiB.
    @Test func aFrameThatInflatesToTwoHundredMegabytes() throws {
        try withCapture(of: "fixtures/deflate-bomb/talk.wire") { capture in
            let measured = try run(
                "import resource, subprocess, sys; subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], 'wb'), check=True); "
                    + "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
                capture + ".ndjson", UnmaskProcess.executable.path, "read", "--format", "ndjson", capture)
            #if os(Linux)
            let peakKiB = try #require(Int(measured.trimmingCharacters(in: .whitespacesAndNewlines)))
            #expect(peakKiB <= 64 << 10)
            #endif
            let records = try Records(data: Data(contentsOf: URL(fileURLWithPath: capture + ".ndjson")))
            let bomb = try #require(records.all("message").first)
            #expect(bomb["length"] as? Int == 210_000_000)
            #expect(bomb["truncated"] as? Bool == true)
            #expect((bomb["text"] as? String)?.utf8.count == 1 << 20)
            // The context goes on behind it.
            #expect(records.texts(from: "server") == ["{\"error\":\"too big\"}"])
            #expect(records.all("close").first?["code"] as? Int == 1_009)
        }
    }

    // MARK: - Running

    /// The records that the program prints.
    private struct Records {
        let records: [[String: Any]]

        /// - Parameter capture: from the project's folder, or absolute.
        init(_ capture: String) throws {
            let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", capture])
            #expect(outcome.status == 0, "\(outcome.errors)")
            try self.init(data: outcome.output)
        }

        init(data: Data) throws {
            records = try data.split(separator: UInt8(ascii: "\n")).map { line in
                try #require(JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            }
        }

        func all(_ kind: String) -> [[String: Any]] { records.filter { $0["kind"] as? String == kind } }

        /// The text messages of one side, in order; those that are no text as nil.
        func texts(from side: String) -> [String?] {
            all("message").filter { $0["from"] as? String == side }.map { $0["text"] as? String }
        }

        var findings: [String] { all("finding").compactMap { $0["id"] as? String } }
    }

    /// Makes the capture of a wire text that is too big to be kept beside it.
    private func withCapture(of wire: String, _ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let capture = folder.appendingPathComponent("talk.pcap").path
        _ = try run(
            "import runpy, sys; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')",
            UnmaskProcess.project.appendingPathComponent("scripts/wiretext.py").path,
            UnmaskProcess.project.appendingPathComponent(wire).path, capture)
        try body(capture)
    }

    /// Runs a Python program; returns what it prints.
    private func run(_ program: String, _ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: output, as: UTF8.self)
    }
}
