import CaptureFiles
import Dissection
import Foundation
import Support
import Testing

/// A capture, the log of it and its session file are the same recording: each command says the same of all three, but for what a log cannot
/// have.
@Suite("Captures, logs and session files agree") struct RecordingAgreementTests {
    /// An output that differs by design.
    struct Exception {
        let output: String
        let fixtures: Set<String>
        let reason: String
    }

    /// What a log does not have. Each of these has to differ still, so that nothing stays here that was mended.
    static let exceptions = ["csv", "har"].map { output in
        Exception(
            output: output, fixtures: ["handshake-cut-by-snaplen", "http-oddities", "websocket-snaplen-96"],
            reason: "a log has the fields of a head, not its bytes: one that is cut or has bare line feeds is as long as usual")
    }

    @Test("a fixture, its log and its session file give the same outputs in every command", arguments: GoldenTests.names)
    func fixtures(name: String) throws {
        let keys = GoldenTests.fixtures.appendingPathComponent(name).appendingPathComponent("keys.log").path
        let opening = FileManager.default.fileExists(atPath: keys) ? ["--keys", keys] : []
        try inFolder { try compare(GoldenTests.capture(name), opening, fixture: name, in: $0) }
    }

    @Test("names of addresses and long comments are the same in all three")
    func notes() throws {
        try inFolder { folder in
            let path = UnmaskProcess.project.appendingPathComponent(GoldenTests.capture("manner-raw-chat")).path
            let capture = folder.appendingPathComponent("noted.pcapng")
            try Data(try noted(path)).write(to: capture)
            try compare(capture.path, [], fixture: "", in: folder)
            let hosts = try UnmaskProcess.run(["stats", "--by", "host", capture.path])
            #expect(hosts.status == 0 && hosts.text.contains("chat.example"), "\(hosts.text)\(hosts.errors)")
        }
    }

    /// A FIN ends a conversation whose pings were answered; the RST that follows 45 s later is no answer to it, and moves its last packet.
    @Test("what is said of the end of a conversation that lingers is the same in all three")
    func lingering() throws {
        let (ping, pong): ([UInt8], [UInt8]) = ([0x89, 0x80, 1, 2, 3, 4], [0x8A, 0])
        let request = Array(
            "GET / HTTP/1.1\r\nHost: a.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
                .utf8)
        let response = Array(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
                .utf8)
        var (records, sent): ([PacketBuilder.Record], [UInt32]) = ([], [0, 0])
        func send(_ second: UInt64, fromServer: Bool, _ flags: UInt8 = 0x18, _ payload: [UInt8] = []) {
            let (own, other) = fromServer ? (1, 0) : (0, 1)
            let segment = PacketBuilder.tcp(
                from: fromServer ? 8_080 : 51_422, to: fromServer ? 51_422 : 8_080, sequence: sent[own], acknowledgement: sent[other],
                flags: flags,
                payload)
            let (client, server): (UInt32, UInt32) = (0x0A00_0005, 0x0A00_0009)
            let packet = PacketBuilder.ipv4(from: fromServer ? server : client, to: fromServer ? client : server, segment)
            records.append(
                PacketBuilder.Record(
                    nanoseconds: (1_800_000_000 + second) * 1_000_000_000 + UInt64(records.count), PacketBuilder.ethernet(packet)))
            sent[own] += UInt32(payload.count) + (flags & 3 != 0 ? 1 : 0)
        }
        send(0, fromServer: false, 0x02)
        send(0, fromServer: true, 0x12)
        send(0, fromServer: false, 0x10)
        send(0, fromServer: false, 0x18, request)
        send(0, fromServer: true, 0x18, response)
        for beat in 1...4 as ClosedRange<UInt64> {
            send(beat * 10, fromServer: false, 0x18, ping)
            send(beat * 10, fromServer: true, 0x18, pong)
        }
        send(45, fromServer: false, 0x11)
        send(45, fromServer: true, 0x10)
        send(90, fromServer: true, 0x14)
        try inFolder { folder in
            let capture = folder.appendingPathComponent("lingering.pcap")
            try Data(PacketBuilder.pcap(records)).write(to: capture)
            try compare(capture.path, [], fixture: "", in: folder)
            let record = try UnmaskProcess.run(["read", "--format", "ndjson", capture.path]).text
            #expect(record.contains(#""how":"fin","lingered":45."#), "\(record)")
        }
    }

