import Dissection

// Secrets behind a name: members of JSON, fields of forms and queries, header lines, parts of multipart/form-data.

extension SecretScan {
    /// More backslashes than a string in a string in a string in a string has.
    static let mostBackslashes = 31

    /// What stands before a colon, with quotes or without.
    mutating func member(at colon: Int, to behind: Int, encoded level: Int) -> Step {
        let before = blanks(before: colon)
        guard let (quotes, close) = quotesBefore(before) ?? encodedQuotes(before: before) ?? quotesOfLineBefore(before) else {
            return line(named: before, colon, behind, encoded: level)
        }
        guard let name = quotedName(before: close, quotes),
            SecretNames.isSecret(name, in: setting == .target ? .query : .member) || isValueOfNamed(name, quotes)
        else { return .on(behind) }
        return memberValue(from: behind, lookedFor: colon, quotes: quotes)
    }

    private mutating func blanks(before index: Int) -> Int {
        var before = index
        while before > bounds.lowerBound, text[before - 1].isSpace { before -= 1 }
        count(index - before)
        return before
    }

    /// Percent-encoded quotes with percent-encoded blanks, or `+`, between them and a colon.
    private mutating func encodedQuotes(before colon: Int) -> (NameQuotes, Int)? {
        var before = colon
        while let blank = SecretScan.encodedBlank(text, endingAt: before, from: bounds.lowerBound) { before = blank }
        count(colon - before)
        guard before < colon, let (quotes, close) = quotesBefore(before), quotes == .encoded else { return nil }
        return (quotes, close)
    }

    /// Quotes at the end of a line before that of a colon, in an event of server-sent events: a line break of JSON goes on with `data:`.
    private mutating func quotesOfLineBefore(_ colon: Int) -> (NameQuotes, Int)? {
        let field = colon - 5
        guard field > bounds.lowerBound, isLine(field, "data:"), text[field - 1] == 0x0a || text[field - 1] == 0x0d else { return nil }
        return quotesBefore(blanks(before: field))
    }

    /// Where a blank begins that ends at a byte: `+` or `%20`, `%0A` and the like, encoded once or more often.
    static func encodedBlank(_ text: [UInt8], endingAt end: Int, from floor: Int) -> Int? {
        guard end > floor else { return nil }
        if text[end - 1] == 0x2b { return end - 1 }
        guard end - 3 >= floor, let high = text[end - 2].hexValue, let low = text[end - 1].hexValue,
            (high << 4 | low).isSpace
        else { return nil }
        var start = end - 2
        while start - 3 >= floor, text[start - 2] == 0x32, text[start - 1] == 0x35, end - start < 16 { start -= 2 }
        return text[start - 1] == 0x25 ? start - 1 : nil
    }

    /// Whether this is the `value` after a `"name":"password"`, as HAR and lists of settings have it.
    private mutating func isValueOfNamed(_ name: ArraySlice<UInt8>, _ quotes: NameQuotes) -> Bool {
        guard name.count == 5, isWord(name.startIndex, "value"), quotes != .entity else { return false }
        func before(_ name: ArraySlice<UInt8>, _ sign: UInt8) -> Int? {
            var index = name.startIndex - quotes.text.count
            while index > bounds.lowerBound, text[index - 1].isSpace, name.startIndex - index < 128 { index -= 1 }
            guard index > bounds.lowerBound, text[index - 1] == sign else { return nil }
            index -= 1
            while index > bounds.lowerBound, text[index - 1].isSpace, name.startIndex - index < 128 { index -= 1 }
            return index
        }
        count(256)
        guard let end = before(name, 0x2c), let (kind, close) = quotesBefore(end), kind == quotes,
            let secret = quotedName(before: close, quotes), SecretNames.isSecret(secret),
            let colon = before(secret, 0x3a), let (other, last) = quotesBefore(colon), other == quotes,
            let label = quotedName(before: last, quotes)
        else { return false }
        return label.count == 4 && isWord(label.startIndex, "name") || label.count == 3 && isWord(label.startIndex, "key")
    }

    /// The quotes that end just before a byte, and where the closing one begins.
    func quotesBefore(_ end: Int) -> (NameQuotes, Int)? {
        guard end > bounds.lowerBound else { return nil }
        switch text[end - 1] {
        case 0x3b: return entity(endingAt: end).map { (.entity, $0) }
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

    private func entity(endingAt end: Int) -> Int? {
        for entity in NameQuotes.entities where isLine(end - entity.utf8CodeUnitCount, entity) { return end - entity.utf8CodeUnitCount }
        return nil
    }

    private func backslashes(before index: Int) -> Int {
        var start = index
        while start > bounds.lowerBound, text[start - 1] == 0x5c, index - start < Self.mostBackslashes { start -= 1 }
        return index - start
    }

    /// The name between quotes of which the second begins at a byte.
    mutating func quotedName(before close: Int, _ quotes: NameQuotes) -> ArraySlice<UInt8>? {
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
            case .entity: if text[start] == 0x3b, entity(endingAt: start + 1) != nil { return text[start + 1..<close] }
            }
        }
        return nil
    }

