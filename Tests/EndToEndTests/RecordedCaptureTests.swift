import CaptureFiles
import Dissection
import Foundation
import Support
import Testing

/// `unmask read -w`: packets of what was picked, as they were captured, in a file that others read.
@Suite struct RecordedCaptureTests {
    private static func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    /// Each packet of a capture, with all that is known of it.
    private static func packets(_ path: String) throws -> [String] {
        var reader = try CaptureReader(path: path.hasPrefix("/") ? path : UnmaskProcess.project.appendingPathComponent(path).path)
        var packets: [String] = []
        while true {
            do throws(CaptureFileError) {
                guard let item = try reader.next() else { break }
                guard case .packet(let packet) = item else { continue }
                var bytes: [UInt8] = []
                bytes.append(copying: packet.bytes)
                let time = packet.time.map { "\($0.nanoseconds)" } ?? "-"
                packets.append("\(time) \(packet.linkType.rawValue) \(packet.originalLength) \(Data(bytes).base64EncodedString())")
            } catch {
                if !error.canGoOn { break }
            }
        }
        return packets
    }

    /// What another program says of a file.
    private static func ask(_ program: String, _ arguments: [String]) throws -> UnmaskProcess.Outcome {
        try UnmaskProcess.run([program] + arguments, through: "/usr/bin/env")
    }

