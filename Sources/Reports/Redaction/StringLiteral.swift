import Dissection

/// A string of a program with letters or signs before its quote: `b"x"`, `@"x"`, `r#"x"#`.
enum StringLiteral {
    /// Letters of Python, C, C++ and Rust; signs of Objective-C, C#, Swift, Rust and Go.
    private static let prefixes = Array("bBrRfFuUlLcC8@$&*#".utf8)
    private static let longestPrefix = 6

    /// What stands at a byte. The quote that ends the string in which all this stands opens none.
    static func form(in scan: inout SecretScan, at start: Int, to most: Int) -> WrappedValue.Form {
        var quote = start
        while quote < most, quote - start < longestPrefix, prefixes.contains(scan.text[quote]) { quote += 1 }
        guard quote > start else { return .plain }
        if quote == scan.end { return scan.isLast ? .plain : .unknown }
        guard let (opening, first) = scan.quotesAfter(quote) else {
            // Backslashes before a quote that is to come.
            let isOpen = !scan.isLast && scan.end - quote < SecretScan.mostBackslashes
            return isOpen && scan.text[quote..<scan.end].allSatisfy { $0 == 0x5c } ? .unknown : .plain
        }
        // Signs stand before no other quotes.
        guard case .plain(_, let sign) = opening, sign == 0x22 || scan.text[start..<quote].allSatisfy(\.isOfWord) else { return .plain }
        switch scan.closesString(opening, first, openedBefore: start) {
        case .some(false): break
        case .some(true): return .plain
        case .none: return .unknown
        }
        let prefix = scan.text[start..<quote]
        let (hashes, isVerbatim) = (prefix.count { $0 == 0x23 }, prefix.contains(0x40))
        guard hashes > 0 || isVerbatim else { return .string(opening.kind, from: first) }
        return form(in: scan, from: first, to: most, opening, hashes)
    }

    /// A string in which a quote may stand: doubled, or without as many `#` after it.
    private static func form(in scan: SecretScan, from first: Int, to most: Int, _ opening: NameQuotes, _ hashes: Int) -> WrappedValue.Form
    {
        let quotes = opening.text
        var (index, isFirst) = (first, hashes == 0)
        while index + quotes.count <= most {
            guard scan.text[index..<index + quotes.count].elementsEqual(quotes) else {
                index += 1
                continue
            }
            let after = index + quotes.count
            if hashes > 0 {
                if after + hashes <= most, scan.text[after..<after + hashes].allSatisfy({ $0 == 0x23 }) { return .call(to: after + hashes) }
                index = after
            } else if after + quotes.count > most, !scan.isLast, most == scan.end {
                return .unknown
            } else if after + quotes.count <= most, scan.text[after..<after + quotes.count].elementsEqual(quotes) {
                (index, isFirst) = (after + quotes.count, false)
            } else {
                return isFirst ? .string(opening.kind, from: first) : .call(to: after)
            }
        }
        return !scan.isLast && most == scan.end ? .unknown : .string(opening.kind, from: first)
    }
}