    /// The packets of a capture in a file that names every address and has a comment longer than text shows.
    private func noted(_ path: String) throws -> [UInt8] {
        var reader = try CaptureReader(path: path)
        var encoder = PcapNGEncoder(application: "a test", comments: [String(repeating: "long and grüß, ", count: 100)])
        for last in 1...20 { encoder.addName("chat.example", of: IPAddress(ipv4: 0x0a00_0000 | UInt32(last))) }
        var interface: Int?
        while let item = try reader.next() {
            guard case .packet(let packet) = item else { continue }
            let index = interface ?? encoder.addInterface(linkType: packet.linkType)
            interface = index
            let comments = packet.number == 3 ? [String(repeating: "of a packet ", count: 50)] : []
            encoder.addPacket(packet.bytes, interface: index, time: packet.time, comments: comments)
        }
        return encoder.buffer
    }

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    /// Makes the log and the session file of a capture, and compares what the commands say of the three.
    private func compare(_ path: String, _ opening: [String], fixture: String, in folder: URL) throws {
        let capture = try Recording("capture", path, opening, of: path, in: folder)
        let log = try Recording("log", capture.file("records.ndjson"), of: path, in: folder)
        let session = try Recording("session file", capture.file("session.unmask"), of: path, in: folder)
        let expected = try capture.outputs(saving: true)
        for other in [log, session] {
            for fault in Self.faults(of: other.kind, try other.outputs(), beside: expected, fixture: fixture) { Issue.record("\(fault)") }
        }
        for (one, other) in [(capture, log), (capture, session), (log, session)] {
            let outcome = try UnmaskProcess.run(["diff", "--compare-header", "*", one.path, other.path] + one.options)
            #expect(
                outcome.status == 0 && outcome.text.hasPrefix("no differences in ") && outcome.errors.isEmpty,
                "\(one.kind) and \(other.kind): \(outcome.status)\n\(outcome.text.prefix(2_000))\(outcome.errors)")
        }
    }

    /// Outputs that differ, and exceptions that do not.
    static func faults(
        of kind: String, _ outputs: [String: Data], beside expected: [String: Data], fixture: String, except: [Exception] = exceptions
    ) -> [String] {
        Set(outputs.keys).union(expected.keys).sorted().compactMap { name in
            let exception = except.first { $0.output == name && $0.fixtures.contains(fixture) }
            switch (outputs[name], expected[name], exception) {
            case (let one?, let other?, nil) where one == other: return nil
            case (let one?, let other?, let exception?):
                return one == other ? "\(name) no longer differs; take it from the exceptions (\(exception.reason))" : nil
            case (let one?, let other?, nil):
                let (new, old) = (lines(one), lines(other))
                let different = zip(new, old).first { $0 != $1 }
                return """
                    \(name): \(old.count) lines of the capture, \(new.count) of the \(kind)
                    capture: \(different?.1.prefix(600) ?? "ends")
                    \(kind): \(different?.0.prefix(600) ?? "ends")
                    """
            case (let one, _, _): return "\(name) is \(one == nil ? "missing in" : "only in") what the \(kind) gives"
            }
        }
    }

    private static func lines(_ output: Data) -> [Substring] {
        String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test("an output that differs, one that is missing and an exception that differs no longer are noticed")
    func noticed() {
        let exception = Exception(output: "csv", fixtures: ["a"], reason: "why")
        func faults(_ one: [String: String], _ other: [String: String], _ fixture: String = "a") -> [String] {
            Self.faults(
                of: "log", one.mapValues { Data($0.utf8) }, beside: other.mapValues { Data($0.utf8) }, fixture: fixture,
                except: [exception])
        }
        #expect(faults(["text": "a\nb\n", "csv": "1"], ["text": "a\nb\n", "csv": "2"]).isEmpty)
        #expect(faults(["text": "a\nb\n"], ["text": "a\nc\n"]) == ["text: 3 lines of the capture, 3 of the log\ncapture: c\nlog: b"])
        #expect(faults(["text": "a\n"], ["text": "a\nc\n"]).count == 1)
        #expect(faults(["csv": "1"], ["csv": "1"]) == ["csv no longer differs; take it from the exceptions (why)"])
        #expect(faults(["csv": "1"], ["csv": "2"], "b").count == 1)
        #expect(faults([:], ["extract/1": ""]) == ["extract/1 is missing in what the log gives"])
        #expect(faults(["extract/1": ""], [:]) == ["extract/1 is only in what the log gives"])
    }

    @Test("each exception is of fixtures that are there")
    func exceptionsExist() {
        for exception in Self.exceptions {
            #expect(exception.fixtures.isSubset(of: GoldenTests.names), "\(exception.output)")
        }
    }
}

