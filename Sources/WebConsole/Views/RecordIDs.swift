/// Numbers of records in their order: four bytes each, as long as that is enough.
struct RecordIDs: Sendable {
    private var narrow: [UInt32] = []
    private var wide: [Int64] = []

    var count: Int { narrow.count + wide.count }

    subscript(_ place: Int) -> Int64 { place < narrow.count ? Int64(narrow[place]) : wide[place - narrow.count] }

    mutating func append(_ id: Int64) {
        if wide.isEmpty, let small = UInt32(exactly: id) { narrow.append(small) } else { wide.append(id) }
    }

    mutating func append(_ ids: [Int64]) {
        // They follow one another, so that the last one is the greatest.
        guard wide.isEmpty, let last = ids.last, last <= UInt32.max, let first = ids.first, first >= 0 else {
            for id in ids { append(id) }
            return
        }
        narrow.append(contentsOf: ids.lazy.map { UInt32(truncatingIfNeeded: $0) })
    }

    func slice(from start: Int, count: Int) -> [Int64] {
        guard start < self.count, start >= 0 else { return [] }
        return (start..<min(start + count, self.count)).map { self[$0] }
    }

    /// The place of the first number that is at least `id`; nil where all are smaller.
    func place(atLeast id: Int64) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low < count ? low : nil
    }
}
