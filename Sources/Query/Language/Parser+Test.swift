import Reports

// One test of an expression: a field alone, or compared with something.

extension Parser {
    mutating func test() throws(DisplayFilterProblem) -> Condition {
        var extent: Comparison.Extent?
        if case .word(let word) = token.token, word == "any" || word == "all" {
            extent = word == "all" ? .all : .any
            try advance()
        }
        let left = try term()
        guard let comparing = Operator(token.token) else {
            guard case .field(let field) = left else { throw noField(left) }
            if extent != nil { throw unexpected() }
            return .exists(field.operand)
        }
        let sign = token.columns
        try advance()
        if case .within = comparing { return try membership(left, extent ?? .any) }
        let right = try term()
        if Operator(token.token) != nil {
            throw problem(token.columns, "a test has one comparison: put and between two")
        }
        return try comparison(left, comparing, right, extent, sign)
    }

    private mutating func comparison(
        _ left: Term, _ comparing: Operator, _ right: Term, _ extent: Comparison.Extent?, _ sign: Range<Int>
    ) throws(DisplayFilterProblem) -> Condition {
        switch comparing {
        case .compare(let relation, let usual):
            let comparison = Comparison(relation: relation, extent: extent ?? usual)
            return try compare(left, comparison, right)
        case .contains:
            guard case .field(let field) = left else { throw noField(left) }
            guard field.type.hasBytes || field.type.isWord else {
                throw problem(
                    field.columns, "\(field.name) is \(field.type.name), in which nothing is contained; string(\(field.name)) is text")
            }
            guard case .literal(let literal, let columns) = asLiteral(right) else {
                throw problem(right.columns, "what is looked for is a text or bytes, and no field")
            }
            let search = ByteSearch(try needle(literal, for: field, columns))
            mark(.bytes(search), field)
            return .contains(field.operand, extent ?? .any, search)
        case .matches:
            guard case .field(let field) = left else { throw noField(left) }
            guard field.type.hasBytes || field.type.isWord else {
                throw problem(field.columns, "\(field.name) is \(field.type.name) and no text; string(\(field.name)) is one")
            }
            return .matches(field.operand, extent ?? .any, pattern: try pattern(right, field))
        case .within: throw unexpected()
        }
    }

    /// Compares two sides of which one at least is a field.
    private func compare(_ left: Term, _ comparison: Comparison, _ right: Term) throws(DisplayFilterProblem) -> Condition {
        let isOrdered = comparison.relation != .equal && comparison.relation != .notEqual
        switch (left, right) {
        case (.field(let field), .literal(let literal, let columns)):
            return .compare(field.operand, comparison, try constant(literal, for: field, columns, isOrdered: isOrdered))
        case (.field(let field), .field(let other)):
            // What is a word of the one may be the name of another field.
            if let word = other.plainName, field.takes(word: word) {
                let literal = Literal.word(word)
                return .compare(field.operand, comparison, try constant(literal, for: field, other.columns, isOrdered: isOrdered))
            }
            guard field.type.isComparable(with: other.type) else {
                throw problem(
                    other.columns, "\(field.name) is \(field.type.name) and \(other.name) is \(other.type.name): they cannot be compared")
            }
            return .compareFields(field.operand, comparison, other.operand)
        case (.literal(let literal, let columns), .field(let field)):
            if case .word(let word) = literal, field.takes(word: word) == false, !literal.canBe(field.type) {
                throw FieldNames.unknown(word, columns, lexer)
            }
            let constant = try constant(literal, for: field, columns, isOrdered: isOrdered)
            return .compare(field.operand, comparison.reversed, constant)
        case (.literal, .literal): throw noField(left)
        }
    }

