import Dissection

/// The string in which a byte stands, by the quotes before it: `{"url":"https://a/?token=","n":1}` has nothing after `token=`.
struct EnclosingString {
    enum Level: Hashable {
        /// Its quotes stand after so many backslashes.
        case inside(Int)
        case none
        /// Its quotes stand too far away.
        case unknown
    }

    let text: [UInt8]
    let bounds: Range<Int>
    private(set) var steps = 0

    /// Bytes in which its beginning is looked for.
    private static let longest = 512
    /// White space beside a quote.
    private static let mostBlanks = 64

    init(_ text: [UInt8], _ bounds: Range<Int>) {
        self.text = text
        self.bounds = bounds
    }

    /// How the quotes are written of the string in which a byte stands.
    ///
    /// A quote may open one where `:`, `,`, `=` or an opening bracket stands before it, and certainly ends one where something else does. Of several after
    /// each other that may, every second one does: `["a:","b`.
    mutating func level(before index: Int, quote: UInt8 = 0x22) -> Level {
        let floor = max(bounds.lowerBound, index - Self.longest)
        var place = index
        // Strings whose quotes have so many backslashes, or more, have ended.
        var ended = Int.max
        var opening: (level: Int, count: Int)?
        defer { steps += index - place }
        while place > floor {
            place -= 1
            guard text[place] == quote else { continue }
            let first = backslashes(before: place)
            let run = place - first
            place = max(first, floor)
            if let chain = opening {
                if run == chain.level, opens(first) {
                    opening?.count += 1
                    continue
                }
                if run > chain.level { continue }
                if chain.count % 2 == 1 { return .inside(chain.level) }
                opening = nil
                ended = chain.level
            }
            if run < ended {
                if opens(first) {
                    opening = (run, 1)
                } else {
                    ended = run
                }
            }
            if ended == 0 { return .none }
        }
        guard floor == bounds.lowerBound else { return opening?.count == 1 ? opening.map { .inside($0.level) } ?? .unknown : .unknown }
        return opening.map { $0.count % 2 == 1 ? .inside($0.level) : .none } ?? .none
    }

    /// Where the backslashes before a quote begin.
    func backslashes(before index: Int) -> Int {
        var start = index
        while start > bounds.lowerBound, text[start - 1] == 0x5c, index - start < SecretScan.mostBackslashes { start -= 1 }
        return start
    }

    private mutating func opens(_ quote: Int) -> Bool {
        var before = quote
        while before > bounds.lowerBound, quote - before < Self.mostBlanks, text[before - 1].isSpace { before -= 1 }
        steps += quote - before
        // `:,[{(=`
        return before == bounds.lowerBound || [0x3a, 0x2c, 0x5b, 0x7b, 0x28, 0x3d].contains(text[before - 1])
    }

    /// Whether what stands after a quote follows the end of a string; nil where it is not there yet.
    mutating func isAfterString(_ first: Int, isCertain: Bool, isLast: Bool) -> Bool? {
        var index = first
        while index < bounds.upperBound, index - first < Self.mostBlanks, text[index].isSpace { index += 1 }
        steps += index - first
        guard index < bounds.upperBound else { return isLast ? true : nil }
        if isCertain, text[first] == 0x0a || text[first] == 0x0d { return true }
        // `,}]:`, and in programs `);+`
        return [0x2c, 0x7d, 0x5d, 0x3a].contains(text[index]) || isCertain && [0x29, 0x3b, 0x2b].contains(text[index])
    }
}

extension SecretScan {
    /// The string in which a byte stands.
    mutating func stringLevel(before index: Int, quote: UInt8 = 0x22) -> EnclosingString.Level {
        var string = EnclosingString(text, bounds)
        defer { count(string.steps) }
        return string.level(before: index, quote: quote)
    }

    /// Whether a quote ends the string in which a byte before it stands, or has that end after it (`token='"`); nil where that is not known yet.
    ///
    /// - Parameter first: the byte after the quote.
    mutating func closesString(_ opening: NameQuotes, _ first: Int, openedBefore index: Int) -> Bool? {
        let closes = isEndOfString(opening, first, openedBefore: index)
        guard closes == false, case .plain(_, 0x27) = opening, first < end, let (outer, second) = quotesAfter(first), outer != opening
        else {
            return closes
        }
        return isEndOfString(outer, second, openedBefore: index)
    }

