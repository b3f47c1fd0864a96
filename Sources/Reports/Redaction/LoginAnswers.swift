import Dissection

/// What a client that logs in sends in one piece with the command: the literals of IMAP and ManageSieve that nobody has to ask for (`{12+}`, RFC 7888
/// and RFC 5804), and the lines in base64 that others wait with until they are asked (SMTP, IMAP, POP3).
enum LoginAnswers {
    /// - Parameter place: within the line of the command.
    static func replacements(in text: [UInt8], after place: Int, _ marks: RedactionMark) -> Replacements {
        var found = Replacements()
        var line = place
        while true {
            let lineEnd = text[line...].firstIndex(of: 0x0a) ?? text.count
            let next = lineEnd + 1
            guard next < text.count else { return found }
            if let length = literalLength(text[line..<lineEnd]) {
                let literalEnd = min(text.count, next + min(length, text.count))
                hide(next..<literalEnd, text, marks, &found)
                // What follows it goes on with the line.
                line = literalEnd
                guard line < text.count else { return found }
                continue
            }
            let answerEnd = text[next...].firstIndex(of: 0x0a) ?? text.count
            var contentEnd = answerEnd
            while contentEnd > next, text[contentEnd - 1] == 0x0d { contentEnd -= 1 }
            // A line with a space is another command, and one that is short is none that says anything.
            guard contentEnd > next + 1, !text[next..<contentEnd].contains(where: { $0 <= 0x20 }) else { return found }
            hide(next..<contentEnd, text, marks, &found)
            line = next
        }
    }

    private static func hide(_ range: Range<Int>, _ text: [UInt8], _ marks: RedactionMark, _ found: inout Replacements) {
        guard !range.isEmpty, !RedactionMark.isMark(text[range]) else { return }
        found.add(range, marks.mark(of: text[range]))
    }

    /// Whether only `HELLO` and the version of its protocol stand before the next word in its line, as an inline command of Redis has it.
    static func isAfterHello(_ text: ArraySlice<UInt8>) -> Bool {
        let words = text.suffix(8)
        guard words.count == 8, text.count == 8 || text[words.startIndex - 1] == 0x0a, words.last == 0x20 else { return false }
        return words.prefix(6).map { $0 | 0x20 }.elementsEqual("hello ".utf8) && 0x30...0x39 ~= words[words.startIndex + 6]
    }

    /// The length that a line ends with, as IMAP has it: `{8}`, or `{8+}` where nobody asks for the rest (RFC 9051, section 4.3).
    static func literalLength(_ line: ArraySlice<UInt8>) -> Int? {
        var rest = line
        if rest.last == 0x0d { rest = rest.dropLast() }
        guard rest.last == 0x7d else { return nil }
        rest = rest.dropLast()
        if rest.last == 0x2b || rest.last == 0x2d { rest = rest.dropLast() }
        let digits = rest.suffix(while: { 0x30...0x39 ~= $0 })
        guard (1...9).contains(digits.count), rest.dropLast(digits.count).last == 0x7b else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}

extension ArraySlice<UInt8> {
    /// The longest end whose bytes all fit.
    fileprivate func suffix(while fits: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        var start = endIndex
        while start > startIndex, fits(self[start - 1]) { start -= 1 }
        return self[start...]
    }
}
