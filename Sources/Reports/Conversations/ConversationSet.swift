/// Numbers of conversations. Numbers that are close together, as those of a run are, take half a byte each.
package struct ConversationSet: Sendable {
    /// 64 numbers a word.
    private var words: [UInt64: UInt64] = [:]
    private let mostWords: Int
    /// Whether there was no room for all numbers.
    package private(set) var isCut = false

    /// - Parameter mostBytes: the memory that it may take.
    package init(mostBytes: Int) { mostWords = max(1, mostBytes / 48) }

    package var isEmpty: Bool { words.isEmpty }

    package func contains(_ number: UInt64) -> Bool { words[number >> 6].map { $0 & 1 << (number & 63) != 0 } ?? false }

    package mutating func insert(_ number: UInt64) {
        let bit: UInt64 = 1 << (number & 63)
        if let word = words[number >> 6] {
            words[number >> 6] = word | bit
        } else if words.count < mostWords {
            words[number >> 6] = bit
        } else {
            isCut = true
        }
    }
}
