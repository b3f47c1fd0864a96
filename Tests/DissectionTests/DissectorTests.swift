import Dissection
import Support
import Testing

/// What is told about the input itself, and about what had to be given up.
@Suite struct DissectorTests {
    @Test func anUnknownLinkTypeIsToldOnceAndItsPacketsAreCounted() {
        var dissector = Dissector(seed: 1)
        var sink = Transcript()
        let bytes = [UInt8](repeating: 0, count: 60)
        for number in 1...5 {
            let type = LinkType(rawValue: number == 5 ? 253 : 147)
            dissector.receive(
                CapturedPacket(number: UInt64(number), time: nil, linkType: type, originalLength: 60, bytes: bytes.rawBytes), sink: &sink)
        }
        dissector.finish(sink: &sink)
        #expect(sink.finished() == ["! capture.link-type-unknown a=147 b=0", "! capture.link-type-unknown a=253 b=0"])
        #expect(dissector.totals.skipped[SkipReason.linkType.index] == 5)
        #expect(dissector.totals.findings == 2)
    }

    /// A WebSocket whose message under assembly is larger than what all may hold.
    private func assembling(_ total: Int) -> [String] {
        var talk = Segments().handshake()
        talk.limits.totalBytes = total
        talk.rules = [DecodeRule(port: 8_080, layer: .webSocket)]
        // Text in fragments without end, from the server: 01 or 00, then 126 and the length.
        for index in 0..<40 {
            let frame: [UInt8] = [index == 0 ? 1 : 0, 126, 0x03, 0xE8] + [UInt8](repeating: 0x61, count: 1_000)
            talk = talk.packet(.server, frame, at: index * 1_004)
        }
        return talk.server("\u{80}", at: 40 * 1_004).transcript()
    }

    @Test func theLargestAssemblyIsCutAndSaysSo() {
        let cut = assembling(16 << 10)
        #expect(cut.contains { $0.contains("! limits.assembly-cut") })
        #expect(cut.contains { $0.contains("message text 40000 B in 40 cut") })
        let kept = assembling(1 << 20)
        #expect(!kept.contains { $0.contains("limits.assembly-cut") })
        #expect(kept.contains { $0.contains("message text 40000 B in 40 ") && !$0.contains("cut") })
    }
}
