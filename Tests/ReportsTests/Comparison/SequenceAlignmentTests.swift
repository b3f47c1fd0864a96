import Reports
import Testing

@Suite struct SequenceAlignmentTests {
    /// The length of the longest common subsequence, by the textbook.
    private func longest(_ old: [UInt64], _ new: [UInt64]) -> Int {
        var row = [Int](repeating: 0, count: new.count + 1)
        for key in old {
            var before = row
            for (index, other) in new.enumerated() {
                before[index + 1] = key == other ? row[index] + 1 : max(row[index + 1], before[index])
            }
            row = before
        }
        return row.last ?? 0
    }

    @Test func `as many elements as possible are aligned, in order`() throws {
        var random = SystemRandomNumberGenerator()
        for round in 0..<300 {
            let kinds = UInt64(1 + round % 12)
            func sequence() -> [UInt64] { (0..<Int.random(in: 0...40, using: &random)).map { _ in .random(in: 0..<kinds, using: &random) } }
            let (old, new) = (sequence(), sequence())
            let pairs = try #require(SequenceAlignment.pairs(old, new))
            #expect(pairs.allSatisfy { old[$0.old] == new[$0.new] })
            #expect(zip(pairs, pairs.dropFirst()).allSatisfy { $0.old < $1.old && $0.new < $1.new })
            #expect(pairs.count == longest(old, new), "\(old) \(new)")
        }
    }

    @Test func `what the other one lacks costs nothing, and what differs too much is given up`() {
        let (old, new) = ((0..<100_000).map(UInt64.init), (0..<100_000).map { UInt64($0) + 50_000 })
        #expect(SequenceAlignment.pairs(old, new)?.count == 50_000)
        #expect(SequenceAlignment.pairs(old, old.reversed()) == nil)
        #expect(SequenceAlignment.pairs([], [1])?.isEmpty == true)
    }
}
