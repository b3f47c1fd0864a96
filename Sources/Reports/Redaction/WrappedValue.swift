import Dissection

/// The value of a secret name inside of something else: `Optional("x")`, `Some(x)`, `new String("x")`, `"""x"""`.
enum WrappedValue {
    enum Form {
        /// A string, from its first byte on.
        case string(ValueEnd.Kind, from: Int)
        /// A call with other arguments, up to the byte after its closing bracket.
        case call(to: Int)
        case plain
        /// What follows has to be known.
        case unknown
    }

    /// Bytes in which the closing bracket is looked for.
    private static let longest = 512
    private static let longestWord = 64
    /// Calls in calls: `Optional(Some("x"))`.
    private static let deepest = 4

    static func form(in scan: SecretScan, at start: Int) -> Form {
        let most = min(scan.end, start + longest)
        var (index, depth) = (start, 0)
        while depth < deepest, let inside = argument(in: scan, at: index, to: most) {
            index = inside
            depth += 1
        }
        // As Haskell writes it.
        if depth == 0, scan.isLine(start, "Just "), let (opening, first) = scan.quotesAfter(start + 5) {
            return .string(opening.kind, from: first)
        }
        guard depth > 0 else { return mayBeCut(in: scan, at: start) ? .unknown : .plain }
        let isOpen = !scan.isLast && most == scan.end
        guard index < most else { return isOpen ? .unknown : .plain }
        guard let (opening, first) = scan.quotesAfter(index) else {
            guard let close = closingBracket(in: scan, from: index, to: most, depth) else { return isOpen ? .unknown : .plain }
            return .call(to: close)
        }
        guard first < most else { return isOpen ? .unknown : .plain }
        // `{"m":"token = f(","n":1}`: the quote ends the text in which the call stands.
        if [0x2c, 0x3a, 0x5d, 0x7d].contains(scan.text[first]) { return .plain }
        let string = Form.string(opening.kind, from: first)
        var value = ValueEnd(opening.kind)
        guard case .end(let close) = value.find(in: scan.text, from: first, to: most, isLast: true) else { return string }
        var (after, open) = (close + opening.text.count, depth)
        while after < most, open > 0, scan.text[after].isSpace || scan.text[after] == 0x2c || scan.text[after] == 0x29 {
            if scan.text[after] == 0x29 { open -= 1 }
            after += 1
        }
        if open == 0 { return string }
        if let bracket = closingBracket(in: scan, from: index, to: most, depth) { return .call(to: bracket) }
        return isOpen ? .unknown : string
    }

    /// A string between three quotes each.
    static func tripleQuoted(in scan: SecretScan, at start: Int) -> Form {
        guard let (opening, first) = scan.quotesAfter(start), case .plain(let level, _) = opening, level < 8 else { return .plain }
        let two = opening.text + opening.text
        let following = scan.text[first..<min(scan.end, first + two.count)]
        guard following.elementsEqual(two.prefix(following.count)) else { return .plain }
        if following.count == two.count { return .string(.tripleQuoted(opening.text + two), from: first + two.count) }
        return scan.isLast || following.count < opening.text.count ? .plain : .unknown
    }

    /// Whether the text ends between `new` or `Just` and what follows.
    private static func mayBeCut(in scan: SecretScan, at start: Int) -> Bool {
        guard !scan.isLast, scan.end - start < longestWord, scan.isLine(start, "new ") || scan.isLine(start, "Just ") else { return false }
        return scan.text[start..<scan.end].allSatisfy { $0.isOfWord || $0 == 0x20 || $0 == 0x2e || $0 == 0x3a || $0 == 0x5c }
    }

    /// Where the first argument of a call begins, whose name begins at a byte.
    private static func argument(in scan: SecretScan, at index: Int, to most: Int) -> Int? {
        let first = scan.isLine(index, "new ") ? index + 4 : index
        var word = first
        while word < most, word - first < longestWord, scan.text[word].isOfWord || scan.text[word] == 0x2e || scan.text[word] == 0x3a {
            word += 1
        }
        guard word > first, word < most, scan.text[word] == 0x28 else { return nil }
        word += 1
        while word < most, scan.text[word].isSpace { word += 1 }
        return word
    }

    /// The byte after the bracket that closes so many; nil where it is not there, or where the string ends in which all this stands.
    private static func closingBracket(in scan: SecretScan, from start: Int, to most: Int, _ brackets: Int) -> Int? {
        var depth = brackets
        var quote: (byte: UInt8, level: Int)?
        var run = 0
        for index in start..<most {
            let byte = scan.text[index]
            switch byte {
            case 0x22, 0x27:
                if let open = quote {
                    if byte == 0x22, run < open.level { return nil }
                    if byte == open.byte, run == open.level { quote = nil }
                } else if !scan.text[index - 1 - run].isOfWord {
                    quote = (byte, run)
                } else if byte == 0x22 {
                    return nil
                }
            case 0x28 where quote == nil: depth += 1
            case 0x29 where quote == nil:
                depth -= 1
                if depth == 0 { return index + 1 }
            case _: break
            }
            run = byte == 0x5c ? run + 1 : 0
        }
        return nil
    }
}

extension SecretScan {
    /// Hides a value that is inside of something else; nil where it is not.
    ///
    /// - Parameters:
    ///   - kind: where a value without quotes ends, which follows the call.
    ///   - isLine: a line is hidden whole, unless it begins with three quotes.
    mutating func wrapped(
        from start: Int, _ kind: ValueEnd.Kind, lookedFor anchor: Int, quotes: [UInt8] = [], isLine: Bool = false
    ) -> Step? {
        var form = WrappedValue.tripleQuoted(in: self, at: start)
        if case .plain = form, !isLine { form = WrappedValue.form(in: self, at: start) }
        switch form {
        case .plain: return nil
        case .string(let kind, let first):
            count(first - start)
            return value(from: first, kind, lookedFor: anchor)
        case .call(let close): return value(from: start, past: close, kind, lookedFor: anchor, quotes: quotes)
        case .unknown:
            guard end - anchor <= SecretScan.mostHeld, start - anchor <= SecretScan.mostContext else { return nil }
            return .more(from: anchor, told: start)
        }
    }
}
