import Dissection

// Secrets behind a name: members of JSON, fields of forms and queries, header lines, parts of multipart/form-data, elements of XML.

extension SecretScan {
    /// Quotes around a name or a value, and how they are written.
    private enum Quotes: Hashable {
        case plain(level: Int, UInt8)
        case escaped(level: Int)
        case encoded

        /// How a string of this kind ends.
        var kind: ValueEnd.Kind {
            switch self {
            case .plain(let level, let quote): .quoted(by: quote, level: level)
            case .escaped(let level): .escapedQuote(level: level)
            case .encoded: .encodedQuote
            }
        }

        /// How a quote is written.
        var text: [UInt8] {
            switch self {
            case .plain(let level, let quote): [UInt8](repeating: 0x5c, count: level) + [quote]
            case .escaped(let level): [UInt8](repeating: 0x5c, count: level) + Array("u0022".utf8)
            case .encoded: Array("%22".utf8)
            }
        }

        var level: Int {
            switch self {
            case .plain(let level, _): level
            case .escaped: -1
            case .encoded: 0
            }
        }
    }

    /// More backslashes than a string in a string in a string in a string has.
    private static let mostBackslashes = 31

    /// What stands before a colon, with quotes or without.
    mutating func member(at colon: Int, to behind: Int, encoded level: Int) -> Step {
        var before = colon
        while before > bounds.lowerBound, text[before - 1].isSpace { before -= 1 }
        count(colon - before)
        guard let (quotes, close) = quotesBefore(before) else { return line(named: before, colon, behind, encoded: level) }
        guard let name = quotedName(before: close, quotes), SecretNames.isSecret(name, in: setting == .target ? .query : .member) else {
            return .on(behind)
        }
        return memberValue(from: behind, lookedFor: colon, quotes: quotes)
    }

    /// The quotes that end just before a byte, and where the closing one begins.
    private func quotesBefore(_ end: Int) -> (Quotes, Int)? {
        guard end > bounds.lowerBound else { return nil }
        switch text[end - 1] {
        case 0x22, 0x27:
            let run = backslashes(before: end - 1)
            return (.plain(level: run, text[end - 1]), end - 1 - run)
        case 0x32:
            if end - 5 > bounds.lowerBound, isLine(end - 5, "u0022") {
                let run = backslashes(before: end - 5)
                if run > 0 { return (.escaped(level: run), end - 5 - run) }
            }
            guard end - 3 >= bounds.lowerBound, isLine(end - 2, "22") else { return nil }
            var start = end - 2
            while start - 2 > bounds.lowerBound, isLine(start - 2, "25") { start -= 2 }
            return text[start - 1] == 0x25 ? (.encoded, start - 1) : nil
        case _: return nil
        }
    }

    private func backslashes(before index: Int) -> Int {
        var start = index
        while start > bounds.lowerBound, text[start - 1] == 0x5c, index - start < Self.mostBackslashes { start -= 1 }
        return index - start
    }

    /// The name between quotes of which the second begins at a byte.
    private mutating func quotedName(before close: Int, _ quotes: Quotes) -> ArraySlice<UInt8>? {
        let floor = max(bounds.lowerBound, close - SecretNames.longest - 8)
        var start = close
        while start > floor {
            start -= 1
            count(1)
            switch quotes {
            case .plain(_, let quote): if text[start] == quote { return text[start + 1..<close] }
            case .escaped: if isLine(start, "u0022"), start > floor, text[start - 1] == 0x5c { return text[start + 5..<close] }
            case .encoded:
                if isLine(start, "22"), text[start - 1 >= floor ? start - 1 : start] == 0x25 || isLine(start - 2, "25") {
                    return start + 2 <= close ? text[start + 2..<close] : nil
                }
            }
        }
        return nil
    }

