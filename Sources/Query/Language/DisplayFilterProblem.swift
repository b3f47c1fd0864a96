import Reports

/// What is wrong with an expression of the display filter.
package struct DisplayFilterProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The expression as it was given.
    package let expression: String
    /// The characters (Unicode scalars) that it is about, from 0; empty at the end of the expression where something is missing there.
    package let columns: Range<Int>
    /// What is wrong with them, without a full stop.
    package let message: String
    /// A name that exists and is written much like the one that does not.
    package let nearest: String?

    /// Characters of the expression that are shown before and after those that are wrong.
    private static let around = 60

    init(expression: String, columns: Range<Int>, message: String, nearest: String? = nil) {
        self.expression = expression
        self.columns = columns
        self.message = message
        self.nearest = nearest
    }

    /// The message, the expression, and under it a line that points at the columns. Of a long expression a part is shown.
    package var description: String {
        let characters = Array(expression.unicodeScalars)
        func text(_ range: Range<Int>) -> String {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: characters[range])
            return String(text).visible
        }
        let start = min(columns.lowerBound, characters.count)
        let end = min(max(columns.upperBound, start), characters.count)
        let shownStart = start > Self.around ? start - Self.around : 0
        let shownEnd = min(characters.count, max(start + Self.around, min(end, start + 2 * Self.around)))
        let before = (shownStart > 0 ? "…" : "") + text(shownStart..<start)
        let wrong = text(start..<min(end, shownEnd))
        let after = text(min(end, shownEnd)..<shownEnd) + (shownEnd < characters.count ? "…" : "")
        let carets = "^" + String(repeating: "~", count: max(0, wrong.terminalColumns - 1))
        let question = nearest.map { "; did you mean \($0)?" } ?? ""
        return "\(message)\(question)\n  \(before)\(wrong)\(after)\n  \(String(repeating: " ", count: before.terminalColumns))\(carets)"
    }
}

extension String {
    /// The columns that it takes on a terminal.
    fileprivate var terminalColumns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

    /// In a message: without what a terminal acts on, and not at any length.
    var shownInMessage: String {
        let shown = (count > 60 ? String(prefix(60)) + "…" : self).visible
        return "\"\(shown)\""
    }
}
