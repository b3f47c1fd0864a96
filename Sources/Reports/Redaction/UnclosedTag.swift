import Dissection

// What has no end tag: a name in a usage text (`login <user> <password>`), or an element that is cut.

extension SecretScan {
    /// Whether what follows goes up to the end tag of another element.
    mutating func endsWithTag(_ range: Range<Int>) -> Bool {
        let bracket = text[range].firstIndex(of: 0x3c)
        count((bracket ?? range.upperBound) - range.lowerBound)
        return bracket.map { isLine($0, "</") || isLine($0, "<\\/") } ?? false
    }

    func lineKind(_ string: EnclosingString.Level) -> ValueEnd.Kind {
        switch string {
        case .inside(let level): .elementLine(level: level)
        case .unknown: .elementLine(level: 0)
        case .none: .elementLine(level: nil)
        }
    }

    /// Whether what follows a start tag is a key, or the like, that is longer than what can be held back: no usage text goes on in such lines.
    mutating func isLongToken(_ range: Range<Int>) -> Bool {
        guard range.count >= SecretScan.mostHeld else { return false }
        let other = text[range].firstIndex { !$0.isOfToken && $0 != 0x0a && $0 != 0x0d }
        count((other ?? range.upperBound) - range.lowerBound)
        return other == nil
    }

    /// Where a string ends at a quote: before the backslashes of that; a byte after it, where it does not end there; nil where more has to come.
    mutating func endOfString(at quote: Int, _ level: Int) -> Int? {
        var string = EnclosingString(text, bounds)
        defer { count(string.steps) }
        let first = string.backslashes(before: quote)
        let run = quote - first
        // Quotes inside of it have more backslashes.
        guard run & (2 * level + 1) != 2 * level + 1 else { return quote + 1 }
        guard let isAfter = string.isAfterString(quote + 1, isCertain: true, isLast: isLast) else { return nil }
        return isAfter ? quote - min(run, level) : quote + 1
    }
}
