import Reports
import Testing

@Suite struct ValueHistogramTests {
    @Test func `percentiles are those of the sorted values, at most one bucket too large`() {
        var random = SystemRandomNumberGenerator()
        for bits in [4, 10, 30, 50, 64] {
            var (histogram, values) = (ValueHistogram(), [UInt64]())
            for _ in 0..<2_000 {
                let value = UInt64.random(in: .min ... .max, using: &random) >> UInt64(64 - bits)
                histogram.add(value)
                values.append(value)
            }
            values.sort()
            for percent in [0.1, 25, 50, 90, 99, 99.9, 100] {
                let exact = values[max(0, Int((2_000 * percent / 100).rounded(.up)) - 1)]
                let found = histogram.percentile(percent)
                #expect(found >= exact && found - exact <= exact / 64, "\(bits) bits, \(percent) %: \(found) for \(exact)")
            }
            #expect(histogram.least == values[0] && histogram.most == values[1_999])
            #expect(histogram.heldBytes <= 4_096 * 16)
        }
    }

    @Test func `two together are as one that had all values`() {
        var (one, other, both) = (ValueHistogram(), ValueHistogram(), ValueHistogram())
        for value in (0..<500 as Range<UInt64>) {
            one.add(value * value)
            other.add(value * 1_000_003, times: 3)
            both.add(value * value)
            both.add(value * 1_000_003, times: 3)
        }
        one.add(other)
        one.add(ValueHistogram())
        #expect(one.count == both.count && one.sum == both.sum && one.most == both.most && one.least == both.least)
        for percent in stride(from: 0.0, through: 100, by: 2.5) { #expect(one.percentile(percent) == both.percentile(percent)) }
    }

    @Test func `nothing traps at the bounds`() {
        var histogram = ValueHistogram()
        #expect(histogram.percentile(50) == 0)
        histogram.add(.max, times: .max)
        histogram.add(.max, times: .max)
        histogram.add(0)
        #expect(histogram.count == .max && histogram.sum == .max && histogram.percentile(100) == .max)
    }
}
