import CaptureFiles
import Dissection
import Foundation
import Testing

/// What the writers write, the readers read.
struct PcapNGEncoderTests {
    @Test func pcapngRoundTrip() throws {
        var encoder = PcapNGEncoder(application: "unmask", comments: ["made by a test"])
        let ether = encoder.addInterface(linkType: .ethernet, snapshotLength: 96, name: "eth0", comments: ["uplink"])
        encoder.addSecrets(.tlsKeyLog, Array("CLIENT_RANDOM".utf8).rawBytes)
        encoder.addPacket(
            Array("one".utf8).rawBytes, interface: ether, time: Timestamp(nanoseconds: 1_700_000_000_123_456_789),
            originalLength: 1_500, comments: ["name=chat.example", "é"])
        let raw = encoder.addInterface(linkType: .raw)
        encoder.addPacket(Array("four".utf8).rawBytes, interface: raw, time: nil)
        encoder.addStatistics(
            InterfaceStatistics(interface: 0, received: 5, droppedByInterface: 1, droppedBySystem: 2),
            time: Timestamp(nanoseconds: 9))
        var reader = try CaptureReader(bytes: encoder.buffer)
        #expect(
            listing(of: &reader) == [
                "comment section made by a test", "comment interface(0) uplink", "secrets \(0x544C_534B) CLIENT_RANDOM",
                "comment packet(1) name=chat.example", "comment packet(1) é",
                "packet 1 1700000000123456789 link 1 3/1500 one", "packet 2 0 link 101 4/4 four", "statistics 0 5 1 2",
            ])
        #expect(reader.interfaces.map(\.name) == ["eth0", nil])
        #expect(encoder.interfaceCount == 2)
    }

    @Test("A comment too long for its option is cut at a character")
    func longComment() throws {
        for padding in 0..<4 {
            let text = String(repeating: "x", count: padding) + String(repeating: "€", count: 30_000)
            let encoder = PcapNGEncoder(application: "unmask", comments: [text])
            var reader = try CaptureReader(bytes: encoder.buffer)
            guard case .comment(let comment)? = try reader.next() else {
                Issue.record("no comment")
                continue
            }
            var kept: [UInt8] = []
            kept.append(copying: comment.text)
            #expect(kept.count <= 65_532 && kept.count >= 65_529)
            #expect(String(validating: kept, as: UTF8.self) == String(text.unicodeScalars.prefix(padding + (kept.count - padding) / 3)))
        }
    }

    @Test("What was written in pieces is read back")
    func output() throws {
        let path = NSTemporaryDirectory() + "capture-\(UUID().uuidString).pcapng"
        defer { unlink(path) }
        var encoder = PcapNGEncoder(application: "unmask")
        let interface = encoder.addInterface(linkType: .ipv4)
        var written: [UInt8] = []
        for word in ["one", "two"] {
            encoder.addPacket(Array(word.utf8).rawBytes, interface: interface, time: Timestamp(nanoseconds: 1))
            written += encoder.buffer
            encoder.buffer.removeAll(keepingCapacity: true)
        }
        try Data(written).write(to: URL(fileURLWithPath: path))
        var reader = try CaptureReader(path: path)
        #expect(listing(of: &reader) == ["packet 1 1 link 228 3/3 one", "packet 2 1 link 228 3/3 two"])
    }
}
