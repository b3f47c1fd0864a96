import Dissection
import Reports
import Testing

@Suite struct RateSeriesTests {
    @Test func `steps double until all of it fits, and nothing is lost`() {
        var series = RateSeries()
        for second in 0..<1_000 { series.add(at: Timestamp(nanoseconds: Int64(second) * 1_000_000_000)) }
        #expect(series.values.reduce(0, +) == 1_000)
        #expect(series.values.count <= 64 && series.step >= 1_000_000_000_000 / 64 && series.step <= 4 * 1_000_000_000_000 / 64)
    }

    @Test func `times may come in any order, and from anywhere`() {
        var series = RateSeries()
        let times: [Int64] = [5_000_000_000, 1_000_000, -3_000_000, 0, .max, .min, 7, 5_000_000_001]
        for time in times { series.add(at: Timestamp(nanoseconds: time)) }
        // What lies further apart than 64 steps can reach is left out; the rest is there.
        #expect(series.values.reduce(0, +) >= 6 && series.values.count <= 64)
        var both = RateSeries()
        both.add(series)
        both.add(series)
        #expect(both.values.reduce(0, +) == 2 * series.values.reduce(0, +))
    }

    @Test func `bars are as high as their step is full`() {
        var series = RateSeries()
        for (millisecond, count) in [(0, 1), (1, 4), (3, 8)] as [(Int64, UInt64)] {
            series.add(count, at: Timestamp(nanoseconds: millisecond * 1_000_000))
        }
        #expect(series.sparkline() == "▁▄ █")
        #expect(series.sparkline(width: 2) == "▅█")
        #expect(series.mostPerSecond == 8_000)
        #expect(RateSeries().sparkline() == "")
    }
}
