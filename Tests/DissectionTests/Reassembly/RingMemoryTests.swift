import Support
import Testing

@testable import Dissection

/// The bytes of a ring stay where their owner is. What an optimised build makes of it, `make memcheck` and the fixture `retransmission`
/// show with the program that is shipped.
@Suite struct RingMemoryTests {
    private func bytes(_ ring: RingMemory, _ count: Int) -> [UInt8] { (0..<count).map { ring[$0] } }

    @Test func `memory that grows keeps the bytes that it is told to keep`() {
        var ring = RingMemory()
        var expected: [UInt8] = []
        for capacity in [256, 512, 1_024, 4_096, 16_384, 65_536] {
            ring.grow(to: capacity, keeping: expected.count)
            #expect(ring.capacity == capacity)
            #expect(bytes(ring, expected.count) == expected)
            let added = (expected.count..<capacity).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            ring.write(added.rawBytes, at: expected.count)
            expected += added
            #expect(bytes(ring, capacity) == expected)
        }
    }

    @Test func `a run is written where it is asked for, and an empty one nowhere`() {
        var ring = RingMemory()
        ring.write([UInt8]().rawBytes, at: 0)
        #expect(ring.capacity == 0)
        ring.grow(to: 4, keeping: 0)
        ring.write([1, 2, 3, 4].rawBytes, at: 0)
        ring.write([9].rawBytes, at: 3)
        ring.write([UInt8]().rawBytes, at: 4)
        #expect(bytes(ring, 4) == [1, 2, 3, 9])
    }

    @Test func `a copy keeps its bytes when the other one grows`() {
        var ring = RingMemory()
        ring.grow(to: 2, keeping: 0)
        ring.write([1, 2].rawBytes, at: 0)
        let copy = ring
        ring.grow(to: 4, keeping: 2)
        ring.write([7].rawBytes, at: 0)
        #expect(bytes(copy, 2) == [1, 2])
        #expect(bytes(ring, 2) == [7, 2])
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