    /// Hides the value of a member: a string, a number, or an object or an array whole.
    private mutating func memberValue(from behind: Int, lookedFor anchor: Int, quotes: NameQuotes) -> Step {
        let start = skipBlanks(behind, quotes)
        if isBeginning(of: "data:", start), start < end, isLineStart(start) {
            guard end - anchor <= SecretScan.mostHeld else { return .inside(ValueEnd(.memberValue(level: quotes.level)), start) }
            return .more(from: anchor, told: start)
        }
        // A value that begins with backslashes, and quotes after them, has to be there up to these.
        if !isLast, start + Self.mostBackslashes + 8 > end,
            start == end || [0x5c, 0x25, 0x26].contains(text[start]) || isWordOfJSON(start)
        {
            guard end - anchor <= SecretScan.mostHeld else { return .inside(ValueEnd(.memberValue(level: quotes.level)), start) }
            return .more(from: anchor, told: start)
        }
        guard start < end else { return isCut ? .inside(ValueEnd(quotes.kind), end) : .on(end) }
        if let step = wrapped(from: start, .literal, lookedFor: anchor, quotes: quotes.text) { return step }
        if let (opening, first) = quotesAfter(start) {
            // Fewer backslashes than before the quotes of the name: the end of the string in which the member stands.
            if case .plain(let level, _) = opening, level < quotes.level {
                switch closesString(opening, first, openedBefore: behind) {
                case .some(false): break
                case .some(true): return .on(start)
                case .none:
                    if end - anchor <= SecretScan.mostHeld, start - anchor <= SecretScan.mostContext {
                        return .more(from: anchor, told: start)
                    }
                }
            }
            return value(from: first, opening.kind, lookedFor: anchor)
        }
        switch text[start] {
        case 0x7b, 0x5b: return value(from: start, .nested(level: quotes.level), lookedFor: anchor, quotes: quotes.text)
        case 0x25 where quotes == .encoded: return value(from: start, .bare(encoded: 0), lookedFor: anchor, quotes: quotes.text)
        case 0x2c, 0x7d, 0x5d: return .on(start)
        case _:
            if isWordOfJSON(start) { return .on(start + 1) }
            return bareWithString(from: start, .literal, lookedFor: anchor, quotes: quotes.text)
        }
    }

    /// The first byte from here on that is no blank, in JSON as it stands: percent-encoded, or in lines of server-sent events.
    private mutating func skipBlanks(_ start: Int, _ quotes: NameQuotes) -> Int {
        var index = skipSpaces(start)
        if quotes == .encoded {
            while index < end {
                if text[index] == 0x2b {
                    index += 1
                } else if let code = ValueEnd.encoded(text, index, end), code.byte.isSpace {
                    index += code.length
                } else {
                    break
                }
            }
        }
        while index > start, isLine(index, "data:"), isLineStart(index) { index = skipSpaces(index + 5) }
        count(index - start)
        return index
    }

    private func isLineStart(_ index: Int) -> Bool { index > bounds.lowerBound && (text[index - 1] == 0x0a || text[index - 1] == 0x0d) }

    /// `true`, `false` and `null` say nothing.
    private func isWordOfJSON(_ index: Int) -> Bool {
        for word in ["true", "false", "null"] as [StaticString] {
            let after = index + word.utf8CodeUnitCount
            if isLine(index, word), after >= end || !text[after].isOfWord { return true }
        }
        return false
    }

    func quotesAfter(_ start: Int) -> (NameQuotes, Int)? {
        var index = start
        while index < end, text[index] == 0x5c, index - start < Self.mostBackslashes { index += 1 }
        guard index < end else { return nil }
        let run = index - start
        if text[index] == 0x22 || text[index] == 0x27 { return (.plain(level: run, text[index]), index + 1) }
        if run > 0, isLine(index, "u0022") { return (.escaped(level: run), index + 5) }
        if run == 0, let code = ValueEnd.encoded(text, index, end), code.byte == 0x22 { return (.encoded, index + code.length) }
        for entity in NameQuotes.entities where run == 0 && isLine(index, entity) { return (.entity, index + entity.utf8CodeUnitCount) }
        return nil
    }

    // MARK: - Without quotes

    /// `Name: value`, as header lines and frames of STOMP have it.
    private mutating func line(named before: Int, _ colon: Int, _ behind: Int, encoded level: Int) -> Step {
        guard level == 0, let name = bareName(before: before), SecretNames.isSecret(name) else {
            return serialized(at: colon, to: behind) ?? .on(behind)
        }
        // `:=` of Go and Pascal.
        let isAssigned = isLine(behind, "=")
        var start = isAssigned ? behind + 1 : behind
        while start < end, text[start] == 0x20 || text[start] == 0x09 { start += 1 }
        count(start - behind)
        guard start < end else { return isLast ? .on(end) : .more(from: colon, told: start) }
        let isLineStart = name.startIndex == bounds.lowerBound || text[name.startIndex - 1] == 0x0a
        let isHeader = SecretNames.isCredentialHeader(name)
        let kind: ValueEnd.Kind = isHeader ? .quotedLine : .bare(encoded: 0)
        if let step = noValue(at: start, named: name, lookedFor: colon) { return step }
        if isAssigned, isLineStart { return value(from: start, .line, lookedFor: colon) }
        if let step = wrapped(from: start, kind, lookedFor: colon, isLine: isLineStart) { return step }
        if let (opening, first) = quotesAfter(start) {
            if case .plain(level: 0, let quote) = opening, isInString(name.startIndex, quote) { return .on(first) }
            return string(opening, from: first, named: name, lookedFor: colon)
        }
        if isHeader {
            return value(from: behindScheme(start), isLineStart ? .line : .quotedLine, lookedFor: colon)
        }
        return isLineStart ? value(from: start, .line, lookedFor: colon) : bareValue(from: start, encoded: 0, lookedFor: colon)
    }

