import Dissection

/// Looks for where a value ends, through as many pieces of text as it takes.
struct ValueEnd {
    enum Kind {
        /// To the quote that ends a string. A string in a string has its quotes behind one backslash, one in that behind three, and so on: `level` is how
        /// many.
        case quoted(by: UInt8, level: Int)
        /// To three quotes, as they are written.
        case tripleQuoted([UInt8])
        /// Likewise with quotes as `\u0022`.
        case escapedQuote(level: Int)
        /// Likewise with quotes as `%22`.
        case encodedQuote
        /// Likewise with quotes as `&quot;` or `&#34;`.
        case entityQuote
        /// To white space, a quote, `&`, `<` or `>`; inside percent-encoding also to what stands for these, encoded as often or less.
        case bare(encoded: Int)
        /// To `&`.
        case formField
        /// To `&`, `#` or white space.
        case queryField
        case line
        /// To a line end or a quote, also where it is written `\n` or `\"`.
        case quotedLine
        /// A number or a word of JSON.
        case literal
        /// An object or an array, whose strings have quotes behind so many backslashes; -1 for `\u0022`, -2 for `&quot;`.
        case nested(level: Int)
        /// A value of a member, with all that stands before the comma after it: for one whose beginning is not known.
        case memberValue(level: Int)
        case word
        /// The text of an XML element.
        case element
        /// What stands after something like the start of an XML element in its line, and in its string, whose quotes stand after so many backslashes.
        case elementLine(level: Int?)
        /// The content of an XML element with this name, up to its end tag.
        case elementEnd([UInt8])
        /// A part of multipart/form-data.
        case part
        /// To the end of `-----END … KEY-----`.
        case privateKey
    }

    enum Place {
        /// The first byte after the value.
        case end(Int)
        /// It goes on; everything before is part of it.
        case open(Int)
    }

    let kind: Kind
    /// A mark stands for it already: of what follows of it, nothing is told.
    var isMarked = false
    /// Backslashes just before.
    private var run = 0
    private var depth = 0
    private var isInString = false
    /// Of a key: bytes so far, letters of base64 just before, whether the line of its opening is over, and whether one of base64 was seen.
    private var (length, letters, isPastOpening, hasBody) = (0, 0, false, false)

    /// The longest thing that ends a value, or says that it does not: `\u0022`, `%25252522`, `-----END PRIVATE KEY-----`.
    private static let longestEnd = 64

    init(_ kind: Kind) { self.kind = kind }

    /// - Parameters:
    ///   - isLast: nothing follows the text.
    mutating func find(in text: [UInt8], from start: Int, to end: Int, isLast: Bool) -> Place {
        var index = start
        while index < end {
            let byte = text[index]
            // What is told by several bytes has to be there whole.
            if !isLast, index + Self.longestEnd > end, opensLongEnd(byte) { return .open(index) }
            if let place = look(byte, text, index, from: start, to: end) { return .end(min(max(start, place), end)) }
            run = byte == 0x5c ? run + 1 : 0
            index += 1
        }
        return .open(end)
    }

    private func opensLongEnd(_ byte: UInt8) -> Bool {
        switch kind {
        case .tripleQuoted(let quotes): byte == quotes.first
        case .escapedQuote, .nested(level: -1), .memberValue(level: -1): byte == 0x5c || byte == 0x75
        case .encodedQuote: byte == 0x25
        case .bare, .quotedLine: byte == 0x5c || byte == 0x25
        case .elementLine: byte == 0x5c
        case .part: byte == 0x0d || byte == 0x0a
        case .privateKey: byte == 0x2d
        case .entityQuote: byte == 0x26
        case .elementEnd: byte == 0x3c
        case _: false
        }
    }

