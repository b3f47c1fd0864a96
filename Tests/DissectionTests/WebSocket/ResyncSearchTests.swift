import Dissection
import Support
import Testing

/// What the search for a frame boundary costs.
@Suite struct ResyncSearchTests {
    /// Steps of a search at some sizes, when its bytes come one by one, each in a packet of its own.
    private func steps(_ unit: [UInt8], at sizes: [Int]) -> [Int] {
        let search = ResyncSearch(offset: 0, isStart: false)
        var steps: [Int] = []
        for index in 0..<(sizes.last ?? 0) {
            search.append([unit[index % unit.count]].rawBytes, place: Place(packets: PacketRange(UInt64(index))))
            if search.advance(masked: false, mayCompress: true, isEnd: false) { break }
            if sizes.contains(index + 1) { steps.append(search.steps) }
        }
        return steps
    }

    @Test(
        arguments: [
            [0xF7], [0x48], [0x81, 0x7E, 0x40, 0x00, 0xFF], [0x80, 0x00], [0x82, 0x7E, 0x70, 0x00, 0x00], [0x01, 0x05, 0, 1, 2],
        ] as [[UInt8]])
    func theSameBytesOnceMoreCostTheSameOnceMore(_ unit: [UInt8]) {
        // From the size on at which a frame that is not whole is waited for no longer.
        let steps = steps(unit, at: [150_000, 300_000, 450_000])
        guard steps.count == 3 else { return }
        #expect(Double(steps[2] - steps[1]) <= Double(steps[1] - steps[0]) * 1.1 + 1_000, "\(steps)")
        // At most 256 bytes of text are looked at for a candidate.
        #expect(steps[2] <= 450_000 * 100, "\(steps)")
    }

    @Test func aLongFrameIsNotLookedAtForEachPacket() {
        // Text that goes on for 20,000 bytes: looked at again only when it is whole.
        let steps = steps([0x81, 0x7E, 0x4E, 0x20] + [UInt8](repeating: 0x61, count: 20_000), at: [20_000])
        #expect(steps.first.map { $0 < 2_000 } == true, "\(steps)")
    }
}
