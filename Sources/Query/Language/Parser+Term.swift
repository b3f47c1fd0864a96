import Reports

// One side of a comparison: a field with its part, a function, or a value.

extension Parser {
    mutating func term() throws(DisplayFilterProblem) -> Term {
        let columns = token.columns
        switch token.token {
        case .string(let bytes, let isRaw):
            try advance()
            return .literal(.string(bytes, isRaw: isRaw), columns)
        case .character(let byte):
            try advance()
            return .literal(.character(byte), columns)
        case .word(let word):
            guard !Self.reserved.contains(word) else {
                throw problem(columns, "a field or a value is missing before \(word.shownInMessage)")
            }
            try advance()
            if token.token == .sign(.open) { return .field(try function(word, columns)) }
            return try field(word, columns)
        case .end: throw problem(columns, "the expression ends too early: a field or a value is missing")
        case .sign(.openSet): throw problem(columns, "a set stands after in; there is no arithmetic")
        case .sign(.open): throw problem(columns, "parentheses stand around conditions, not around values")
        case .sign: throw problem(columns, "\(lexer.text(columns).shownInMessage) cannot stand here: a field or a value is missing")
        }
    }

    private static let reserved: Set<String> = [
        "and", "or", "xor", "not", "eq", "ne", "lt", "le", "gt", "ge", "any_eq", "all_ne", "all_eq", "any_ne", "contains", "matches", "in",
    ]

    /// A name with what stands in brackets after it; a value, where no field has the name.
    private mutating func field(_ word: String, _ columns: Range<Int>) throws(DisplayFilterProblem) -> Term {
        guard token.token == .sign(.openSlice) else {
            if let field = FieldNames.find(word) { return .field(FieldTerm(field, word, columns)) }
            if let holders = FieldNames.ambiguous[word] {
                throw problem(columns, "\(word.shownInMessage) is of several: say which, \(holders.joined(separator: ", "))")
            }
            return .literal(.word(word), columns)
        }
        let open = token.columns
        let inner = try lexer.bracket(from: open.lowerBound)
        let whole = columns.lowerBound..<lexer.position
        let text = lexer.text(inner)
        try advance()
        if let name = try quoted(text, inner) {
            guard let source = try FieldNames.keyed(word, name, columns, inner, lexer) else {
                guard FieldNames.find(word) != nil else { throw FieldNames.unknown(word, columns, lexer) }
                throw problem(
                    inner,
                    "\(word) has no keys: json, header, request.headers, response.headers, body.trailers and control.settings have them")
            }
            var field = FieldTerm(
                operand: Operand(source: source.source), type: source.type, name: lexer.text(whole), columns: whole)
            try slice(&field)
            return .field(field)
        }
        guard let found = FieldNames.find(word) else {
            if let holders = FieldNames.ambiguous[word] {
                throw problem(columns, "\(word.shownInMessage) is of several: say which, \(holders.joined(separator: ", "))")
            }
            throw FieldNames.unknown(word, columns, lexer)
        }
        var field = FieldTerm(found, word, columns)
        try slice(&field, text, inner, whole)
        try slice(&field)
        return .field(field)
    }

    /// What stands between quotes in brackets; nil where no quotes do.
    private func quoted(_ text: String, _ columns: Range<Int>) throws(DisplayFilterProblem) -> String? {
        var inner = Lexer(text)
        guard text.contains("\"") else { return nil }
        do throws(DisplayFilterProblem) {
            let first = try inner.next()
            guard case .string(let bytes, _) = first.token, try inner.next().token == .end else {
                throw problem(columns, "in brackets stands one name in quotes, or a part such as 0:4")
            }
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            throw problem(columns, error.message)
        }
    }

    /// Parts of a part.
    private mutating func slice(_ field: inout FieldTerm) throws(DisplayFilterProblem) {
        while token.token == .sign(.openSlice) {
            guard field.operand.steps.count < Self.mostSteps else {
                throw problem(token.columns, "more than \(Self.mostSteps) parts of parts")
            }
            let inner = try lexer.bracket(from: token.columns.lowerBound)
            let whole = field.columns.lowerBound..<lexer.position
            try advance()
            try slice(&field, lexer.text(inner), inner, whole)
        }
    }

    private static let mostSteps = 16

