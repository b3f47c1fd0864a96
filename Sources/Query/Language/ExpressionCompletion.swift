import Dissection
import Reports

/// What a shell may put in the place of the last word of an expression that is being typed: names of fields where a condition begins, and words that a
/// field may have after a comparison with it.
package enum ExpressionCompletion {
    /// The expression with each word that it may go on with, in the order of the alphabet.
    ///
    /// - Parameter text: what stands before the cursor, perhaps with the quote that the shell takes away.
    package static func candidates(for text: String) -> [String] {
        var text = Substring(text)
        if let first = text.first, first == "'" || first == "\"" { text.removeFirst() }
        let start = text.lastIndex { !isPartOfWord($0) }.map { text.index(after: $0) } ?? text.startIndex
        let (head, word) = (text[..<start], text[start...])
        // In a text in quotes nothing is known.
        guard head.count(where: { $0 == "\"" }).isMultiple(of: 2) else { return [] }
        return words(after: head, beginning: String(word)).map { head + $0 }
    }

    private static func isPartOfWord(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
    }

    private static func words(after head: Substring, beginning word: String) -> [String] {
        let before = tokens(of: head)
        let known: [String]
        if let field = comparedField(before) {
            known = values(of: field)
        } else if let last = before.last, FieldNames.find(last) != nil || last == ")" || last == "]" || isValue(before) {
            known = isValue(before) ? joints : operators + joints
        } else {
            known = word.isEmpty ? beginnings : FieldNames.all + ["not"] + functions
        }
        return Set(known).filter { $0.hasPrefix(word) && $0 != word }.sorted()
    }

    private static let joints = ["and", "or", "xor"]
    private static let operators = ["==", "!=", "<", "<=", ">", ">=", "contains", "matches", "in"]
    private static let functions = ["len(", "count(", "lower(", "upper(", "string("]

    /// Where nothing was typed: names up to their first point, of which there are few enough to be read.
    private static let beginnings: [String] = FieldNames.all.map { name in
        name.firstIndex(of: ".").map { String(name[...$0]) } ?? name
    }

    /// The words and signs of what was typed.
    private static func tokens(of text: Substring) -> [String] {
        var lexer = Lexer(String(text))
        var tokens: [String] = []
        while let placed = try? lexer.next(), placed.token != .end, tokens.count < 4_096 { tokens.append(lexer.text(placed.columns)) }
        return tokens
    }

    /// The field whose value comes next: after a comparison, or in a set.
    private static func comparedField(_ tokens: [String]) -> FilterField? {
        guard let last = tokens.last else { return nil }
        if Operator.isComparison(last), tokens.count > 1 { return FieldNames.find(tokens[tokens.count - 2]) }
        guard last == "{" || last == ",", let open = tokens.lastIndex(of: "{"), open > 1, tokens[open - 1] == "in" else { return nil }
        return FieldNames.find(tokens[open - 2])
    }

    /// Whether the last of it is a value that a field was compared with.
    private static func isValue(_ tokens: [String]) -> Bool {
        guard let last = tokens.last else { return false }
        if last == "}" { return true }
        return tokens.count > 2
            && (Operator.isComparison(tokens[tokens.count - 2]) || ["contains", "matches"].contains(tokens[tokens.count - 2]))
    }

    /// The words that a field may be compared with.
    private static func values(of field: FilterField) -> [String] {
        if case .finding(.id) = field.source { return FindingCatalogue.rows.map(\.id) }
        return switch field.type {
        case .word(let words, _): words.filter { !$0.isEmpty }
        case .integer(_, _, let names): names.map(\.name)
        case .boolean: ["true", "false"]
        case .seconds, .real, .time, .text, .bytes, .address, .range, .anything: []
        }
    }
}

extension Operator {
    /// Whether it is a sign or word of a comparison, as it is written.
    fileprivate static func isComparison(_ text: String) -> Bool {
        ["==", "!=", "<", "<=", ">", ">=", "===", "!==", "~=", "eq", "ne", "lt", "le", "gt", "ge", "any_eq", "all_ne", "all_eq", "any_ne"]
            .contains(text)
    }
}