/// One of the three, and what the commands make of it.
private struct Recording {
    let kind: String
    let path: String
    let options: [String]
    /// What all three were made of.
    private let capture: String
    /// What is written of it.
    private let folder: URL

    init(_ kind: String, _ path: String, _ options: [String] = [], of capture: String, in parent: URL) throws {
        (self.kind, self.path, self.options, self.capture) = (kind, path, options, capture)
        folder = parent.appendingPathComponent(kind)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func file(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Everything that is printed and written, by name; several outputs come of one run where it can have them.
    ///
    /// - Parameter saves: whether a session file is written as well, for who reads it.
    func outputs(saving saves: Bool = false) throws -> [String: Data] {
        var outputs: [String: Data] = [:]
        // The log has all that there is: frames, and payloads as long as they are.
        let whole = ["--frames", "--payload-limit", "16777216", "--log", file("records.ndjson")]
        let saving = saves ? ["--save", file("session.unmask")] : []
        try run("full text", ["read", "--full", "--headers"] + whole + saving, into: &outputs)
        try take("records", "records.ndjson", into: &outputs)
        let beside = ["--log", file("decoded.ndjson"), "--csv", file("csv"), "--har", file("har")]
        try run("text", ["read", "--decoded"] + beside, into: &outputs)
        for (name, file) in [("decoded records", "decoded.ndjson"), ("csv", "csv"), ("har", "har")] {
            try take(name, file, into: &outputs)
        }
        try run("list", ["list"], into: &outputs)
        try run("list as json", ["list", "--format", "json"], into: &outputs)
        try run("stats", ["stats"], into: &outputs)
        try run("stats as json", ["stats", "--format", "json"], into: &outputs)
        try run("check", ["check", "--severity", "note"], into: &outputs)
        try run("check as json", ["check", "--severity", "note", "--format", "json"], into: &outputs)
        try run("extract", ["extract", "--to", file("parts")], into: &outputs)
        for part in (try? FileManager.default.contentsOfDirectory(atPath: file("parts"))) ?? [] {
            outputs["extract/\(part)"] = try Data(contentsOf: folder.appendingPathComponent("parts").appendingPathComponent(part))
        }
        return outputs
    }

    private func run(_ name: String, _ arguments: [String], into outputs: inout [String: Data]) throws {
        let outcome = try UnmaskProcess.run(arguments + [path] + options)
        outputs[name] = neutral(outcome.output)
        outputs["\(name): errors and status"] = neutral(Data("\(outcome.errors)\(outcome.status)".utf8))
    }

    private func take(_ name: String, _ file: String, into outputs: inout [String: Data]) throws {
        outputs[name] = neutral(try Data(contentsOf: folder.appendingPathComponent(file)))
    }

    /// An output without the names of the files that it was made of and written to.
    private func neutral(_ output: Data) -> Data {
        var text = String(decoding: output, as: UTF8.self)
        for (name, word) in [(path, "RECORDING"), (capture, "RECORDING"), (folder.path, "FOLDER")] {
            text = text.replacingOccurrences(of: name, with: word)
        }
        return Data(text.utf8)
    }
}
