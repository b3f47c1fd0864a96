import Foundation
import Support
import Testing

/// The program as a user meets it: exit codes, errors that name what to do, quiet ends.
@Suite struct CommandLineTests {
    /// A capture of two packets: a SYN and three bytes.
    private static let capture: [UInt8] = {
        let syn = PacketBuilder.ethernet(PacketBuilder.ipv4(PacketBuilder.tcp(sequence: 9, flags: 0x02)))
        let data = PacketBuilder.ethernet(PacketBuilder.ipv4(PacketBuilder.tcp(sequence: 10, [0xFF, 1, 2])))
        return PacketBuilder.pcap([.init(nanoseconds: 1_000_000_000, syn), .init(nanoseconds: 2_000_000_000, data)])
    }()

    @Test func standardInputIsRead() throws {
        let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", "-"], input: Data(Self.capture))
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        #expect(outcome.lines.count == 5)
        #expect(outcome.lines.last?.contains("\"packets\":2") == true)
    }

    @Test func aCutFileEndsWithOneAndNamesTheOffset() throws {
        let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", "-"], input: Data(Self.capture.dropLast(2)))
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("standard input"))
        #expect(outcome.errors.contains("at byte 94"))
        // What could be read is there.
        #expect(outcome.lines.contains { $0.contains("\"kind\":\"opened\"") })
        #expect(outcome.lines.last?.contains("\"kind\":\"end\"") == true)
    }

    @Test func whatIsNoCaptureIsRefusedInWords() throws {
        let outcome = try UnmaskProcess.run(["read", "-"], input: Data("hello, this is text\n".utf8))
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("unmask: standard input"))
    }

    @Test(arguments: [
        ["read"], ["read", "--bogus", "x"], ["read", "--format", "xml", "x"], ["read", AbsentPath.next() + "/file"], ["bogus"],
        ["read", "--decode-as", "udp.port=1,x", "x"], ["read", "--conversation", "0", "x"], ["read", "-", "-"],
        ["capture"], ["capture", "-i", "no-such-interface"], ["read", "-f", "this is no filter (", "-"],
        ["read", "--format", "json", "--full", "-"], ["read", "--stats", "--follow", "-"], ["read", "--stats", "--conversation", "1", "-"],
        ["capture", "-i", "lo", "-c", "0"], ["findings", "no.such-finding"],
    ])
    func wrongUseEndsWithTwo(arguments: [String]) throws {
        let outcome = try UnmaskProcess.run(arguments)
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(!outcome.errors.isEmpty)
        #expect(outcome.output.isEmpty)
    }

    @Test func helpAndVersionEndWithZero() throws {
        #expect(try UnmaskProcess.run(["--help"]).status == 0)
        #expect(try UnmaskProcess.run(["read", "--help"]).text.contains("--decode-as"))
        #expect(try UnmaskProcess.run(["--version"]).text.first?.isNumber == true)
    }

    @Test func severalFilesAreOneRun() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["a.pcap", "b.pcap"] { try Data(Self.capture).write(to: folder.appendingPathComponent(name)) }
        let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", "a.pcap", "b.pcap"], folder: folder)
        #expect(outcome.status == 0)
        #expect(outcome.lines.filter { $0.contains("\"kind\":\"capture\"") }.count == 2)
        #expect(outcome.lines.contains { $0.contains("\"firstPacket\":3") })
        #expect(outcome.lines.last?.contains("\"packets\":4") == true)
    }

    @Test func aJSONArrayIsClosed() throws {
        let outcome = try UnmaskProcess.run(["read", "--format", "json", "-"], input: Data(Self.capture.dropLast(2)))
        let records = try JSONSerialization.jsonObject(with: outcome.output) as? [[String: Any]]
        #expect(records?.last?["kind"] as? String == "end")
    }

    @Test func aFilterLeavesPacketsOut() throws {
        let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", "-f", "udp", "-"], input: Data(Self.capture))
        #expect(outcome.status == 0)
        #expect(outcome.lines.last?.contains("\"packets\":0") == true)
    }

    @Test func decodeAsDecides() throws {
        let frame = PacketBuilder.ethernet(PacketBuilder.ipv4(PacketBuilder.tcp(sequence: 10, [0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69])))
        let capture = PacketBuilder.pcap([.init(frame)])
        let outcome = try UnmaskProcess.run(
            ["read", "--format", "ndjson", "--decode-as", "tcp.port=8080,websocket", "-"], input: Data(capture))
        #expect(outcome.lines.contains { $0.contains("\"kind\":\"message\"") && $0.contains("\"text\":\"hi\"") })
    }

    @Test func decodeAsKeepsAHandshakeThatIsThere() throws {
        let plain = try UnmaskProcess.run(["read", "fixtures/manner-socketrocket/capture.pcap"])
        let told = try UnmaskProcess.run(
            ["read", "--decode-as", "tcp.port=8080,websocket", "fixtures/manner-socketrocket/capture.pcap"])
        #expect(told.output == plain.output)
    }

    @Test func colourIsObeyed() throws {
        let capture = "fixtures/manner-socketrocket/capture.pcap"
        #expect(try UnmaskProcess.run(["read", capture]).text.contains("\u{1B}") == false)
        #expect(try UnmaskProcess.run(["read", "--color", "always", capture]).text.contains("\u{1B}["))
        #expect(try UnmaskProcess.run(["read", "--color", "always", capture], environment: ["NO_COLOR": "1"]).text.contains("\u{1B}["))
        #expect(try UnmaskProcess.run(["read", "--color", "never", capture]).text.contains("\u{1B}") == false)
    }

    @Test func aConversationThatIsNotThereIsSaid() throws {
        let outcome = try UnmaskProcess.run(["read", "--conversation", "9", "fixtures/manner-socketrocket/capture.pcap"])
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("no conversation 9"))
    }
}