    /// Where the value ends, if this byte says so.
    private mutating func look(_ byte: UInt8, _ text: [UInt8], _ index: Int, from start: Int, to end: Int) -> Int? {
        switch kind {
        case .quoted(let quote, let level):
            guard byte == quote, !isInside(level) else { return nil }
            return index - min(run, level)
        case .tripleQuoted(let quotes):
            return byte == quotes.first && text[index..<min(end, index + quotes.count)].elementsEqual(quotes) ? index : nil
        case .escapedQuote(let level):
            if byte == 0x22, run % 2 == 0 { return index }
            guard isEscapedQuote(text, index, end), !isInsideEscaped(level) else { return nil }
            return index - min(run, level)
        case .encodedQuote:
            if byte == 0x26 || byte == 0x22 || byte <= 0x20 { return index }
            guard let code = Self.encoded(text, index, end), code.byte == 0x22 else { return nil }
            return Self.isEscapedByEncoding(text, index, from: start) ? nil : index
        case .bare(let level):
            if byte <= 0x20 || byte == 0x22 || byte == 0x26 || byte == 0x3c || byte == 0x3e { return index }
            if byte == 0x5c { return isEscape(text, index, end) ? index : nil }
            guard level > 0, let code = Self.encoded(text, index, end), code.level <= level else { return nil }
            return code.byte < 0x20 || [0x22, 0x26, 0x3c, 0x3e].contains(code.byte) ? index : nil
        case .formField: return byte == 0x26 ? index : nil
        case .queryField: return byte == 0x26 || byte == 0x23 || byte <= 0x20 ? index : nil
        case .line: return byte == 0x0d || byte == 0x0a || byte == 0 ? index : nil
        case .quotedLine:
            if byte == 0x0d || byte == 0x0a || byte == 0 || byte == 0x22 { return index }
            return byte == 0x5c && isEscape(text, index, end) ? index : nil
        case .literal: return byte.isSpace || [0x2c, 0x7d, 0x5d, 0x22, 0x5c, 0x26, 0x3c].contains(byte) ? index : nil
        case .nested(let level): return lookNested(byte, text, index, level, end)
        case .memberValue(let level):
            if !isInString, depth == 0, byte == 0x2c || byte == 0x7d || byte == 0x5d { return index }
            let place = lookNested(byte, text, index, level, end)
            // The end of an object is not the end of what follows the colon.
            return byte == 0x7d || byte == 0x5d ? nil : place
        case .word: return byte.isOfToken ? nil : index
        case .element: return byte == 0x3c ? index : nil
        case .elementLine(let level):
            if byte == 0x3c || byte == 0x0d || byte == 0x0a || byte == 0 { return index }
            guard let level else { return nil }
            if byte == 0x22 { return isInside(level) ? nil : index - min(run, level) }
            return byte == 0x5c && index + 1 < end && (text[index + 1] == 0x6e || text[index + 1] == 0x72) ? index - run : nil
        case .entityQuote:
            if byte == 0x22 || byte == 0x3c { return index }
            return byte == 0x26 && run % 2 == 0 && Self.isQuoteEntity(text, index, end) ? index : nil
        case .elementEnd(let name): return Self.isEndTag(text, index, end, of: name) ? index : nil
        case .part: return Self.isDelimiter(text, index, end) ? index : nil
        case .privateKey: return Self.endOfKey(text, index, end) ?? (isNoKey(byte) ? index : nil)
        }
    }

    private mutating func lookNested(_ byte: UInt8, _ text: [UInt8], _ index: Int, _ level: Int, _ end: Int) -> Int? {
        switch byte {
        // The attribute ends that it stands in.
        case 0x22 where level == -2, 0x3c where level == -2: return index
        case 0x22:
            // The string that it stands in ends.
            if level == -1 { return run % 2 == 0 ? index : nil }
            if isInside(level) { return nil }
            if run < level { return index - run }
            isInString.toggle()
        case 0x75 where level == -1:
            if isEscapedQuote(text, index, end), !isInsideEscaped(1) { isInString.toggle() }
        case 0x7b, 0x5b: if !isInString { depth += 1 }
        case 0x7d, 0x5d:
            if isInString { return nil }
            depth -= 1
            if depth <= 0 { return index + 1 }
        case _: break
        }
        return nil
    }

    /// Whether a quote with these backslashes before it is inside of the string.
    private func isInside(_ level: Int) -> Bool { run & (2 * level + 1) == 2 * level + 1 }

    private func isInsideEscaped(_ level: Int) -> Bool { level <= 1 ? run % 4 != 1 : run > level }

    /// Whether `u0022` stands here, behind backslashes.
    private func isEscapedQuote(_ text: [UInt8], _ index: Int, _ end: Int) -> Bool {
        run > 0 && index + 5 <= end && text[index] == 0x75 && text[index + 1..<index + 5].elementsEqual([0x30, 0x30, 0x32, 0x32])
    }
}