    /// Records without the one that names the input.
    private static func records(_ path: String, _ options: [String] = []) throws -> [String] {
        try UnmaskProcess.run(["read", "--format", "ndjson", path] + options).lines.filter { !$0.contains(#""kind":"capture""#) }
    }

    /// Captures of each kind, for the programs of others, which take a second each.
    private static let various = [
        "chromium-websocket", "handshake-cut-by-snaplen", "ip-fragments", "link-any", "link-bridge", "link-ipv6", "no-tcp",
        "overlap-differs",
        "port-reuse", "sequence-wrap", "tls-keys-inside", "tls-nginx", "websocket-midstream",
    ]

    @Test(arguments: GoldenTests.names) func `without filters every packet is there, and is read the same`(name: String) throws {
        try Self.inFolder { folder in
            let (capture, file) = (GoldenTests.capture(name), folder.appendingPathComponent("out.pcapng").path)
            let told = try Self.records(capture, ["-w", file])
            #expect(try Self.packets(file) == Self.packets(capture))
            #expect(try Self.records(file) == told)
        }
    }

    @Test(arguments: various) func `others read the packets as those of the capture`(name: String) throws {
        guard PeerProgram.has("tshark"), PeerProgram.has("capinfos") else { return print("skipped: tshark or capinfos is missing") }
        try Self.inFolder { folder in
            let (capture, file) = (GoldenTests.capture(name), folder.appendingPathComponent("out.pcapng").path)
            _ = try UnmaskProcess.run(["read", "--stats", "-w", file, capture])
            let fields = [
                "-n", "-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len", "-e", "frame.cap_len", "-e", "frame.protocols",
            ]
            let shown = try Self.ask("tshark", ["-r", file] + fields)
            let original = try Self.ask("tshark", ["-r", capture] + fields)
            #expect(shown.status == original.status && shown.output == original.output, "\(shown.errors)")
            #expect(try Self.ask("capinfos", [file]).status == 0)
        }
    }

    @Test(arguments: [true, false]) func `a filter picks the conversations that its hits are in`(isPipe: Bool) throws {
        try Self.inFolder { folder in
            let capture = UnmaskProcess.project.appendingPathComponent(GoldenTests.capture("chromium-websocket"))
            let file = folder.appendingPathComponent("out.pcapng").path
            let filter = ["-Y", "websocket.opcode == 1", "-w", file]
            let input = isPipe ? try Data(contentsOf: capture) : Data()
            let written = try UnmaskProcess.run(["read", "--format", "ndjson", isPipe ? "-" : capture.path] + filter, input: input)
            #expect(written.status == 0 && written.errors.isEmpty, "\(written.errors)")
            let picked = Set(
                LogRecords(lines: written.lines.map { Data($0.utf8) }).all("message").compactMap { $0["conversation"] as? Int })
            #expect(picked.count == 2)
            // Those of its packets are there, and no others.
            let found = try Self.packets(file)
            let all = try Self.packets(capture.path)
            #expect(found.count < all.count && Set(found).isSubset(of: all) && found.count == Set(found).count)
            if !isPipe { #expect(found == all.filter(Set(found).contains)) }
            let again = try UnmaskProcess.run(["list", "--format", "ndjson", file])
            #expect(again.lines.count == 2)
            guard PeerProgram.has("tshark") else { return print("skipped: what tshark finds in a recording: tshark is missing") }
            let streams = try Self.ask("tshark", ["-r", capture.path, "-Y", "websocket.opcode == 1", "-T", "fields", "-e", "tcp.stream"])
            let wanted = Set(streams.lines).map { "tcp.stream == \($0)" }.joined(separator: " or ")
            let theirs = try Self.ask("tshark", ["-r", capture.path, "-Y", wanted, "-T", "fields", "-e", "frame.number"])
            #expect(theirs.lines.count == found.count)
            #expect(try Self.ask("capinfos", [file]).status == 0)
        }
    }

    @Test func `findings stand on the packets that they name, and are not found twice`() throws {
        try Self.inFolder { folder in
            let (capture, file) = (GoldenTests.capture("mask-wrong-direction"), folder.appendingPathComponent("out.pcapng").path)
            _ = try UnmaskProcess.run(["read", "-w", file, capture])
            let named = try Self.records(capture).compactMap { line -> String? in
                let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                guard let record, record["kind"] as? String == "finding", let packets = record["packets"] as? [Int],
                    let last = packets.last,
                    let id = record["id"] as? String, let severity = record["severity"] as? String
                else { return nil }
                return "\(last) unmask \(severity) \(id): \(record["detail"] ?? "")"
            }
            #expect(!named.isEmpty)
            var reader = try CaptureReader(path: file)
            var comments: [String] = []
            while let item = try reader.next() {
                guard case .comment(let comment) = item, case .packet(let number) = comment.subject else { continue }
                var text: [UInt8] = []
                text.append(copying: comment.text)
                comments.append("\(number) " + String(decoding: text, as: UTF8.self))
            }
            #expect(comments.sorted() == named.sorted())
            // A recording of the recording is the same file.
            let second = folder.appendingPathComponent("second.pcapng")
            _ = try UnmaskProcess.run(["read", "-w", second.path, file])
            #expect(try Data(contentsOf: second) == Data(contentsOf: URL(fileURLWithPath: file)))
            guard PeerProgram.has("tshark") else { return print("skipped: comments as tshark reads them: tshark is missing") }
            let seen = try Self.ask(
                "tshark", ["-r", file, "-Y", "frame.comment contains \"unmask \"", "-T", "fields", "-e", "frame.number"])
            #expect(Set(seen.lines.map { Int($0) ?? 0 }) == Set(comments.compactMap { Int($0.prefix { $0 != " " }) }))
        }
    }

    @Test func `secrets of the capture go with it, unless they are not wanted`() throws {
        try Self.inFolder { folder in
            var encoder = PcapNGEncoder(application: "a test")
            let interface = encoder.addInterface(linkType: .ethernet)
            encoder.addSecrets(.tlsKeyLog, Array("CLIENT_RANDOM 00 11\n".utf8).rawBytes)
            var reader = try CaptureReader(
                path: UnmaskProcess.project.appendingPathComponent("fixtures/close-of-one-byte/capture.pcap").path)
            while let item = try reader.next() {
                if case .packet(let packet) = item { encoder.addPacket(packet.bytes, interface: interface, time: packet.time) }
            }
            let capture = folder.appendingPathComponent("in.pcapng")
            try Data(encoder.buffer).write(to: capture)
            for (options, count) in [([], 1), (["--without-secrets"], 0)] as [([String], Int)] {
                let file = folder.appendingPathComponent("out.pcapng")
                _ = try UnmaskProcess.run(["read", "-w", file.path, capture.path] + options)
                let hasSecrets = try Data(contentsOf: file).firstRange(of: Data("CLIENT_RANDOM".utf8)) != nil
                #expect(hasSecrets == (count == 1))
            }
        }
    }

    @Test func `what is hidden is hidden in comments too`() throws {
        try Self.inFolder { folder in
            let (file, capture) = (folder.appendingPathComponent("out.pcapng"), GoldenTests.capture("bad-accept"))
            let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", "-w", file.path, "--redact-pattern", ".+", capture])
            #expect(outcome.errors.contains("packets cannot be redacted"))
            let recording = try Data(contentsOf: file)
            // With the same mark as everywhere in the run.
            let finding = try #require(outcome.lines.first { $0.contains("websocket.accept-wrong") })
            let mark = try #require(finding.firstMatch(of: /⟨redacted:[0-9a-f]+⟩/)).output
            let comment = "unmask violation websocket.accept-wrong: the Sec-WebSocket-Accept \(mark) does not match the key"
            #expect(recording.firstRange(of: Data(comment.utf8)) != nil)
        }
    }

    @Test(arguments: GoldenTests.names) func `plaintext as packets is read with the same messages`(name: String) throws {
        try Self.inFolder { folder in
            let (capture, file) = (GoldenTests.capture(name), folder.appendingPathComponent("out.pcapng").path)
            let told = try Self.records(capture, ["--decrypted", "-w", file])
            let hasGap = told.contains { $0.contains(#""kind":"gap""#) }
            func messages(_ records: [String]) throws -> [String] {
                try records.compactMap { line in
                    let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
                    guard ["message", "request", "response", "close", "ping"].contains(record["kind"] as? String) else { return nil }
                    // What comes after missing bytes is told when they are known to be missing, which other packets show.
                    let keys = ["from", "kind", "text", "base64", "target", "status", "code"] + (hasGap ? [] : ["time"])
                    return keys.map { "\(record[$0] ?? "")" }
                        .joined(separator: " ")
                }
            }
            #expect(try messages(Self.records(file)).sorted() == messages(told).sorted())
        }
    }

    @Test(arguments: [
        ["fixtures/tls-keys-inside/capture.pcapng"], ["--keys", "fixtures/tls-keys/keys.log", "fixtures/tls-keys/capture.pcapng"],
    ])
    func `others read what keys open in the packets that would have carried it`(input: [String]) throws {
        guard PeerProgram.has("tshark") else { return print("skipped: plaintext of TLS as tshark reads it: tshark is missing") }
        try Self.inFolder { folder in
            let file = folder.appendingPathComponent("out.pcapng").path
            let written = try UnmaskProcess.run(["read", "--stats", "--decrypted", "-w", file] + input)
            #expect(written.status == 0 && written.errors.isEmpty, "\(written.errors)")
            func count(_ filter: String) throws -> Int { try Self.ask("tshark", ["-r", file, "-Y", filter]).lines.count }
            #expect(try count("tls") == 0)
            #expect(try count("http.request.uri == \"/index.html\"") == 3)
            #expect(try count("http.response.code == 200") == 3)
            // The server's two and the client's two, inflated, and both Close frames.
            #expect(try count("websocket.payload.text contains \"orning\" or websocket.payload.text contains \"MORNING\"") == 2)
            #expect(try count("websocket.opcode == 1") == 4)
            #expect(try count("websocket.opcode == 8") == 2)
            // What came before STARTTLS, and what came after it.
            #expect(try count("tcp.payload contains \"STARTTLS\"") == 2)
            #expect(try count("tcp.payload contains \"221 bye\"") == 1)
            let wrong =
                "tcp.checksum.status == \"Bad\" or tcp.analysis.retransmission or tcp.analysis.lost_segment or tcp.analysis.out_of_order"
            #expect(try Self.ask("tshark", ["-r", file, "-o", "tcp.check_checksum:TRUE", "-Y", wrong]).output.isEmpty)
        }
    }

    @Test func `a filter picks conversations by what is inside of their TLS`() throws {
        try Self.inFolder { folder in
            let capture = "fixtures/tls-keys-inside/capture.pcapng"
            let bytes = try Data(contentsOf: UnmaskProcess.project.appendingPathComponent(capture))
            for isPipe in [false, true] {
                let file = folder.appendingPathComponent("out.pcapng").path
                let written = try UnmaskProcess.run(
                    ["read", "--format", "ndjson", "-Y", "websocket", "--decrypted", "-w", file, isPipe ? "-" : capture],
                    input: isPipe ? bytes : Data())
                #expect(written.status == 0 && written.errors.isEmpty, "\(written.errors)")
                let records = try Self.records(file)
                #expect(records.count { $0.contains(#""kind":"opened""#) } == 1)
                #expect(records.count { $0.contains(#""kind":"message""#) } == 4)
            }
        }
    }

    @Test func `without their keys conversations stay sealed in the packets`() throws {
        try Self.inFolder { folder in
            let file = folder.appendingPathComponent("out.pcapng").path
            _ = try UnmaskProcess.run(["read", "--stats", "--decrypted", "-w", file, "fixtures/tls-keys/capture.pcapng"])
            let (told, again) = (try Self.records("fixtures/tls-keys/capture.pcapng"), try Self.records(file))
            func count(_ records: [String], _ word: String) -> Int { records.count { $0.contains(word) } }
            for word in [#""kind":"tls""#, #""framing":{"by":"tls-record""#, #""kind":"data""#] {
                #expect(count(again, word) == count(told, word))
            }
            #expect(count(again, #""kind":"tls""#) == 5)
        }
    }

    @Test(arguments: various) func `others find nothing wrong with plaintext as packets`(name: String) throws {
        guard PeerProgram.has("tshark"), PeerProgram.has("capinfos") else { return print("skipped: tshark or capinfos is missing") }
        try Self.inFolder { folder in
            let (capture, file) = (GoldenTests.capture(name), folder.appendingPathComponent("out.pcapng").path)
            _ = try UnmaskProcess.run(["read", "--stats", "--decrypted", "-w", file, capture])
            #expect(try Self.ask("capinfos", [file]).status == 0)
            let shown = try Self.ask(
                "tshark",
                ["-r", file, "-n", "-o", "tcp.check_checksum:TRUE", "-Y", "tcp.checksum.status == \"Bad\" or tcp.analysis.retransmission"])
            #expect(shown.status == 0 && shown.output.isEmpty, "\(shown.text)\(shown.errors)")
        }
    }

    @Test(arguments: [
        (["--decrypted"], "goes with -w"), (["-w", "x", "--list"], "does not go with --list"),
        (["-w", "x", "--decrypted", "--without-secrets"], "writes no secrets"),
        (["-w", "-", "--format", "ndjson"], "takes standard output"),
    ]) func `what makes no sense is refused`(options: [String], words: String) throws {
        let outcome = try UnmaskProcess.run(["read", GoldenTests.capture("chromium-websocket")] + options)
        #expect(outcome.status != 0 && outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test func `a log has no packets`() throws {
        try Self.inFolder { folder in
            let log = folder.appendingPathComponent("talk.ndjson").path
            _ = try UnmaskProcess.run(["read", "--log", log, GoldenTests.capture("chromium-websocket")])
            let session = folder.appendingPathComponent("talk.unmask").path
            _ = try UnmaskProcess.run(["read", "--save", session, GoldenTests.capture("chromium-websocket")])
            let file = folder.appendingPathComponent("x.pcapng")
            try Data("dear".utf8).write(to: file)
            for input in [log, session] {
                let outcome = try UnmaskProcess.run(["read", "-w", file.path, input])
                #expect(outcome.status == 2 && outcome.errors.contains("a log has no packets"), "\(outcome.errors)")
                // What was there stays.
                #expect(try Data(contentsOf: file) == Data("dear".utf8))
            }
        }
    }

    @Test func `a recording on standard output stands alone there`() throws {
        let capture = GoldenTests.capture("chromium-websocket")
        try Self.inFolder { folder in
            let file = folder.appendingPathComponent("x.pcapng")
            _ = try UnmaskProcess.run(["read", "-w", file.path, "--problems", capture])
            let outcome = try UnmaskProcess.run(["read", "-w", "-", "--problems", capture])
            #expect(outcome.status == 0 && outcome.errors.isEmpty)
            #expect(try outcome.output == Data(contentsOf: file))
        }
    }
}
