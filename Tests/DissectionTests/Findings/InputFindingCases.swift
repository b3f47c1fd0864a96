import Dissection
import Support

/// Packets and what a capture says beside them, as an input hands them over.
struct CaptureScene: Scene {
    enum Item: Sendable {
        case packet([UInt8], LinkType)
        case comment(String, packet: UInt64?)
        case dropped(bySystem: UInt64, byInterface: UInt64)
        case beyondTime(UInt64)
        /// So many comments of the proxy, about the packet that comes next.
        case annotated(times: Int)
    }

    var items: [Item]

    func play<Sink: ConversationSink & ~Copyable>(_ cutting: Talk.Cutting, into sink: inout Sink) {
        var dissector = Dissector(seed: 1)
        var number: UInt64 = 0
        for item in items {
            switch item {
            case .packet(let bytes, let type):
                number += 1
                dissector.receive(
                    CapturedPacket(number: number, time: nil, linkType: type, originalLength: UInt32(bytes.count), bytes: bytes.rawBytes),
                    sink: &sink)
            case .comment(let text, let packet):
                let bytes = Array(text.utf8)
                dissector.receive(comment: bytes.rawBytes, packet: packet, sink: &sink)
            case .dropped(let bySystem, let byInterface):
                dissector.receive(droppedBySystem: bySystem, byInterface: byInterface, sink: &sink)
            case .beyondTime(let count): dissector.receive(packetsBeyondTime: count, sink: &sink)
            case .annotated(let times):
                for _ in 0..<times {
                    dissector.annotate(.closed(.limit, .proxy, row: nil, reason: nil, ends: Closing.Ends()), packet: number + 1)
                }
            }
        }
        dissector.finish(sink: &sink)
    }
}

/// What is found about the input itself, and about what had to be given up.
extension FindingCase {
    private static func capture(
        _ row: String, _ found: [String], _ fires: [CaptureScene.Item], nearly: [CaptureScene.Item]
    ) -> FindingCase {
        FindingCase("capture." + row, found, fires: CaptureScene(items: fires), nearly: CaptureScene(items: nearly))
    }

    private static let datagram = PacketBuilder.tcp(Array("The quick brown fox jumps over the lazy dog, again.".utf8))

    /// A part of the datagram over IPv4, or over IPv6.
    private static func piece(_ range: Range<Int>, flipped: Bool = false, version6: Bool = false) -> CaptureScene.Item {
        let part = datagram[range].map { flipped ? $0 ^ 0x20 : $0 }
        let hasMore = range.upperBound < datagram.count
        let fragment =
            version6
            ? PacketBuilder.ipv6(PacketBuilder.fragment6(part, offset: range.lowerBound, hasMore: hasMore), next: 44)
            : PacketBuilder.ipv4(part, fragmentOffset: range.lowerBound, hasMore: hasMore)
        return .packet(PacketBuilder.ethernet(fragment, type: version6 ? 0x86DD : 0x0800), .ethernet)
    }

    static let input: [FindingCase] = {
        let end = datagram.count
        let bytes = [UInt8](repeating: 0, count: 60)
        return FindingCase.table {
            // Once for each link type.
            capture(
                "link-type-unknown",
                [
                    "#1 capture.link-type-unknown: packets of link type 147 are not understood and are left out",
                    "#3 capture.link-type-unknown: packets of link type 253 are not understood and are left out",
                ],
                [
                    .packet(bytes, LinkType(rawValue: 147)), .packet(bytes, LinkType(rawValue: 147)),
                    .packet(bytes, LinkType(rawValue: 253)),
                ],
                nearly: [.packet(bytes, .ethernet)])
            capture(
                "fragment-conflict",
                ["#1-3 capture.fragment-conflict: two fragments of one IPv4 datagram overlap and differ, first at byte 24 of the datagram"],
                [piece(0..<24), piece(24..<48), piece(24..<48, flipped: true), piece(48..<end)],
                nearly: [piece(0..<24), piece(0..<24), piece(16..<48), piece(48..<end)])
            // Over IPv6 the datagram is left out, so its fragments are missing as well.
            capture(
                "fragment-conflict",
                [
                    "#1-2 capture.fragment-conflict: two fragments of one IPv6 datagram overlap and differ, first at byte 16 of the datagram",
                    "capture.fragments-missing: fragments of incomplete IP datagrams, left out: 3",
                ],
                [piece(0..<24, version6: true), piece(16..<48, flipped: true, version6: true), piece(48..<end, version6: true)],
                nearly: [piece(0..<48, version6: true), piece(48..<end, version6: true)])
            capture(
                "fragments-missing", ["capture.fragments-missing: fragments of incomplete IP datagrams, left out: 2"],
                [piece(0..<24), piece(48..<end)], nearly: [piece(48..<end), piece(24..<48), piece(0..<24)])
            capture(
                "times-omitted",
                ["capture.times-omitted: 2 packets have times outside the years 1677 to 2262, and are shown without one"],
                [.beyondTime(2)], nearly: [.beyondTime(0)])
            capture(
                "packets-dropped",
                ["capture.packets-dropped: while this was captured, 3000 packets were dropped by the system and 5 by the interface"],
                [.dropped(bySystem: 3_000, byInterface: 5)], nearly: [.dropped(bySystem: 0, byInterface: 0)])
            capture(
                "comment", ["#1 capture.comment: comment: look here", "capture.comment: comment: of the file"],
                [piece(0..<end), .comment("look here", packet: 1), .comment("of the file", packet: nil)],
                nearly: [piece(0..<end)])
            // Not in the middle of a character.
            capture(
                "comment-cut",
                [
                    "#1 capture.comment: comment: " + String(repeating: "x", count: 4_095),
                    "#1 capture.comment-cut: the comment before this has 4097 bytes; the first 4095 are shown",
                ],
                [piece(0..<end), .comment(String(repeating: "x", count: 4_095) + "é", packet: 1)],
                nearly: [piece(0..<end), .comment(String(repeating: "x", count: 4_096), packet: 1)])
            capture(
                "comments-unread",
                ["#1 capture.comments-unread: one packet of this recording has more than 64 comments by the proxy; 3 are not read"],
                [.annotated(times: 67), .packet(bytes, .ethernet)], nearly: [.annotated(times: 64), .packet(bytes, .ethernet)])
        }
    }()

    static let limits: [FindingCase] = {
        /// A message of 40,000 bytes in fragments, where all conversations together may hold so many bytes.
        func assembling(_ total: Int) -> Segments {
            var talk = Segments().handshake()
            talk.limits.totalBytes = total
            talk.rules = [DecodeRule(port: 8_080, layer: .webSocket)]
            for index in 0..<40 {
                let last: UInt8 = index == 39 ? 0x80 : 0
                let frame: [UInt8] = [last | (index == 0 ? 1 : 0), 126, 0x03, 0xE8] + [UInt8](repeating: 0x61, count: 1_000)
                talk = talk.packet(.server, frame, at: index * 1_004)
            }
            return talk
        }
        return [
            FindingCase(
                "limits.assembly-cut",
                ["< #1-15 @12048 limits.assembly-cut: a message or body under assembly was cut to stay within the memory limit"],
                fires: assembling(16 << 10), nearly: assembling(1 << 20))
        ]
    }()
}