    /// Hides the value of a member: a string, a number, or an object or an array whole.
    private mutating func memberValue(from behind: Int, lookedFor anchor: Int, quotes: Quotes) -> Step {
        var start = skipSpaces(behind)
        if quotes == .encoded {
            // `+` and `%20` are spaces.
            while start < end, text[start] == 0x2b || isLine(start, "%20") { start += text[start] == 0x2b ? 1 : 3 }
        }
        count(start - behind)
        // A value that begins with backslashes, and quotes after them, has to be there up to these.
        if !isLast, start + Self.mostBackslashes + 8 > end,
            start == end || text[start] == 0x5c || text[start] == 0x25 || isWordOfJSON(start)
        {
            guard end - anchor <= SecretScan.mostHeld else { return .inside(ValueEnd(.memberValue(level: quotes.level)), start) }
            return .more(from: anchor, told: start)
        }
        guard start < end else { return isCut ? .inside(ValueEnd(quotes.kind), end) : .on(end) }
        if let (opening, first) = quotesAfter(start) { return value(from: first, opening.kind, lookedFor: anchor) }
        switch text[start] {
        case 0x7b, 0x5b: return value(from: start, .nested(level: quotes.level), lookedFor: anchor, quotes: quotes.text)
        case 0x25 where quotes == .encoded: return value(from: start, .bare(encoded: 0), lookedFor: anchor, quotes: quotes.text)
        case 0x2c, 0x7d, 0x5d: return .on(start)
        case _:
            if isWordOfJSON(start) { return .on(start + 1) }
            return value(from: start, .literal, lookedFor: anchor, quotes: quotes.text)
        }
    }

    /// `true`, `false` and `null` say nothing.
    private func isWordOfJSON(_ index: Int) -> Bool {
        for word in ["true", "false", "null"] as [StaticString] {
            let after = index + word.utf8CodeUnitCount
            if isLine(index, word), after >= end || !text[after].isOfWord { return true }
        }
        return false
    }

    private func quotesAfter(_ start: Int) -> (Quotes, Int)? {
        var index = start
        while index < end, text[index] == 0x5c, index - start < Self.mostBackslashes { index += 1 }
        guard index < end else { return nil }
        let run = index - start
        if text[index] == 0x22 || text[index] == 0x27 { return (.plain(level: run, text[index]), index + 1) }
        if run > 0, isLine(index, "u0022") { return (.escaped(level: run), index + 5) }
        if run == 0, let code = ValueEnd.encoded(text, index, end), code.byte == 0x22 { return (.encoded, index + code.length) }
        return nil
    }

    // MARK: - Without quotes

    /// `Name: value`, as header lines and frames of STOMP have it.
    private mutating func line(named before: Int, _ colon: Int, _ behind: Int, encoded level: Int) -> Step {
        guard level == 0, let name = bareName(before: before), SecretNames.isSecret(name) else { return .on(behind) }
        var start = behind
        while start < end, text[start] == 0x20 || text[start] == 0x09 { start += 1 }
        count(start - behind)
        guard start < end else { return isLast ? .on(end) : .more(from: colon, told: start) }
        let isLineStart = name.startIndex == bounds.lowerBound || text[name.startIndex - 1] == 0x0a
        if let (opening, first) = quotesAfter(start) { return value(from: first, opening.kind, lookedFor: colon) }
        if SecretNames.isCredentialHeader(name) {
            return value(from: behindScheme(start), isLineStart ? .line : .quotedLine, lookedFor: colon)
        }
        return value(from: start, isLineStart ? .line : .bare(encoded: 0), lookedFor: colon)
    }

    /// What stands behind the word that says what the credentials after it are; that, where there is none.
    private func behindScheme(_ start: Int) -> Int {
        var index = start
        while index < end, index - start < 24, text[index].isOfWord { index += 1 }
        guard index > start, index + 1 < end, text[index] == 0x20, !text[index + 1].isSpace else { return start }
        return index + 1
    }

