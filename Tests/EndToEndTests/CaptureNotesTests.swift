import CaptureFiles
import Dissection
import Foundation
import Support
import Testing

/// What a capture says beside its packets: names, comments, packets that were dropped while it was made.
@Suite("What a capture says beside its packets") struct CaptureNotesTests {
    /// The packets of a fixture in a pcapng file, with what `before` and `after` put around them and a comment on the third.
    private func noted(
        comments: [String] = [], _ before: (inout PcapNGEncoder) -> Void = { _ in }, after: (inout PcapNGEncoder) -> Void = { _ in }
    ) throws -> Data {
        var reader = try CaptureReader(
            path: UnmaskProcess.project.appendingPathComponent("fixtures/close-of-one-byte/capture.pcap").path)
        var encoder = PcapNGEncoder(application: "a test", comments: comments)
        var interface: Int?
        before(&encoder)
        while let item = try reader.next() {
            guard case .packet(let packet) = item else { continue }
            let index = interface ?? encoder.addInterface(linkType: packet.linkType)
            interface = index
            encoder.addPacket(
                packet.bytes, interface: index, time: packet.time, comments: packet.number == 3 ? ["look\u{1B}[31m here"] : [])
        }
        after(&encoder)
        return Data(encoder.buffer)
    }

    private func read(_ capture: Data, _ arguments: [String] = ["--format", "ndjson"]) throws -> String {
        let outcome = try UnmaskProcess.run(["read", "-"] + arguments, input: capture)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return String(decoding: outcome.output, as: UTF8.self)
    }

    private func findings(_ log: String, _ id: String) throws -> [[String: Any]] {
        try log.split(separator: "\n").compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
            .filter { $0["id"] as? String == id }
    }

    @Test("comments are told with the packet that they are about, and do nothing to the terminal")
    func comments() throws {
        let capture = try noted(comments: ["of the whole file"])
        let log = try read(capture)
        #expect(try LogValidation.verdict(on: log) == nil)
        let told = try findings(log, "capture.comment")
        #expect(told.compactMap { $0["detail"] as? String } == ["comment: of the whole file", "comment: look\u{1B}[31m here"])
        #expect(told.map { $0["packets"] as? [Int] } == [nil, [3, 3]])
        let text = try read(capture, [])
        #expect(text.contains("of the whole file") && text.contains("here") && !text.contains("\u{1B}"))
    }

