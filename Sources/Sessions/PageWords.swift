import Libc

/// The words of the records of one page, each of them once: what is handed to the full-text search.
///
/// To SQLite a page is one document: a word that stands in each of its thousands of messages is looked up once instead of thousands of times, which is what
/// makes the search cheap enough to be written along. A word is a run of letters, digits and bytes beyond ASCII; of words longer than 256 bytes
/// nothing is kept.
struct PageWords {
    private(set) var text: [UInt8] = []
    private var hashes = [UInt64](repeating: 0, count: PageWords.places)
    private var used = 0

    private static let places = 1 << 16
    private static let longest = 256
    /// Nobody can choose words that are taken for each other.
    private static let seed = UInt64.random(in: .min ... .max)

    private static let isWord: [Bool] = (0..<256).map { byte in
        byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }

    /// Whether there is little room left to know words again: the page should end.
    var isFull: Bool { used > PageWords.places / 2 || text.count > 1 << 20 }

    /// Takes the words of the page, so that another can begin.
    mutating func take() -> [UInt8] {
        defer { removeAll() }
        return text
    }

    mutating func removeAll() {
        text = []
        guard used > 0 else { return }
        for index in hashes.indices { hashes[index] = 0 }
        used = 0
    }

    /// Takes the words of a text.
    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        let count = bytes.count
        Self.isWord.withUnsafeBufferPointer { isWord in
            var position = 0
            while position < count {
                while position < count, !isWord[Int(bytes[position])] { position += 1 }
                let start = position
                var hash = Self.seed
                while position < count, isWord[Int(bytes[position])] {
                    // Letters of either case are alike to the search.
                    hash = (hash ^ UInt64(bytes[position] | 0x20)) &* 0x0000_0100_0000_01B3
                    position += 1
                }
                guard position > start, position - start <= Self.longest, isNew(hash) else { continue }
                text.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
                text.append(0x20)
            }
        }
    }

    /// Whether a word comes for the first time, as far as there is room to know.
    private mutating func isNew(_ hash: UInt64) -> Bool {
        let mark = hash | 1
        var place = Int(truncatingIfNeeded: (hash ^ hash >> 29) >> 3) & (Self.places - 1)
        while hashes[place] != 0 {
            if hashes[place] == mark { return false }
            place = (place + 1) & (Self.places - 1)
        }
        if used < Self.places * 3 / 4 {
            hashes[place] = mark
            used += 1
        }
        return true
    }
}
