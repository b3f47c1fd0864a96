import Support
import Testing

@testable import Dissection

/// The bytes of a ring stay where their owner is. What an optimised build makes of it, `make memcheck` and the fixture `retransmission`
/// show with the program that is shipped.
@Suite struct RingMemoryTests {
    private func bytes(_ ring: RingMemory, _ count: Int) -> [UInt8] { (0..<count).map { ring[$0] } }

    @Test func `a larger ring begins with what lay in the smaller one, around its end`() {
        let small = RingMemory().unrolled(from: 0, count: 0, into: 8)
        small.write([5, 6, 7, 8, 1, 2, 3, 4].rawBytes, at: 0)
        let larger = small.unrolled(from: 4, count: 8, into: 16)
        #expect(larger.capacity == 16)
        #expect(bytes(larger, 8) == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(bytes(small.unrolled(from: 6, count: 3, into: 256), 3) == [3, 4, 5])
        // The smaller one stays as it was.
        #expect(bytes(small, 8) == [5, 6, 7, 8, 1, 2, 3, 4])
    }

    @Test func `a run is written where it is asked for, and an empty one nowhere`() {
        let none = RingMemory()
        none.write([UInt8]().rawBytes, at: 0)
        #expect(none.capacity == 0)
        let ring = none.unrolled(from: 0, count: 0, into: 4)
        ring.write([1, 2, 3, 4].rawBytes, at: 0)
        ring.write([9].rawBytes, at: 3)
        ring.write([UInt8]().rawBytes, at: 4)
        #expect(bytes(ring, 4) == [1, 2, 3, 9])
    }

    /// The first segment fills 256 bytes and more, the second makes the ring grow, and the first comes again as it was.
    @Test(arguments: [Side.client, .server]) func `a retransmission after the ring has grown contradicts nothing`(side: Side) {
        let first = (0..<496).map { UInt8(truncatingIfNeeded: 0x61 + $0 % 26) }
        let second = (0..<121).map { UInt8(truncatingIfNeeded: 0x41 + $0 % 26) }
        let sent = Segments().handshake().packet(side, first, at: 0).packet(side, second, at: 496)
        let repeated = sent.packet(side, first, at: 0)
        #expect(!repeated.transcript().contains { $0.contains("!") }, "\(repeated.transcript())")
        // Nearly: one byte is another one.
        var other = first
        other[300] ^= 1
        #expect(sent.packet(side, other, at: 0).transcript().contains { $0.contains("tcp.overlap-conflict") })
    }
}
