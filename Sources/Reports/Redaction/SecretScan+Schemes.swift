// Values without quotes of a secret name that begin with the name of a scheme (RFC 9110, section 11.1): `auth=Bearer abc`. The token after it, or the
// parameters, belong to the value.

extension SecretScan {
    /// Hides a value without quotes, up to white space; one that begins with a scheme with what the scheme is for. An opening bracket may stand before
    /// it, as languages print the fields of a head: `{Authorization=[Bearer abc]}`.
    mutating func bareValue(from start: Int, encoded level: Int, lookedFor anchor: Int) -> Step {
        var first = start
        if first < end, text[first] == 0x5b || text[first] == 0x28 {
            first += 1
            if let (opening, inside) = quotesAfter(first), opening != .encoded {
                switch closesString(opening, inside, openedBefore: start) {
                case .some(false): break
                case .some(true): return .on(first)
                case .none: return .more(from: anchor, told: start)
                }
                return value(from: inside, opening.kind, lookedFor: anchor)
            }
        }
        guard let inside = behindCredentials(first) else { return .more(from: anchor, told: start) }
        return bareWithString(from: start, past: inside, .bare(encoded: level), lookedFor: anchor)
    }

    /// Where the token begins after the name of a scheme, or where parameters end; the start, where no scheme stands there. Nil where more has to come.
    private mutating func behindCredentials(_ start: Int) -> Int? {
        var word = start
        while word < end, text[word].isOfWord, word - start <= SecretWords.longestScheme { word += 1 }
        count(word - start)
        if word == end { return isLast || word - start > SecretWords.longestScheme ? start : nil }
        guard word > start, SecretWords.namedSchemes.contains(where: { isWord(start, $0) }) else { return start }
        var token = word
        let most = min(end, word + 64)
        while token < most, text[token] == 0x20 || text[token] == 0x09 { token += 1 }
        count(token - word)
        if token == end { return isLast ? start : nil }
        guard token > word, !text[token].isSpace else { return start }
        return isWord(start, "digest") ? endOfParameters(token) : token
    }

    /// Where a list of parameters ends, or what is there of it: `username="ana", response="6629fae4"` (RFC 9110, section 11.2).
    private mutating func endOfParameters(_ start: Int) -> Int {
        var (index, last) = (start, start)
        let most = min(end, start + SecretScan.mostHeld)
        defer { count(index - start) }
        while true {
            let name = index
            while index < most, text[index].isOfWord { index += 1 }
            if index == end, !isLast { return end }
            guard index > name, index < most, text[index] == 0x3d else { return last }
            index += 1
            if let (opening, first) = quotesAfter(index) {
                var value = ValueEnd(opening.kind)
                guard case .end(let close) = value.find(in: text, from: first, to: most, isLast: true) else { return most }
                index = min(most, close + opening.text.count)
            } else {
                while index < most, text[index] > 0x20, text[index] != 0x2c, text[index] != 0x22, text[index] != 0x5c { index += 1 }
            }
            last = index
            while index < most, text[index] == 0x20 { index += 1 }
            if index == end, !isLast { return end }
            guard index < most, text[index] == 0x2c else { return last }
            index += 1
            while index < most, text[index] == 0x20 { index += 1 }
        }
    }
}