    @Test("a comment of more bytes than are shown is followed by how many it has")
    func longComments() throws {
        let bound = String(repeating: "x", count: 4_096)
        #expect(try findings(read(noted(comments: [bound])), "capture.comment-cut").isEmpty)
        let log = try read(noted(comments: [bound + "yz"]))
        #expect(try LogValidation.verdict(on: log) == nil)
        #expect(try findings(log, "capture.comment").first?["detail"] as? String == "comment: " + bound)
        #expect(
            try findings(log, "capture.comment-cut").compactMap { $0["detail"] as? String } == [
                "the comment before this has 4098 bytes; the first 4096 are shown"
            ])
    }

    @Test("comments of a recording beyond those that are read of one packet are counted")
    func manyComments() throws {
        func recording(_ count: Int) throws -> String {
            try read(
                noted(comments: ["recorded by the proxy at 127.0.0.1:1; payloads are as relayed"]) { encoder in
                    _ = encoder.addInterface(linkType: .ethernet)
                    let bytes = [UInt8](repeating: 0, count: 60)
                    encoder.addPacket(
                        bytes.rawBytes, interface: 0, time: Timestamp(nanoseconds: 0),
                        comments: Array(repeating: "closed by proxy: connectFailed: again", count: count))
                })
        }
        #expect(try findings(recording(64), "capture.comments-unread").isEmpty)
        let log = try recording(67)
        #expect(try LogValidation.verdict(on: log) == nil)
        let told = try findings(log, "capture.comments-unread")
        #expect(
            told.compactMap { $0["detail"] as? String } == [
                "one packet of this recording has more than 64 comments by the proxy; 3 are not read"
            ])
        #expect(told.first?["packets"] as? [Int] == [1, 1])
    }

    @Test("packets that were dropped are told once, as far as they are new")
    func drops() throws {
        let told = try findings(
            read(
                noted(after: { encoder in
                    for (bySystem, byInterface) in [(3_000, 5), (4_000, 5), (4_000, 5)] as [(UInt64, UInt64)] {
                        encoder.addStatistics(
                            InterfaceStatistics(interface: 0, received: 9, droppedByInterface: byInterface, droppedBySystem: bySystem),
                            time: Timestamp(nanoseconds: 0))
                    }
                })), "capture.packets-dropped")
        #expect(
            told.compactMap { $0["detail"] as? String } == [
                "while this was captured, 3000 packets were dropped by the system and 5 by the interface",
                "while this was captured, 1000 packets were dropped by the system and 0 by the interface",
            ])
        let none = try read(
            noted(after: {
                $0.addStatistics(InterfaceStatistics(interface: 0, received: 9, droppedBySystem: 0), time: Timestamp(nanoseconds: 0))
            }))
        #expect(!none.contains("packets-dropped"))
    }

    @Test("names of addresses stand beside them, in records and in text")
    func names() throws {
        let opened = try #require(try read(noted()).split(separator: "\n").first { $0.contains("\"opened\"") })
        #expect(!opened.contains("\"name\""))
        let address = try #require(opened.firstMatch(of: /"server":\{"address":"(\d+)\.(\d+)\.(\d+)\.(\d+)"/))
        let parts = [address.1, address.2, address.3, address.4].compactMap { UInt32($0) }
        let server = IPAddress(ipv4: parts.reduce(0) { $0 << 8 | $1 })
        let capture = try noted { encoder in
            encoder.addName("chat.example", of: server)
            encoder.addName("second.example", of: server)
        }
        let log = try read(capture)
        #expect(try LogValidation.verdict(on: log) == nil)
        #expect(log.contains("\"name\":\"chat.example\"") && !log.contains("second.example"))
        #expect(try read(capture, []).contains("chat.example"))
    }

    /// Two conversations of a proxy's recording: one to nowhere, one that is answered, and both filtered by port.
    @Test("what a recording says of a packet that a filter leaves out is said of no other")
    func filtered() throws {
        let capture = try noted(comments: ["recorded by the proxy at 127.0.0.1:1; payloads are as relayed"]) { encoder in
            _ = encoder.addInterface(linkType: .raw)
            // A packet that is not TCP, and says that its conversation was closed.
            let bytes: [UInt8] = [0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1, 0, 1, 0, 2, 0, 8, 0, 0]
            encoder.addPacket(
                bytes.rawBytes, interface: 0, time: Timestamp(nanoseconds: 0), comments: ["closed by proxy: connectFailed: not this one"])
        }
        for filter in [["-f", "tcp"], []] {
            let log = try read(capture, ["--format", "ndjson"] + filter)
            #expect(log.contains("\"how\":\"close-frame\"") && !log.contains("connect-failed"), "\(log.suffix(400))")
        }
    }

    @Test("another section is not the proxy's because the one before it is")
    func sections() throws {
        let ours = try noted(comments: ["recorded by the proxy at 127.0.0.1:1; payloads are as relayed"])
        let other = try noted(after: { encoder in
            encoder.addStatistics(InterfaceStatistics(interface: 0, droppedBySystem: 77), time: Timestamp(nanoseconds: 0))
            encoder.addStatistics(
                InterfaceStatistics(interface: 0, droppedByInterface: .max, droppedBySystem: .max), time: Timestamp(nanoseconds: 0))
        })
        let log = try read(ours + other)
        #expect(try findings(log, "capture.packets-dropped").count == 1)
        #expect(try findings(log, "capture.comment").count == 2)
    }
}
