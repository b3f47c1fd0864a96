import Dissection

/// A line that is wider than the terminal, over several lines: broken between words, and indented from the second on.
///
/// A terminal by itself breaks where its last column is, in the middle of words, and goes on at its first column.
struct FoldedText {
    /// Columns before the lines after the first, where nothing better is known.
    static let usualIndent = 6
    private(set) var bytes: [UInt8] = []
    /// Line feeds among them.
    private(set) var breaks: UInt64 = 0

    /// - Parameters:
    ///   - line: with colours, without a line end; what could harm a terminal has been left out.
    ///   - width: columns of the terminal, at least 20.
    ///   - indent: columns before the lines after the first; fewer where the terminal is narrow.
    init(_ line: RawSpan, width: Int, indent: Int) {
        let indent = min(indent, width / 3)
        var column = 0
        var hasWords = false
        // The last place to break at: where the spaces begin, and where the next word does.
        var gap: (end: Int, start: Int)?
        // Where an amount began that is not broken.
        var amount: Int?
        var place = 0
        bytes.reserveCapacity(line.byteCount + 64)
        while place < line.byteCount {
            let byte = line[place]
            if byte == 0x1b {
                // A colour takes no column, and ends with an m.
                repeat {
                    bytes.append(line[place])
                    place += 1
                } while place < line.byteCount && line[place - 1] != UInt8(ascii: "m")
                continue
            }
            if byte == 0x20 {
                let start = bytes.count
                while place < line.byteCount, line[place] == 0x20 {
                    bytes.append(0x20)
                    place += 1
                    column += 1
                }
                // An amount stays with the sign of its side: `> 2 messages 156 B`.
                let (spaces, before) = (bytes.count - start, place - (bytes.count - start))
                if spaces > 2 { amount = nil }
                if FoldedText.isSign(line, before: before) { amount = column }
                if let begin = amount, column - begin < FoldedText.longestAmount { continue }
                if hasWords, !FoldedText.isUnit(line, at: place) { gap = (start, bytes.count) }
                continue
            }
            let sequence = UTF8Sequence(line, at: place)
            let taken = Unicode.Scalar(sequence.scalar).map(\.columns) ?? 1
            if column + taken > width {
                var word = gap.map { Array(bytes[$0.start...]) } ?? []
                column = indent + FoldedText.columns(of: word)
                if let gap, column + taken <= width {
                    bytes.removeSubrange(gap.end...)
                } else {
                    // The word alone is longer than a line.
                    (word, column) = ([], indent)
                }
                bytes.append(0x0a)
                breaks += 1
                bytes += repeatElement(0x20, count: indent)
                bytes += word
                gap = nil
            }
            for _ in 0..<sequence.length {
                bytes.append(line[place])
                place += 1
            }
            column += taken
            hasWords = true
        }
    }

    /// Columns of what follows a sign and stays with it.
    private static let longestAmount = 40

    /// Whether the sign of a side stands before `place`, after three spaces or more.
    private static func isSign(_ line: RawSpan, before place: Int) -> Bool {
        guard place >= 4, line[place - 1] == UInt8(ascii: ">") || line[place - 1] == UInt8(ascii: "<") else { return false }
        return line[place - 2] == 0x20 && line[place - 3] == 0x20 && line[place - 4] == 0x20
    }

    /// Whether a number stands before the one space at `place`, and its unit after it: these stay together.
    private static func isUnit(_ line: RawSpan, at place: Int) -> Bool {
        guard place >= 2, line[place - 1] == 0x20, UInt8(ascii: "0")...UInt8(ascii: "9") ~= line[place - 2] else { return false }
        var end = place
        while end < line.byteCount, end - place < 4, UInt8(ascii: "A")...UInt8(ascii: "z") ~= line[end] { end += 1 }
        return end > place && end - place < 4
    }

    /// The columns that text with colours takes.
    private static func columns(of text: [UInt8]) -> Int {
        var (columns, place) = (0, 0)
        while place < text.count {
            if text[place] == 0x1b {
                while place < text.count, text[place] != UInt8(ascii: "m") { place += 1 }
                place += 1
                continue
            }
            let sequence = UTF8Sequence(text.rawBytes, at: place)
            columns += Unicode.Scalar(sequence.scalar).map(\.columns) ?? 1
            place += sequence.length
        }
        return columns
    }
}
