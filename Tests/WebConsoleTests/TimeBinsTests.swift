import Testing

@testable import WebConsole

/// Counts by time in bins that grow.
@Suite struct TimeBinsTests {
    @Test func `a bucket has what came in its time, whatever the order`() {
        let moments: [Int64] = [1_700_000_000_000_000_000, 1_700_000_003_000_000_000, 1_700_000_001_500_000_000, 1_699_999_999_000_000_000]
        var bins = TimeBins()
        for (number, moment) in moments.enumerated() { bins.add(moment, side: Int64(number % 2), bytes: 10) }
        let (first, last, width, list) = bins.buckets(most: 100)
        #expect(first <= moments.min() ?? 0 && last >= moments.max() ?? 0)
        #expect(list.count > 50 && list.count <= 100 && last == first + width * Int64(list.count) - 1)
        for (number, moment) in moments.enumerated() {
            let bucket = list[Int((moment - first) / width)]
            #expect(bucket.counts == (number % 2 == 0 ? (1, 0) : (0, 1)), "\(moment)")
            #expect(bucket.bytes == (number % 2 == 0 ? (10, 0) : (0, 10)))
        }
    }

    @Test func `nothing is lost while the bins grow wider`() {
        var bins = TimeBins()
        var moment: Int64 = 1_000_000
        for number in 0..<20_000 {
            bins.add(moment, side: Int64(number % 2), bytes: 3)
            moment += Int64(number) * 1_000
        }
        let list = bins.buckets(most: 300).list
        #expect(list.reduce(0) { $0 + $1.counts.client } == 10_000)
        #expect(list.reduce(0) { $0 + $1.counts.server } == 10_000)
        #expect(list.reduce(0) { $0 + $1.bytes.client } == 30_000)
    }

    @Test(arguments: [[0, .max], [.min, 5], [1 << 62, -1], [0, (1 << 62) - 1], [(1 << 62) - 1, 0], [7, 7]] as [[Int64]])
    func `moments that no clock has are left out, and none of them traps`(moments: [Int64]) {
        var bins = TimeBins()
        for moment in moments { bins.add(moment, side: 0, bytes: .max) }
        let possible = moments.filter { $0 >= 0 && $0 < 1 << 62 }
        for most in [1, 2, 2_000] {
            let list = bins.buckets(most: most).list
            #expect(list.count <= most && list.reduce(0) { $0 + $1.counts.client } == Int64(possible.count))
        }
    }

    @Test func `moments that go back again and again cost little`() {
        var bins = TimeBins()
        for number in stride(from: Int64(400_000), to: 0, by: -1) { bins.add(number * 1_000_000, side: 1, bytes: 0) }
        #expect(bins.buckets(most: 10).list.reduce(0) { $0 + $1.counts.server } == 400_000)
    }

    @Test func `without a moment there is no bucket`() {
        #expect(TimeBins().buckets(most: 10).list.isEmpty)
    }
}