    /// `name=value`.
    mutating func assignment(at sign: Int, to behind: Int, encoded level: Int) -> Step {
        var before = sign
        if setting == .text || setting == .commands {
            while before > bounds.lowerBound, text[before - 1] == 0x20 { before -= 1 }
            count(sign - before)
        }
        var name: ArraySlice<UInt8>?
        if let (quotes, close) = quotesBefore(before), level == 0 {
            name = quotedName(before: close, quotes)
        } else {
            name = bareName(before: before)
        }
        guard let name, !name.isEmpty else { return .on(behind) }
        let isQuery = setting == .target || setting == .form || isInQuery(name)
        if isPartName(name) { return part(at: sign, from: behind) }
        guard SecretNames.isSecret(name, in: isQuery ? .query : .member) else { return .on(behind) }
        var start = behind
        if before < sign { start = skipSpaces(behind) }
        if !isLast, start + Self.mostBackslashes + 8 > end, start == end || text[start] == 0x5c { return .more(from: sign, told: start) }
        if setting == .form, level == 0 { return value(from: start, .formField, lookedFor: sign) }
        if setting == .target, level == 0 { return value(from: start, .queryField, lookedFor: sign) }
        if let (opening, first) = quotesAfter(start), opening != .encoded { return value(from: first, opening.kind, lookedFor: sign) }
        return value(from: start, .bare(encoded: level), lookedFor: sign)
    }

    /// The name that ends just before a byte.
    private mutating func bareName(before end: Int) -> ArraySlice<UInt8>? {
        var start = end
        let floor = max(bounds.lowerBound, end - SecretNames.longest)
        while start > floor, isOfName(start - 1) { start -= 1 }
        count(end - start)
        return start < end ? text[start..<end] : nil
    }

    /// A character of a name, or of one that is escaped or encoded.
    private func isOfName(_ index: Int) -> Bool {
        let byte = text[index]
        // `.`, `[`, `]`, `%`, `\`, `+`, `$`
        return byte.isOfWord || [0x2e, 0x5b, 0x5d, 0x25, 0x5c, 0x2b, 0x24].contains(byte)
    }

    /// Whether `?` or `&` stands before a name.
    private func isInQuery(_ name: ArraySlice<UInt8>) -> Bool {
        guard name.startIndex > bounds.lowerBound else { return false }
        return text[name.startIndex - 1] == 0x3f || text[name.startIndex - 1] == 0x26
    }

    // MARK: - multipart/form-data and XML

    private func isPartName(_ name: ArraySlice<UInt8>) -> Bool {
        guard name.count == 4, SecretNames.plain(name).name.elementsEqual("name".utf8) else { return false }
        let words = Array("form-data".utf8)
        var index = name.startIndex - words.count
        let floor = max(bounds.lowerBound, name.startIndex - 512)
        while index >= floor, text[index] != 0x0a {
            if text[index..<index + words.count].elementsEqual(words) { return true }
            index -= 1
        }
        return false
    }

    /// Hides the part of multipart/form-data whose name stands here (RFC 7578, section 4.2).
    private mutating func part(at sign: Int, from behind: Int) -> Step {
        let quoted = behind < end && text[behind] == 0x22
        var close = quoted ? behind + 1 : behind
        let most = min(end, close + SecretNames.longest)
        while close < most, quoted ? text[close] != 0x22 : text[close].isOfWord { close += 1 }
        count(close - behind)
        if close == end, !isLast { return waits(sign) }
        guard SecretNames.isSecret(text[(quoted ? behind + 1 : behind)..<close], in: .query) else { return .on(close) }
        // The lines of the head that follow, and the empty one.
        var index = close
        let last = min(end, close + 2_048)
        while index < last {
            if text[index] == 0x0a {
                let next = index + 1 < end && text[index + 1] == 0x0d ? index + 2 : index + 1
                if next < end, text[next] == 0x0a {
                    count(index - close)
                    return value(from: next + 1, .part, lookedFor: sign)
                }
            }
            index += 1
        }
        count(index - close)
        return last == end && !isLast ? waits(sign) : .on(close)
    }

    /// Hides the text of an element whose name is secret.
    mutating func element(at bracket: Int) -> Step {
        var open = bracket
        let floor = max(bounds.lowerBound, bracket - SecretScan.mostContext / 2)
        while open > floor, text[open - 1] != 0x3c, text[open - 1] != 0x3e { open -= 1 }
        count(bracket - open)
        guard open > floor, text[open - 1] == 0x3c, bracket > open, text[bracket - 1] != 0x2f, text[open] != 0x2f else {
            return .on(bracket + 1)
        }
        var close = open
        while close < bracket, !text[close].isSpace { close += 1 }
        guard SecretNames.isSecret(text[open..<close]) else { return .on(bracket + 1) }
        return value(from: bracket + 1, .element, lookedFor: bracket)
    }
}
