/// Which elements of what a side said in one recording are which in the other.
///
/// First those with the same content are aligned, then between them those that differ in numbers, ids and times, then those of the same form, then those of the same kind.
/// What is left was lost or added, or moved where its content stands elsewhere, once in each.
struct ElementAlignment {
    private let old: [ContentKeys]
    private let new: [ContentKeys]
    private(set) var pairs: [(old: Int, new: Int)] = []
    private(set) var moved: [(old: Int, new: Int)] = []
    private(set) var lost: [Int] = []
    private(set) var added: [Int] = []
    /// The two differ too much to be aligned.
    private(set) var isByPosition = false

    init(_ old: [ContentKeys], _ new: [ContentKeys]) { (self.old, self.new) = (old, new) }

    private static var levels: [KeyPath<ContentKeys, UInt64>] { [\.exact, \.masked, \.shape, \.topic] }

    mutating func run() {
        align(Array(old.indices), Array(new.indices), level: 0)
        pairs.sort { $0.old < $1.old }
    }

    /// Aligns a stretch of each by one kind of key, and what lies between by the next.
    private mutating func align(_ left: [Int], _ right: [Int], level: Int) {
        guard !left.isEmpty, !right.isEmpty, level < Self.levels.count else {
            lost += left
            added += right
            return
        }
        let key = Self.levels[level]
        guard let matches = SequenceAlignment.pairs(left.map { old[$0][keyPath: key] }, right.map { new[$0][keyPath: key] }) else {
            if level + 1 < Self.levels.count { return align(left, right, level: level + 1) }
            isByPosition = true
            let count = min(left.count, right.count)
            pairs += (0..<count).map { (left[$0], right[$0]) }
            lost += left[count...]
            added += right[count...]
            return
        }
        let (away, here) = level < 2 ? takeMoved(left, right, besides: matches, key) : ([], [])
        var (leftStart, rightStart) = (0, 0)
        for match in matches + [(left.count, right.count)] {
            let leftGap = left[leftStart..<match.old].filter { !away.contains($0) }
            let rightGap = right[rightStart..<match.new].filter { !here.contains($0) }
            align(leftGap, rightGap, level: level + 1)
            if match.old < left.count { pairs.append((left[match.old], right[match.new])) }
            (leftStart, rightStart) = (match.old + 1, match.new + 1)
        }
    }

    /// Finds what stands once in each stretch and was not matched.
    private mutating func takeMoved(
        _ left: [Int], _ right: [Int], besides matches: [(old: Int, new: Int)], _ key: KeyPath<ContentKeys, UInt64>
    ) -> (old: Set<Int>, new: Set<Int>) {
        var (oldCounts, newPlaces): ([UInt64: Int], [UInt64: [Int]]) = ([:], [:])
        for index in left { oldCounts[old[index][keyPath: key], default: 0] += 1 }
        let (oldMatched, newMatched) = (Set(matches.map { left[$0.old] }), Set(matches.map { right[$0.new] }))
        for index in right { newPlaces[new[index][keyPath: key], default: []].append(index) }
        var (away, here): (Set<Int>, Set<Int>) = ([], [])
        for index in left where !oldMatched.contains(index) && oldCounts[old[index][keyPath: key]] == 1 {
            guard let places = newPlaces[old[index][keyPath: key]], places.count == 1, !newMatched.contains(places[0]) else { continue }
            moved.append((index, places[0]))
            away.insert(index)
            here.insert(places[0])
        }
        return (away, here)
    }
}
