/// Aligns two sequences of keys: which elements of one are which of the other, in order, as many as possible (Myers, "An O(ND) difference
/// algorithm and its variations", 1986).
package enum SequenceAlignment {
    /// The most insertions and deletions together that are looked for: their trace takes four bytes times the square of it.
    package static let mostEdits = 1_500

    /// - Returns: Pairs of indices, growing in both; nil where the two differ more than is looked for.
    package static func pairs(_ old: [UInt64], _ new: [UInt64]) -> [(old: Int, new: Int)]? {
        // What the other one does not have at all has no part in it.
        let (ofOld, ofNew) = (Set(old), Set(new))
        let left = old.indices.filter { ofNew.contains(old[$0]) }
        let right = new.indices.filter { ofOld.contains(new[$0]) }
        var start = 0
        while start < min(left.count, right.count), old[left[start]] == new[right[start]] { start += 1 }
        var (leftEnd, rightEnd) = (left.count, right.count)
        while leftEnd > start, rightEnd > start, old[left[leftEnd - 1]] == new[right[rightEnd - 1]] {
            leftEnd -= 1
            rightEnd -= 1
        }
        guard let middle = core(left[start..<leftEnd].map { old[$0] }, right[start..<rightEnd].map { new[$0] }) else { return nil }
        var pairs = (0..<start).map { (old: left[$0], new: right[$0]) }
        pairs += middle.map { (old: left[start + $0.old], new: right[start + $0.new]) }
        pairs += (0..<left.count - leftEnd).map { (old: left[leftEnd + $0], new: right[rightEnd + $0]) }
        return pairs
    }

    /// The greedy algorithm, with the furthest points of each round kept to walk back.
    private static func core(_ old: [UInt64], _ new: [UInt64]) -> [(old: Int, new: Int)]? {
        let (oldCount, newCount) = (old.count, new.count)
        if oldCount == 0 || newCount == 0 { return [] }
        let bound = min(oldCount + newCount, mostEdits)
        // The furthest place in `old` on each diagonal, from -bound - 1 to bound + 1.
        var furthest = [Int32](repeating: 0, count: 2 * bound + 3)
        let middle = bound + 1
        var trace: [[Int32]] = []
        for edits in 0...bound {
            trace.append(Array(furthest[middle - edits...middle + edits]))
            for diagonal in stride(from: -edits, through: edits, by: 2) {
                let isDown =
                    diagonal == -edits
                    || (diagonal != edits && furthest[middle + diagonal - 1] < furthest[middle + diagonal + 1])
                var position = isDown ? Int(furthest[middle + diagonal + 1]) : Int(furthest[middle + diagonal - 1]) + 1
                while position < oldCount, position - diagonal < newCount, position - diagonal >= 0,
                    old[position] == new[position - diagonal]
                {
                    position += 1
                }
                furthest[middle + diagonal] = Int32(position)
                if position >= oldCount, position - diagonal >= newCount { return walkBack(trace, oldCount, newCount) }
            }
        }
        return nil
    }

    private static func walkBack(_ trace: [[Int32]], _ oldCount: Int, _ newCount: Int) -> [(old: Int, new: Int)] {
        var pairs: [(old: Int, new: Int)] = []
        var (x, y) = (oldCount, newCount)
        for edits in trace.indices.reversed() {
            let before = trace[edits]
            func furthest(_ diagonal: Int) -> Int { abs(diagonal) <= edits ? Int(before[diagonal + edits]) : -1 }
            let diagonal = x - y
            let isDown = diagonal == -edits || (diagonal != edits && furthest(diagonal - 1) < furthest(diagonal + 1))
            let lastDiagonal = isDown ? diagonal + 1 : diagonal - 1
            let lastX = edits == 0 ? 0 : furthest(lastDiagonal)
            let lastY = edits == 0 ? 0 : lastX - lastDiagonal
            while x > lastX, y > lastY {
                x -= 1
                y -= 1
                pairs.append((x, y))
            }
            (x, y) = (lastX, lastY)
        }
        return pairs.reversed()
    }
}