    /// Takes a part of a field's bytes.
    private func slice(_ field: inout FieldTerm, _ text: String, _ inner: Range<Int>, _ whole: Range<Int>) throws(DisplayFilterProblem) {
        guard field.type.hasBytes || field.type.isWord else {
            throw problem(field.columns, "\(field.name) is \(field.type.name), which has no parts")
        }
        guard let slices = ByteSlice.parse(text) else {
            throw problem(
                inner.isEmpty ? inner.lowerBound - 1..<inner.upperBound + 1 : inner,
                "a part is written as 0:4 (from, how many), 0-3 (from, to), 4 or 4: or :4, several with commas")
        }
        field.operand.steps.append(.slice(slices))
        field.type = .bytes
        field.name = lexer.text(whole)
        field.columns = whole
        field.isFindingID = false
    }

    /// A function of a field, whose name was taken.
    private mutating func function(_ name: String, _ columns: Range<Int>) throws(DisplayFilterProblem) -> FieldTerm {
        let names = ["upper", "lower", "len", "count", "string"]
        guard names.contains(name) else {
            throw problem(
                columns, "there is no function \(name.shownInMessage), only \(names.joined(separator: ", "))",
                nearest: NearestName.of(name, among: names))
        }
        try enter(columns)
        try advance()
        guard case .field(var field) = try term() else { throw problem(token.columns, "\(name)() takes a field") }
        guard token.token == .sign(.close) else {
            throw problem(token.columns, token.token == .sign(.comma) ? "\(name)() takes one field" : "a ) is missing after \(field.name)")
        }
        let whole = columns.lowerBound..<token.columns.upperBound
        try advance()
        depth -= 1
        guard field.operand.steps.count < Self.mostSteps, !field.operand.isCount else {
            throw problem(whole, "too many functions are inside of each other, or one of a count")
        }
        try apply(name, &field)
        field.columns = whole
        field.name = lexer.text(whole)
        field.isFindingID = false
        return field
    }

    private func apply(_ name: String, _ field: inout FieldTerm) throws(DisplayFilterProblem) {
        func refuse(_ message: String) -> DisplayFilterProblem { problem(field.columns, message) }
        let isText = field.type.hasBytes || field.type.isWord
        switch name {
        case "upper", "lower":
            guard isText else { throw refuse("\(field.name) is \(field.type.name) and no text") }
            field.operand.steps.append(name == "upper" ? .upper : .lower)
            field.type = .text
        case "len":
            guard isText else { throw refuse("\(field.name) is \(field.type.name), which has no length") }
            field.operand.steps.append(.length)
            field.type = .integer(least: 0, most: .max)
        case "count":
            field.operand.isCount = true
            field.type = .integer(least: 0, most: .max)
        case _:
            field.operand.steps.append(.text)
            field.type = .text
        }
    }
}

extension ByteSlice {
    /// `0:4`, `0-3`, `4`, `4:`, `:4`, with commas between several; nil for anything else.
    static func parse(_ text: String) -> [ByteSlice]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= 64 else { return nil }
        var slices: [ByteSlice] = []
        for part in parts {
            guard let slice = one(part.filter { $0 != " " }) else { return nil }
            slices.append(slice)
        }
        return slices
    }

    private static func one(_ text: String) -> ByteSlice? {
        if let colon = text.firstIndex(of: ":") {
            let (first, last) = (text[..<colon], text[text.index(after: colon)...])
            guard let start = first.isEmpty ? 0 : number(first) else { return nil }
            if last.isEmpty { return first.isEmpty ? nil : ByteSlice(start: start, end: .end) }
            guard let count = number(last), count > 0 else { return nil }
            return ByteSlice(start: start, end: .count(count))
        }
        // The dash between two, and not the sign before the first.
        if let dash = text.dropFirst().firstIndex(of: "-") {
            guard let start = number(text[..<dash]), let last = number(text[text.index(after: dash)...]) else { return nil }
            if start >= 0, last >= 0, last < start { return nil }
            return ByteSlice(start: start, end: .last(last))
        }
        return number(text[...]).map { ByteSlice(start: $0, end: .count(1)) }
    }

    /// A number of at most nine digits.
    private static func number(_ text: Substring) -> Int? {
        guard !text.hasPrefix("+"), text.utf8.count <= 10 else { return nil }
        return Int(text)
    }
}
