/// How often values came, in buckets whose width grows with the value, as HdrHistogram has them: 64 to each power of two, so that a value that is
/// read off is at most 1.6 % too large.
///
/// Only buckets that have something in them take memory: 16 bytes each, and there are at most 3,776 of them whatever comes.
package struct ValueHistogram: Sendable {
    private struct Bucket: Sendable {
        var index: UInt16
        var count: UInt64
    }

    private static let subBits = 6
    private static let subCount = UInt64(1) << UInt64(subBits)

    /// In the order of their values.
    private var buckets: [Bucket] = []
    package private(set) var count: UInt64 = 0
    package private(set) var least: UInt64 = .max
    package private(set) var most: UInt64 = 0
    /// Held at 2^64 - 1.
    package private(set) var sum: UInt64 = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// Bytes of memory beside the value itself.
    package var heldBytes: Int { buckets.capacity * MemoryLayout<Bucket>.stride }

    package mutating func add(_ value: UInt64, times: UInt64 = 1) {
        guard times > 0 else { return }
        count = count.clampedSum(times)
        let (product, overflow) = value.multipliedReportingOverflow(by: times)
        sum = sum.clampedSum(overflow ? .max : product)
        least = min(least, value)
        most = max(most, value)
        add(times, at: Self.index(of: value))
    }

    /// Takes in what another one has.
    package mutating func add(_ other: ValueHistogram) {
        guard !other.isEmpty else { return }
        count = count.clampedSum(other.count)
        sum = sum.clampedSum(other.sum)
        least = min(least, other.least)
        most = max(most, other.most)
        for bucket in other.buckets { add(bucket.count, at: bucket.index) }
    }

    /// The value that so many hundredths of all values do not exceed; 0 where there are none.
    package func percentile(_ percent: Double) -> UInt64 {
        guard !isEmpty else { return 0 }
        let share = (Double(count) * min(100, max(0, percent)) / 100).rounded(.up)
        let wanted = max(1, UInt64(exactly: share) ?? .max)
        var passed: UInt64 = 0
        for bucket in buckets {
            passed = passed.clampedSum(bucket.count)
            if passed >= wanted { return max(least, min(most, Self.highest(of: bucket.index))) }
        }
        return most
    }

    private mutating func add(_ times: UInt64, at index: UInt16) {
        // The place of the bucket, or where it belongs.
        var (low, high) = (0, buckets.count)
        while low < high {
            let middle = (low + high) / 2
            if buckets[middle].index < index { low = middle + 1 } else { high = middle }
        }
        if low < buckets.count, buckets[low].index == index {
            buckets[low].count = buckets[low].count.clampedSum(times)
        } else {
            buckets.insert(Bucket(index: index, count: times), at: low)
        }
    }

    /// Values below 64 have a bucket each; above, the power of two and the six bits after the first one.
    private static func index(of value: UInt64) -> UInt16 {
        guard value >= subCount else { return UInt16(value) }
        let shift = 63 - value.leadingZeroBitCount - subBits
        return UInt16(truncatingIfNeeded: UInt64(shift + 1) << UInt64(subBits) + (value >> UInt64(shift)) - subCount)
    }

    /// The largest value of a bucket.
    private static func highest(of index: UInt16) -> UInt64 {
        guard index >= subCount else { return UInt64(index) }
        let shift = UInt64(index) >> UInt64(subBits) - 1
        let first = (UInt64(index) & (subCount - 1) + subCount) << shift
        return first + ((1 << shift) - 1)
    }
}
