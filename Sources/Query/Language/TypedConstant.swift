import Dissection
import Reports

// What a value as it is written means for a field.

extension Parser {
    /// The constant that a field of a type is compared with.
    ///
    /// - Parameter isOrdered: it is asked which of the two is more.
    /// - Throws: where no value of the field can be like it.
    func constant(_ literal: Literal, for term: FieldTerm, _ columns: Range<Int>, isOrdered: Bool) throws(DisplayFilterProblem) -> Constant
    {
        func refuse(_ message: String, nearest: String? = nil) -> DisplayFilterProblem {
            lexer.problem(columns, message, nearest: nearest)
        }
        let name = term.name
        switch term.type {
        case .integer(let least, let most, let names):
            if let known = names.first(where: { literal.isWord($0.name) }) { return .quantity(.whole(Int128(known.value))) }
            guard let number = literal.whole else {
                let words = names.map(\.name)
                guard case .word(let word) = literal, !words.isEmpty else {
                    throw refuse("\(name) is a whole number, and \(literal.shown) is none")
                }
                throw refuse("\(name) is a number or one of \(words.joined(separator: ", "))", nearest: NearestName.of(word, among: words))
            }
            guard (Int128(least)...Int128(most)).contains(number) else {
                throw refuse(
                    number > Int128(most)
                        ? "\(number) is too large: \(name) is at most \(most)"
                        : "\(number) is too small: \(name) is at least \(least)")
            }
            return .quantity(.whole(number))
        case .range:
            guard let number = literal.whole, number >= 0 else { throw refuse("\(name) is a whole number, and \(literal.shown) is none") }
            return .quantity(.whole(number))
        case .seconds:
            if let value = literal.billionths { return .quantity(.billionths(value)) }
            guard let value = literal.real else { throw refuse("\(name) is in seconds, such as 0.25, and \(literal.shown) is no number") }
            return .quantity(.real(value))
        case .real:
            if let value = literal.whole { return .quantity(.whole(value)) }
            guard let value = literal.real else { throw refuse("\(name) is a number, and \(literal.shown) is none") }
            return .quantity(.real(value))
        case .time:
            guard let time = literal.time else {
                throw refuse("\(name) is a time such as \"2026-07-04 12:34:56\", in UTC, and \(literal.shown) is none")
            }
            return .quantity(.billionths(time))
        case .boolean:
            if let flag = literal.flag { return .flag(flag) }
            throw refuse("\(name) is true or false, and \(literal.shown) is neither")
        case .text: return .bytes(try text(literal, for: term, columns))
        case .bytes:
            guard let bytes = literal.bytes else {
                throw refuse("\(name) is compared with text in quotes or with bytes such as de:ad:be:ef, and \(literal.shown) is neither")
            }
            return .bytes(bytes)
        case .word(let words, let hasOrder):
            if isOrdered, !hasOrder { throw refuse("the words of \(name) have no order: compare with == or in") }
            guard let place = words.firstIndex(where: { literal.isWord($0) }) else {
                let nearest = NearestName.of(literal.plain, among: words.filter { !$0.isEmpty })
                throw refuse("\(name) is one of \(words.joined(separator: ", "))", nearest: nearest)
            }
            return .word(place)
        case .address(let family):
            guard let (address, bits) = literal.network else {
                throw refuse("\(literal.shown) is no address and no network such as 10.0.0.0/8")
            }
            if let family, address.family != family {
                let other = family == .ipv4 ? "IPv4" : "IPv6"
                throw refuse("\(name) has addresses of \(other), and \(literal.shown) is none", nearest: term.sibling)
            }
            return .network(address, bits: bits)
        case .anything:
            if let bytes = literal.text { return .bytes(bytes) }
            if literal.isWord("null") { return .nothing }
            if let value = literal.whole { return .quantity(.whole(value)) }
            if let value = literal.real { return .quantity(.real(value)) }
            if let flag = literal.flag, case .word(let word) = literal, word.first?.isNumber != true { return .flag(flag) }
            return .bytes(Array(literal.plain.utf8))
        }
    }

    /// The text that a field is compared with, or that is looked for in it.
    private func text(_ literal: Literal, for term: FieldTerm, _ columns: Range<Int>) throws(DisplayFilterProblem) -> [UInt8] {
        if term.isFindingID { return try findingID(literal, columns) }
        if let text = literal.text { return text }
        let word = literal.plain
        // A word that is much like a name may be meant as one.
        let nearest = word.contains(".") ? NearestName.of(word, among: FieldNames.all) : nil
        throw lexer.problem(columns, "\(term.name) is compared with text in quotes: \"\(word)\"", nearest: nearest)
    }

    /// The id of a finding, which may stand without quotes.
    private func findingID(_ literal: Literal, _ columns: Range<Int>) throws(DisplayFilterProblem) -> [UInt8] {
        let id = literal.plain
        let ids = FindingCatalogue.rows.map(\.id)
        guard !ids.contains(id) else { return Array(id.utf8) }
        throw lexer.problem(columns, "there is no finding \(literal.shown)", nearest: NearestName.of(id, among: ids))
    }

    /// What is looked for by `contains`.
    func needle(_ literal: Literal, for term: FieldTerm, _ columns: Range<Int>) throws(DisplayFilterProblem) -> [UInt8] {
        switch term.type {
        case .text, .word:
            if let text = literal.text { return text }
            throw lexer.problem(columns, "what is looked for is text in quotes: \"\(literal.plain)\"")
        case .bytes:
            if let bytes = literal.bytes { return bytes }
            throw lexer.problem(columns, "what is looked for is text in quotes or bytes such as de:ad:be:ef")
        case _: return literal.text ?? Array(literal.plain.utf8)
        }
    }
}

extension Literal {
    /// What is written, whether in quotes or not.
    var plain: String {
        switch self {
        case .word(let word): word
        case .string(let bytes, _): String(decoding: bytes, as: UTF8.self)
        case .character(let byte): String(Character(Unicode.Scalar(byte)))
        }
    }

    func isWord(_ word: String) -> Bool { plain == word }

    /// `true`, `True`, `TRUE` or a number that is not 0, and the opposites.
    fileprivate var flag: Bool? {
        if let number = whole { return number != 0 }
        return switch plain {
        case "true", "True", "TRUE": true
        case "false", "False", "FALSE": false
        case _: nil
        }
    }
}
