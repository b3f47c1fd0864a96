import Dissection
import Support
import Testing

/// Keeping a segment costs the same whatever the order of arrival, and hardly more with many than with few.
@Suite struct OutOfOrderSegmentsTests {
    enum Order: CaseIterable { case ascending, descending, random }

    private func steps(_ count: Int, _ order: Order) -> Int {
        var indices = Array(0..<count)
        var random = SplitMix(seed: 3)
        switch order {
        case .ascending: break
        case .descending: indices.reverse()
        case .random: indices.shuffle(using: &random)
        }
        var segments = OutOfOrderSegments()
        // A hole of a byte before each byte.
        for index in indices {
            _ = segments.insert([1].rawBytes, length: 1, at: SequenceNumber(UInt32(1 + 2 * index)), place: Place())
        }
        #expect(segments.firstStart == SequenceNumber(1))
        return segments.steps
    }

    @Test(arguments: Order.allCases) func eightTimesAsManyCostHardlyMoreEach(order: Order) {
        let (few, many) = (2_000, 16_000)
        let (cost, costOfMany) = (steps(few, order), steps(many, order))
        #expect(Double(costOfMany) / Double(many) < 1.3 * Double(cost) / Double(few) + 8, "\(cost) for \(few), \(costOfMany) for \(many)")
        #expect(costOfMany < 160 * many)
    }

    /// Segments that the capture cut short, each over many that are kept.
    private func stepsOfCut(_ count: Int) -> Int {
        var segments = OutOfOrderSegments()
        for index in 0..<count {
            _ = segments.insert([1].rawBytes, length: 1, at: SequenceNumber(UInt32(1 + 2 * index)), place: Place())
        }
        let before = segments.steps
        for _ in 0..<count { _ = segments.insert([UInt8]().rawBytes, length: 2 * count, at: SequenceNumber(0), place: Place()) }
        return segments.steps - before
    }

    @Test func cutSegmentsOverManyHolesCostNoMoreWithMore() {
        let (few, many) = (stepsOfCut(1_000), stepsOfCut(4_000))
        #expect(many < few * 6, "\(few) \(many)")
    }

    @Test func aSegmentOverManyFillsTheHolesBetween() {
        let count = 1_000
        var talk = Segments().handshake()
        for index in stride(from: 1, to: count, by: 2) { talk = talk.packet(.client, [UInt8(65 + index % 26), 7][0..<1] + [], at: index) }
        let whole = (0..<count).map { UInt8(65 + $0 % 26) }
        talk = talk.packet(.client, whole, at: 0)
        #expect(talk.transcript()[1] == "> @0 data \(Transcript.show(whole))")
        #expect(talk.transcript().count == 3)
    }
}
