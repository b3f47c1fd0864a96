#if os(Linux)
import Dissection
import Testing

@testable import LiveCapture

/// What is sent to netfilter, and packets that wait. The kernel's part is in `Tests/Peers/run_watch.py`.
@Suite struct PacketFeedTests {
    @Test func `an attribute says its length without the bytes that fill it up`() {
        #expect(
            NetlinkAttribute.name(1, "ab") == NetlinkAttribute.native(UInt16(7)) + NetlinkAttribute.native(UInt16(1)) + [0x61, 0x62, 0, 0])
        #expect(NetlinkAttribute.number(2, UInt16(1)).suffix(4) == [0, 1, 0, 0])
        #expect(NetlinkAttribute.nested(3, NetlinkAttribute.number(4, UInt32(5))).count == 12)
    }

    @Test func `the packets of a batch follow those of another one with their times`() {
        var (first, second) = (PacketFeed.Batch(), PacketFeed.Batch())
        [1, 2, 3].withUnsafeBytes { first.append($0, Timestamp(nanoseconds: 1)) }
        [4, 5].withUnsafeBytes { second.append($0, Timestamp(nanoseconds: 2)) }
        first.append(second)
        #expect(first.places.map(\.time.nanoseconds) == [1, 2] && first.places[1].start == first.places[0].length)
        let last = first.places[1]
        #expect(Array(first.bytes[last.start..<last.start + last.length]) == second.bytes)
    }
}
#endif
