/// Finds the place of a conversation by its number: open addressing with linear probing, at most half full.
///
/// The numbers are our own and run on by one, so nobody can steer collisions; the multiplication spreads them.
struct NumberedPlaces {
    private struct Bucket {
        /// 0 for none: conversations are numbered from 1.
        var number: UInt64 = 0
        var place: Int32 = 0
    }

    private var buckets = [Bucket](repeating: Bucket(), count: 64)
    private var count = 0

    @inline(__always)
    private func home(of number: UInt64) -> Int {
        // Fibonacci hashing: the top bits of the product with 2^64 divided by the golden ratio.
        Int(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) >> UInt64(buckets.count.leadingZeroBitCount + 1))
    }

    /// Where a number stands, or would stand.
    @inline(__always)
    private func bucket(of number: UInt64) -> Int {
        let mask = buckets.count - 1
        var bucket = home(of: number)
        while buckets[bucket].number != 0, buckets[bucket].number != number { bucket = (bucket + 1) & mask }
        return bucket
    }

    @inline(__always)
    subscript(number: UInt64) -> Int32? {
        let bucket = bucket(of: number)
        return buckets[bucket].number == number && number != 0 ? buckets[bucket].place : nil
    }

    /// Adds a number that is not in.
    mutating func insert(_ number: UInt64, place: Int32) {
        guard number != 0 else { return }
        if (count + 1) * 2 > buckets.count {
            let old = buckets
            buckets = [Bucket](repeating: Bucket(), count: old.count * 2)
            for entry in old where entry.number != 0 { buckets[bucket(of: entry.number)] = entry }
        }
        buckets[bucket(of: number)] = Bucket(number: number, place: place)
        count += 1
    }

    /// Takes a number out, and moves back what had to give way to it.
    mutating func remove(_ number: UInt64) {
        guard number != 0 else { return }
        let mask = buckets.count - 1
        var hole = bucket(of: number)
        guard buckets[hole].number == number else { return }
        var probe = (hole + 1) & mask
        while buckets[probe].number != 0 {
            // What stands at `probe` may move to the hole if its home is not between the two.
            if ((probe - home(of: buckets[probe].number)) & mask) >= ((probe - hole) & mask) {
                buckets[hole] = buckets[probe]
                hole = probe
            }
            probe = (probe + 1) & mask
        }
        buckets[hole] = Bucket()
        count -= 1
    }
}
