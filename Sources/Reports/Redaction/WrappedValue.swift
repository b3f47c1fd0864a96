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

    static func form(in scan: inout SecretScan, at start: Int) -> Form {
        let most = min(scan.end, start + longest)
        var (index, depth) = (start, 0)
        while depth < deepest, let inside = argument(in: scan, at: index, to: most) {
            index = inside
            depth += 1
        }
        // As Haskell writes it.
        if depth == 0, scan.isLine(start, "Just "), let (opening, first) = scan.quotesAfter(start + 5) {
            guard let closes = scan.closesString(opening, first, openedBefore: start) else { return .unknown }
            return closes ? .plain : .string(opening.kind, from: first)
        }
        let isOpen = !scan.isLast && most == scan.end
        let literal = StringLiteral.form(in: &scan, at: index, to: most)
        if case .plain = literal {} else { return literal }
        guard depth > 0 else { return mayBeCut(in: scan, at: start) ? .unknown : .plain }
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

    /// Whether the text ends between `new` or `Just` and what follows, or before the bracket of a call.
    private static func mayBeCut(in scan: SecretScan, at start: Int) -> Bool {
        guard !scan.isLast, scan.end - start < longestWord else { return false }
        if scan.isLine(start, "new ") || scan.isLine(start, "Just ") {
            return scan.text[start..<scan.end].allSatisfy { $0.isOfWord || $0 == 0x20 || $0 == 0x2e || $0 == 0x3a || $0 == 0x5c }
        }
        // What ends no value without quotes goes on by itself.
        let name = scan.text[start..<scan.end]
        return (name.first == 0x26 || name.contains(0x3c)) && isPartOfCall(in: scan, at: start)
    }

    /// Whether all that follows may be of the name of a call.
    static func isPartOfCall(in scan: SecretScan, at start: Int) -> Bool {
        guard !scan.isLast, scan.end - start < longestWord else { return false }
        return scan.text[start..<scan.end].allSatisfy { $0.isOfWord || signs.contains($0) || isOfType($0) }
    }

    /// `&`, `*`, `!`, `@`, `$`: of Rust, Go, Objective-C and others.
    private static let signs: [UInt8] = [0x26, 0x2a, 0x21, 0x40, 0x24]

    private static func isOfType(_ byte: UInt8) -> Bool { byte.isOfWord || [0x2c, 0x20, 0x2e, 0x3a, 0x3f, 0x3c, 0x3e].contains(byte) }

    /// Where the first argument of a call begins, whose name begins at a byte.
    private static func argument(in scan: SecretScan, at index: Int, to most: Int) -> Int? {
        var first = scan.isLine(index, "new ") ? index + 4 : index
        while first < most, first - index < 8, signs.contains(scan.text[first]) { first += 1 }
        var word = first
        while word < most, word - first < longestWord, scan.text[word].isOfWord || scan.text[word] == 0x2e || scan.text[word] == 0x3a {
            word += 1
        }
        // `Optional<String>`
        if word > first, word < most, scan.text[word] == 0x3c {
            while word < most, word - first < longestWord, isOfType(scan.text[word]) { word += 1 }
            guard scan.text[word - 1] == 0x3e else { return nil }
        }
        guard word < most, scan.text[word] == 0x28 else { return nil }
        let hasName = word > index
        word += 1
        while word < most, scan.text[word].isSpace { word += 1 }
        // `("x")`: brackets by themselves are around a string.
        return hasName || scan.quotesAfter(word) != nil || scan.quotesAfter(word + 1) != nil ? word : nil
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
        if case .plain = form, !isLine { form = WrappedValue.form(in: &self, at: start) }
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

    /// Hides what stands after `=>` and is no string by itself: an array, a call with a string as its argument, and after a name in quotes any call.
    ///
    /// `token => …` may be a function of JavaScript: what stands after a name without quotes is a value where a type is called.
    mutating func arrowValue(at start: Int, named name: ArraySlice<UInt8>, lookedFor anchor: Int) -> Step? {
        guard start < end else { return nil }
        let isQuoted = name.endIndex < start && quotesAfter(name.endIndex) != nil
        let isSymbol = name.startIndex > bounds.lowerBound && text[name.startIndex - 1] == 0x3a
        if text[start] == 0x5b {
            let first = skipSpaces(start + 1)
            count(first - start)
            if first == end, !isLast { return held(anchor, start) }
            guard let (opening, inside) = quotesAfter(first) ?? literalQuotes(at: first) else { return nil }
            guard let closes = closesString(opening, inside, openedBefore: start) else { return held(anchor, start) }
            if closes { return nil }
            return value(from: start, .nested(level: opening.level), lookedFor: anchor, quotes: opening.text)
        }
        let isCall = isQuoted || isSymbol || 0x41...0x5a ~= text[start] || isLine(start, "new ")
        let form =
            isCall
            ? WrappedValue.form(in: &self, at: start)
            : StringLiteral.form(in: &self, at: start, to: min(end, start + SecretScan.mostContext))
        switch form {
        case .string(let kind, let first): return value(from: first, kind, lookedFor: anchor)
        case .call(let close): return value(from: start, past: close, .literal, lookedFor: anchor)
        case .unknown: return held(anchor, start)
        case .plain:
            if isCall, WrappedValue.isPartOfCall(in: self, at: start) { return held(anchor, start) }
            // Numbers.
            guard isQuoted || isSymbol, 0x30...0x39 ~= text[start] else { return nil }
            return value(from: start, .literal, lookedFor: anchor)
        }
    }

    /// Waits for what follows, as far as that can be kept.
    private func held(_ anchor: Int, _ start: Int) -> Step? {
        end - anchor <= SecretScan.mostHeld && start - anchor <= SecretScan.mostContext ? .more(from: anchor, told: start) : nil
    }

    /// The quotes of a string with a prefix.
    private mutating func literalQuotes(at start: Int) -> (NameQuotes, Int)? {
        var quote = start
        while quote < end, quote - start < 4, text[quote].isOfWord || text[quote] == 0x40 { quote += 1 }
        return quotesAfter(quote)
    }
}