    /// Whether a string that began in the same line goes on here: `"Token: "` in a program has no value behind its colon.
    private mutating func isInString(_ index: Int, _ quote: UInt8) -> Bool {
        // An apostrophe may be one of a sentence: then only the nearest quote counts.
        if quote == 0x27 { return index > bounds.lowerBound && text[index - 1] == quote }
        let floor = max(bounds.lowerBound, index - SecretNames.longest)
        var (start, quotes) = (index, 0)
        while start > floor, text[start - 1] != 0x0a {
            if text[start - 1] == quote { quotes += 1 }
            start -= 1
        }
        count(index - start)
        if start == floor, floor > bounds.lowerBound { return text[index - 1] == quote }
        return quotes % 2 == 1
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
            // `name*=`, as RFC 8187 has it.
            name = bareName(before: before > bounds.lowerBound && text[before - 1] == 0x2a ? before - 1 : before)
        }
        guard let name, !name.isEmpty else { return .on(behind) }
        let isQuery = setting == .target || setting == .form || isInQuery(name)
        if !isQuery, level == 0, let step = comparison(at: sign, to: behind, named: name) { return step }
        // `AUTH=PLAIN` names what a server of IMAP knows (RFC 9051, section 7.2.2).
        if level == 0, name.map({ $0 | 0x20 }).elementsEqual("auth".utf8), SecretWords.mechanisms.contains(where: { isWord(behind, $0) }) {
            return .on(behind)
        }
        if let step = part(named: name, at: sign, from: behind) { return step }
        guard SecretNames.isSecret(name, in: isQuery ? .query : .member) || !isQuery && isValueOfNamedAttribute(name) else {
            return .on(behind)
        }
        var start = behind
        if before < sign { start = skipSpaces(behind) }
        if !isLast, start + Self.mostBackslashes + 8 > end, start + 3 > end || text[start] == 0x5c { return .more(from: sign, told: start) }
        if isShortcut(name, start) { return .on(start) }
        if setting == .form, level == 0 { return value(from: start, .formField, lookedFor: sign) }
        if setting == .target, level == 0 { return value(from: start, .queryField, lookedFor: sign) }
        if level == 0, let step = noValue(at: start, named: name, lookedFor: sign) { return step }
        // The `&` of a query ends an empty value.
        let isEmpty = isQuery && start < end && text[start] == 0x26
        if level == 0, !isEmpty, let step = wrapped(from: start, .bare(encoded: 0), lookedFor: sign) { return step }
        if let (opening, first) = quotesAfter(start), opening != .encoded {
            return string(opening, from: first, named: name, lookedFor: sign)
        }
        return bareValue(from: start, encoded: level, lookedFor: sign)
    }

    /// `accesskey="s"` of HTML is a key on the keyboard.
    private func isShortcut(_ name: ArraySlice<UInt8>, _ start: Int) -> Bool {
        guard name.count == 9, SecretNames.plain(name).name.elementsEqual("accesskey".utf8), start + 3 <= end else { return false }
        return (text[start] == 0x22 || text[start] == 0x27) && text[start + 2] == text[start]
    }

    /// `==` compares, and so is no assignment; `=>` is one where a string follows, as Ruby, Perl and PHP have it.
    private mutating func comparison(at sign: Int, to behind: Int, named name: ArraySlice<UInt8>) -> Step? {
        guard behind < end else { return nil }
        if text[behind] == 0x3d { return .on(behind + 1) }
        guard text[behind] == 0x3e else { return nil }
        guard SecretNames.isSecret(name) else { return .on(behind + 1) }
        let start = skipSpaces(behind + 1)
        count(start - behind)
        if !isLast, start + Self.mostBackslashes + 8 > end, start == end || text[start] == 0x5c {
            guard end - sign <= SecretScan.mostHeld else { return .on(start) }
            return .more(from: sign, told: start)
        }
        if let step = noValue(at: start, named: name, lookedFor: sign) { return step }
        if let (opening, first) = quotesAfter(start) { return value(from: first, opening.kind, lookedFor: sign) }
        return arrowValue(at: start, named: name, lookedFor: sign) ?? .on(behind + 1)
    }

    /// The name that ends just before a byte.
    mutating func bareName(before end: Int) -> ArraySlice<UInt8>? {
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
}