    private mutating func isEndOfString(_ opening: NameQuotes, _ first: Int, openedBefore index: Int) -> Bool? {
        guard case .plain(let level, let quote) = opening else { return false }
        let isCertain: Bool
        switch stringLevel(before: index, quote: quote) {
        // Quotes inside of it have more backslashes.
        case .inside(let other) where level & (2 * other + 1) != 2 * other + 1: isCertain = true
        case .unknown: isCertain = false
        case .inside, .none: return false
        }
        var string = EnclosingString(text, bounds)
        defer { count(string.steps) }
        return string.isAfterString(first, isCertain: isCertain, isLast: isLast)
    }

    /// Goes on after a quote that ends the string in which a name and its sign stand: there is no value.
    mutating func noValue(at start: Int, named name: ArraySlice<UInt8>, lookedFor anchor: Int) -> Step? {
        guard start < end, let (opening, first) = quotesAfter(start) else { return nil }
        guard let closes = closesString(opening, first, openedBefore: beginning(of: name)) else {
            guard end - anchor <= SecretScan.mostHeld, start - anchor <= SecretScan.mostContext else { return nil }
            return .more(from: anchor, told: start)
        }
        return closes ? .on(start) : nil
    }

    /// Where a name begins, with its quotes: it stands in no string of these.
    private func beginning(of name: ArraySlice<UInt8>) -> Int {
        guard name.endIndex < end, quotesAfter(name.endIndex) != nil else { return name.startIndex }
        return quotesBefore(name.startIndex)?.1 ?? name.startIndex
    }

    /// Hides a string that begins at a byte. One in `'` goes no further than the string in which its name stands.
    mutating func string(_ opening: NameQuotes, from first: Int, named name: ArraySlice<UInt8>, lookedFor anchor: Int) -> Step {
        let beginning = beginning(of: name)
        guard case .plain(_, 0x27) = opening, case .inside(let level) = stringLevel(before: beginning) else {
            return value(from: first, opening.kind, lookedFor: anchor)
        }
        var place = first
        let most = min(end, first + SecretScan.mostHeld)
        defer { count(place - first) }
        while place < most, text[place] != 0x27 {
            defer { place += 1 }
            guard text[place] == 0x22, let (outer, _) = quotesBefore(place + 1), case .plain(let run, _) = outer,
                run & (2 * level + 1) != 2 * level + 1
            else { continue }
            switch isEndOfString(outer, place + 1, openedBefore: beginning) {
            case .some(false): continue
            case .some(true):
                let close = max(first, place - min(run, level))
                if close > first { add(first..<close) }
                return .on(close)
            case .none:
                guard end - anchor <= SecretScan.mostHeld, first - anchor <= SecretScan.mostContext else { break }
                return .more(from: anchor, told: first)
            }
        }
        return value(from: first, opening.kind, lookedFor: anchor)
    }

    /// Hides a value without quotes. One that ends at a quote that opens a string goes on to the end of that: `["x"]`, `key:"x"`.
    mutating func bareWithString(
        from start: Int, past inside: Int = 0, _ kind: ValueEnd.Kind, lookedFor anchor: Int, quotes: [UInt8] = []
    ) -> Step {
        var value = ValueEnd(kind)
        guard case .end(let place) = value.find(in: text, from: max(start, inside), to: end, isLast: isLast), place > start,
            let (opening, first) = quotesAfter(place), case .plain(_, 0x22) = opening
        else { return self.value(from: start, past: inside, kind, lookedFor: anchor, quotes: quotes) }
        count(place - start)
        // Names, and what stands between them and a string: `.:[({=@#$*&!<>`. After `,` or `|` stands another value.
        let signs: [UInt8] = [0x2e, 0x3a, 0x5b, 0x28, 0x7b, 0x3d, 0x40, 0x23, 0x24, 0x2a, 0x26, 0x21, 0x3c, 0x3e]
        guard place - start <= Self.mostContext, text[start..<place].allSatisfy({ $0.isOfWord || signs.contains($0) }) else {
            return self.value(from: start, past: inside, kind, lookedFor: anchor, quotes: quotes)
        }
        if first == end, !isLast, end - anchor <= SecretScan.mostHeld, start - anchor <= SecretScan.mostContext {
            return .more(from: anchor, told: start)
        }
        let isString = first < end && text[first].isOfWord && closesString(opening, first, openedBefore: start) == false
        return isString
            ? self.value(from: start, past: first, opening.kind, lookedFor: anchor, quotes: quotes)
            : self.value(from: start, past: inside, kind, lookedFor: anchor, quotes: quotes)
    }
}
