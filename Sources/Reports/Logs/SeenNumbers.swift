/// Which numbers of conversations a run has had, as ranges: a run gives each number once, so that one which opens again is of another run.
///
/// Where there are more ranges than are kept, the two lowest become one: the numbers between them will hardly come any more.
struct SeenNumbers {
    static let mostRanges = 4_096

    private var ranges: [ClosedRange<UInt64>] = []

    func contains(_ number: UInt64) -> Bool {
        let place = place(of: number)
        return place < ranges.count && ranges[place].lowerBound <= number
    }

    mutating func insert(_ number: UInt64) {
        let place = place(of: number)
        if place < ranges.count, ranges[place].lowerBound <= number { return }
        let joinsLower = place > 0 && ranges[place - 1].upperBound == number &- 1
        let joinsHigher = place < ranges.count && ranges[place].lowerBound == number &+ 1
        switch (joinsLower, joinsHigher) {
        case (true, true):
            ranges[place - 1] = ranges[place - 1].lowerBound...ranges[place].upperBound
            ranges.remove(at: place)
        case (true, false): ranges[place - 1] = ranges[place - 1].lowerBound...number
        case (false, true): ranges[place] = number...ranges[place].upperBound
        case (false, false):
            ranges.insert(number...number, at: place)
            guard ranges.count > Self.mostRanges else { return }
            ranges[1] = ranges[0].lowerBound...ranges[1].upperBound
            ranges.removeFirst()
        }
    }

    /// The first range that does not end before a number.
    private func place(of number: UInt64) -> Int {
        // Most numbers are the last one, or come next.
        if let last = ranges.last, last.lowerBound <= number { return last.upperBound < number ? ranges.count : ranges.count - 1 }
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
