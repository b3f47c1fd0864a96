/// The name that a user may have meant who wrote another one.
package enum NearestName {
    /// Characters of a name that are compared.
    private static let most = 64

    /// The name that is nearest to what was written: one that it is the beginning of, past the first word; otherwise by its letters, as slips of
    /// the pen go (at most one in three of them); otherwise one of which what was written is a word (`port` of `listen-port`), or the beginning.
    /// Nil where there is none.
    ///
    /// - Parameter names: the first of several that are as near.
    package static func of(_ written: String, among names: [String]) -> String? {
        let written = written.lowercased()
        guard !written.isEmpty, written.count <= Self.most else { return nil }
        // Who has written `websocket.utf8` has come as far as `websocket.utf8-invalid`, though `websocket.draft` has fewer other letters.
        if written.contains(where: isBreak), let name = beginning(with: written, names) { return name }
        let distances = names.map { distance(Array(written), Array($0.prefix(Self.most))) }
        if let least = distances.min(), least <= max(1, written.count / 3), let index = distances.firstIndex(of: least) {
            return names[index]
        }
        let having = names.filter { $0.split(whereSeparator: isBreak).contains(written[...]) }
        if let name = having.min(by: { $0.count < $1.count }) { return name }
        guard written.count >= 3 else { return nil }
        return beginning(with: written, names)
    }

    /// The shortest name that begins so.
    private static func beginning(with written: String, _ names: [String]) -> String? {
        names.filter { $0.hasPrefix(written) }.min { $0.count < $1.count }
    }

    /// Whether a character parts the words of a name.
    private static func isBreak(_ character: Character) -> Bool { character == "-" || character == "." }

    /// How many letters are added, left out, replaced, or swapped with their neighbour.
    static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for (row, letter) in one.enumerated() {
            var next = [row + 1]
            for (column, candidate) in other.enumerated() {
                var least = min(last[column + 1] + 1, next[column] + 1, last[column] + (letter == candidate ? 0 : 1))
                if row > 0, column > 0, letter == other[column - 1], one[row - 1] == candidate {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            before = last
            last = next
        }
        return last[other.count]
    }
}