extension ValueEnd {
    /// A percent-encoded byte, how often it is encoded (`%26` once, `%2526` twice), and how long that is.
    static func encoded(_ text: [UInt8], _ index: Int, _ end: Int) -> (byte: UInt8, level: Int, length: Int)? {
        guard index + 3 <= end, text[index] == 0x25 else { return nil }
        var digits = index + 1
        var level = 1
        while digits + 4 <= end, text[digits] == 0x32, text[digits + 1] == 0x35, level < 8 {
            digits += 2
            level += 1
        }
        guard digits + 2 <= end, let high = text[digits].hexValue, let low = text[digits + 1].hexValue else { return nil }
        return (high << 4 | low, level, digits + 2 - index)
    }

    /// Whether an odd number of encoded backslashes stands before.
    private static func isEscapedByEncoding(_ text: [UInt8], _ index: Int, from start: Int) -> Bool {
        var (position, count) = (index, 0)
        while position - 3 >= start, text[position - 3] == 0x25, text[position - 2] == 0x35, text[position - 1] | 0x20 == 0x63, count < 8 {
            position -= 3
            count += 1
        }
        return count % 2 == 1
    }

    /// Whether a backslash, itself not escaped, begins what ends a value in a string of JSON: a quote, a line end, `&` or the like.
    private func isEscape(_ text: [UInt8], _ index: Int, _ end: Int) -> Bool {
        guard index + 1 < end, run % 2 == 0 else { return false }
        return [0x22, 0x6e, 0x72, 0x75].contains(text[index + 1])
    }

    /// The character that `u` and four digits stand for, as JSON has it.
    static func escaped(_ text: [UInt8], _ index: Int, _ end: Int) -> UInt8? {
        guard index + 5 <= end, text[index] == 0x75 else { return nil }
        var value = 0
        for byte in text[index + 1..<index + 5] {
            guard let digit = byte.hexValue else { return nil }
            value = value << 4 | Int(digit)
        }
        return value < 0x80 ? UInt8(value) : 0x80
    }

    private static func isQuoteEntity(_ text: [UInt8], _ index: Int, _ end: Int) -> Bool {
        NameQuotes.entities.contains { entity in
            index + entity.utf8CodeUnitCount <= end && text[index..<index + entity.utf8CodeUnitCount].elementsEqual(entity.bytes.copy)
        }
    }

    /// Bytes of a name that are compared in an end tag.
    static let longestTag = 48

    /// Whether the end tag of an element stands here.
    static func isEndTag(_ text: [UInt8], _ index: Int, _ end: Int, of name: [UInt8]) -> Bool {
        guard index + 2 + name.count <= end, text[index] == 0x3c else { return false }
        // `<\/name>`, as JSON of PHP has it.
        let first = text[index + 1] == 0x5c ? index + 3 : index + 2
        let after = first + name.count
        guard after <= end, text[first - 1] == 0x2f, text[first..<after].elementsEqual(name) else { return false }
        return name.count == longestTag || after == end || !text[after].isOfWord
    }

    private static func isDelimiter(_ text: [UInt8], _ index: Int, _ end: Int) -> Bool {
        let line = text[index] == 0x0d ? index + 1 : index
        return line + 3 <= end && text[line] == 0x0a && text[line + 1] == 0x2d && text[line + 2] == 0x2d
    }

    /// Whether this is no key, or one that was cut: what stands in none comes behind its base64, or before there is any. Between the two stand lines
    /// with a name, such as a comment.
    private mutating func isNoKey(_ byte: UInt8) -> Bool {
        length += 1
        letters = byte.isOfToken ? letters + 1 : 0
        if letters >= 40 { hasBody = true }
        // A line end, also as `\n`: the line of the opening is over.
        if byte == 0x0a || byte == 0x0d || byte == 0x5c { isPastOpening = true }
        // `<`, `>`, `{`, `}`, a backtick
        let isForeign = [0x3c, 0x3e, 0x7b, 0x7d, 0x60].contains(byte)
        return isForeign && (hasBody || !isPastOpening) || !hasBody && length > Self.longestKeyHead
    }

    /// Bytes of a key before its base64 begins.
    private static let longestKeyHead = 2_048

    private static func endOfKey(_ text: [UInt8], _ index: Int, _ end: Int) -> Int? {
        let last = Array("-----END ".utf8)
        guard index + last.count <= end, text[index] == 0x2d, text[index..<index + last.count].elementsEqual(last) else { return nil }
        var position = index + last.count
        while position < min(end, index + 48), text[position] != 0x2d { position += 1 }
        while position < end, text[position] == 0x2d { position += 1 }
        return position
    }
}