    /// A regular expression, which is the number of one.
    private mutating func pattern(_ right: Term, _ field: FieldTerm) throws(DisplayFilterProblem) -> Int {
        guard case .literal(.string(let bytes, let isRaw), let columns) = right else {
            throw problem(right.columns, "a regular expression is text in quotes, best r\"…\"")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(PatternText.Problem) {
            patterns.append(try PatternText(text, ignoresCase: true))
        } catch {
            var columns = columns
            // With escapes, what stands where in it is not what stands there in the expression.
            if isRaw || columns.count == text.unicodeScalars.count + 2 {
                let place =
                    columns.lowerBound + (isRaw ? 2 : 1) + String(decoding: bytes.prefix(error.offset), as: UTF8.self).unicodeScalars.count
                columns = min(place, columns.upperBound - 1)..<columns.upperBound
                columns = columns.lowerBound..<columns.lowerBound + 1
            }
            throw problem(columns, "the regular expression is none: \(error.reason)")
        }
        mark(.pattern(patterns.count - 1), field)
        return patterns.count - 1
    }

    /// `{1, 2, 5..9}` after `in`.
    private mutating func membership(_ left: Term, _ extent: Comparison.Extent) throws(DisplayFilterProblem) -> Condition {
        guard case .field(let field) = left else { throw noField(left) }
        guard token.token == .sign(.openSet) else { throw problem(token.columns, "after in comes a set, such as {1, 2, 5..9}") }
        let open = token.columns
        try advance()
        var ranges: [ConstantRange] = []
        repeat {
            if token.token == .sign(.closeSet) { throw problem(token.columns, "a value is missing") }
            let least = try member(field, isOrdered: false)
            guard token.token == .sign(.range) else {
                ranges.append(ConstantRange(least: least, most: least))
                continue
            }
            try advance()
            let columns = token.columns
            let most = try member(field, isOrdered: true)
            if case .quantity(let low) = least, case .quantity(let high) = most, low.order(to: high) == .after {
                throw problem(columns, "the range ends before it begins")
            }
            ranges.append(ConstantRange(least: least, most: most))
        } while try takeComma()
        guard token.token == .sign(.closeSet) else {
            if token.token == .end { throw problem(open, "the set is not closed: a } is missing") }
            throw problem(token.columns, "\(lexer.text(token.columns).shownInMessage) cannot stand here: values are parted by commas")
        }
        try advance()
        return .within(field.operand, extent, ranges)
    }

    private mutating func takeComma() throws(DisplayFilterProblem) -> Bool {
        guard token.token == .sign(.comma) else { return false }
        try advance()
        return true
    }

    private mutating func member(_ field: FieldTerm, isOrdered: Bool) throws(DisplayFilterProblem) -> Constant {
        let columns = token.columns
        let literal: Literal
        switch token.token {
        case .word(let word): literal = .word(word)
        case .string(let bytes, let isRaw): literal = .string(bytes, isRaw: isRaw)
        case .character(let byte): literal = .character(byte)
        case .end: throw problem(columns, "the set is not closed: a } is missing")
        case .sign: throw problem(columns, "\(lexer.text(columns).shownInMessage) is no value")
        }
        try advance()
        return try constant(literal, for: field, columns, isOrdered: isOrdered)
    }

    /// A word that names a field, where no field can stand, is taken as it is written.
    private func asLiteral(_ term: Term) -> Term {
        guard case .field(let field) = term, let word = field.plainName else { return term }
        return .literal(.word(word), field.columns)
    }

    /// What to say where a field should stand and something else does.
    func noField(_ term: Term) -> DisplayFilterProblem {
        guard case .literal(let literal, let columns) = term else { return unexpected() }
        guard case .word(let word) = literal, literal.whole == nil, literal.network == nil else {
            return problem(columns, "\(literal.shown) is a value: a field has to stand before the operator, or alone")
        }
        return FieldNames.unknown(word, columns, lexer)
    }
}

extension ValueType {
    var isWord: Bool { if case .word = self { true } else { false } }
}

extension FieldTerm {
    /// The name, where nothing is done with the field.
    var plainName: String? { operand.steps.isEmpty && !operand.isCount && columns.count == name.unicodeScalars.count ? name : nil }

    /// Whether a word without quotes is a value of it.
    func takes(word: String) -> Bool {
        switch type {
        case .word(let words, _): words.contains(word)
        case .integer(_, _, let names): names.contains { $0.name == word }
        case .text: isFindingID
        case .anything: !word.contains(".")
        case _: false
        }
    }
}

extension Literal {
    /// Whether it can be a value of such a field, so that it was hardly meant as a name.
    fileprivate func canBe(_ type: ValueType) -> Bool {
        whole != nil || real != nil || network != nil || (bytes != nil && !type.isWord)
    }
}
