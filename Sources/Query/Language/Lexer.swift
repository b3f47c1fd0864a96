/// Cuts an expression into words and signs, as they are asked for.
struct Lexer {
    let expression: String
    /// The characters of the expression, each a Unicode scalar: a mark that combines with a quote leaves it a quote.
    let characters: [Unicode.Scalar]
    private(set) var position = 0

    init(_ expression: String) {
        self.expression = expression
        characters = Array(expression.unicodeScalars)
    }

    /// The next one, after blanks.
    mutating func next() throws(DisplayFilterProblem) -> PlacedToken {
        while position < characters.count, characters[position].properties.isWhitespace { position += 1 }
        let start = position
        guard let first = current else { return PlacedToken(token: .end, columns: start..<start) }
        if first == "\"" {
            let string = try string(isRaw: false)
            return PlacedToken(token: .string(string, isRaw: false), columns: start..<position)
        }
        if first == "r" || first == "R", position + 1 < characters.count, characters[position + 1] == "\"" {
            position += 1
            let string = try string(isRaw: true)
            return PlacedToken(token: .string(string, isRaw: true), columns: start..<position)
        }
        if first == "'" { return PlacedToken(token: .character(try character()), columns: start..<position) }
        if first.isOfWord, !stands("..") { return PlacedToken(token: .word(word()), columns: start..<position) }
        for sign in Token.Sign.allCases where stands(sign.rawValue) {
            position += sign.rawValue.utf8.count
            return PlacedToken(token: .sign(sign), columns: start..<position)
        }
        throw problem(start..<start + 1, Self.reason(first))
    }

    /// Why a character begins nothing.
    private static func reason(_ character: Unicode.Scalar) -> String {
        switch character {
        case "=": "to compare for equality write =="
        case "&": "and is written && or and; there are no operations on bits"
        case "|": "or is written || or or"
        case "+", "*", "/", "%": "there is no arithmetic"
        case "#": "there are no layers to choose by number"
        case "$": "there are no field references and macros"
        case "”", "“", "„", "«", "»": "text is quoted with \""
        case "‘", "’", "`": "text is quoted with \""
        case _: "\(String(Character(character)).shownInMessage) means nothing here"
        }
    }

    private var current: Unicode.Scalar? { position < characters.count ? characters[position] : nil }

    private func stands(_ text: String) -> Bool {
        var place = position
        for character in text.unicodeScalars {
            guard place < characters.count, characters[place] == character else { return false }
            place += 1
        }
        return true
    }

    private mutating func word() -> String {
        let start = position
        while let character = current, character.isOfWord || (character == "/" && position > start), !stands("..") { position += 1 }
        return text(start..<position)
    }

    /// What stands between brackets up to the closing one, which is taken as well; the opening one was.
    mutating func bracket(from open: Int) throws(DisplayFilterProblem) -> Range<Int> {
        let start = position
        var isQuoted = false
        while let character = current {
            position += 1
            switch character {
            case "\"": isQuoted.toggle()
            case "\\" where isQuoted: if position < characters.count { position += 1 }
            case "]" where !isQuoted: return start..<position - 1
            case _: break
            }
        }
        throw problem(open..<open + 1, "the bracket is not closed")
    }

    /// Text between quotes. A raw one keeps its backslashes, also the one that keeps a quote from ending it.
    private mutating func string(isRaw: Bool) throws(DisplayFilterProblem) -> [UInt8] {
        let open = position
        position += 1
        var bytes: [UInt8] = []
        while let character = current {
            if character == "\"" {
                position += 1
                return bytes
            }
            if character == "\\", isRaw {
                bytes.append(UInt8(ascii: "\\"))
                position += 1
                if current == "\"" {
                    bytes.append(UInt8(ascii: "\""))
                    position += 1
                }
            } else if character == "\\" {
                bytes += try escape()
            } else {
                bytes += Array(String(Character(character)).utf8)
                position += 1
            }
        }
        throw problem(open..<characters.count, "the text is not closed: a \" is missing at its end")
    }

    private mutating func character() throws(DisplayFilterProblem) -> UInt8 {
        let open = position
        position += 1
        var bytes: [UInt8] = []
        while let character = current, character != "'", bytes.count < 2 {
            if character == "\\" {
                bytes += try escape()
            } else {
                bytes += Array(String(Character(character)).utf8)
                position += 1
            }
        }
        guard current == "'", bytes.count == 1 else {
            throw problem(open..<min(position + 1, characters.count), "between ' stands one character; text is quoted with \"")
        }
        position += 1
        return bytes[0]
    }

    /// What a backslash and the characters after it stand for (wireshark-filter(4)).
    private mutating func escape() throws(DisplayFilterProblem) -> [UInt8] {
        let start = position
        position += 1
        guard let letter = current else { throw problem(start..<position, "the text is not closed: a \" is missing at its end") }
        position += 1
        switch letter {
        case "'", "\"", "\\": return Array(String(Character(letter)).utf8)
        case "a": return [0x07]
        case "b": return [0x08]
        case "f": return [0x0c]
        case "n": return [0x0a]
        case "r": return [0x0d]
        case "t": return [0x09]
        case "v": return [0x0b]
        case "x": if let value = digits(1...2, radix: 16) { return [UInt8(truncatingIfNeeded: value)] }
        case "u":
            if let value = digits(4...4, radix: 16), let scalar = Unicode.Scalar(value) { return Array(String(Character(scalar)).utf8) }
        case "U":
            if let value = digits(8...8, radix: 16), let scalar = Unicode.Scalar(value) { return Array(String(Character(scalar)).utf8) }
        case "0"..."7":
            position -= 1
            if let value = digits(1...3, radix: 8), value < 256 { return [UInt8(truncatingIfNeeded: value)] }
        case _: break
        }
        let end = min(position, characters.count)
        let shown = text(start..<end).shownInMessage
        throw problem(start..<end, "\(shown) stands for no character; in r\"…\" a backslash is one")
    }

    private mutating func digits(_ count: ClosedRange<Int>, radix: Int) -> UInt32? {
        var value: UInt32 = 0
        var found = 0
        while found < count.upperBound, let digit = current.flatMap({ Character($0).hexDigitValue }), digit < radix,
            current?.isASCII == true
        {
            value = value << (radix == 16 ? 4 : 3) | UInt32(digit)
            found += 1
            position += 1
        }
        return found >= count.lowerBound ? value : nil
    }

    /// What stands there.
    func text(_ columns: Range<Int>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: characters[columns])
        return String(text)
    }

    func problem(_ columns: Range<Int>, _ message: String, nearest: String? = nil) -> DisplayFilterProblem {
        DisplayFilterProblem(expression: expression, columns: columns, message: message, nearest: nearest)
    }
}

extension Unicode.Scalar {
    /// Whether it may be part of what is written without quotes.
    fileprivate var isOfWord: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "_", ".", ":", "-": true
        case _: !isASCII && properties.isAlphabetic
        }
    }
}
