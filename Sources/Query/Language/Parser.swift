import Reports

/// Reads an expression: first what binds least.
///
/// ```
/// or   = xor { ("or" | "||") xor }
/// xor  = and { ("xor" | "^^") and }
/// and  = not { ("and" | "&&") not }
/// not  = { "not" | "!" } ( "(" or ")" | test )
/// test = [ "any" | "all" ] term [ operator term | "in" "{" member { "," member } "}" ]
/// ```
struct Parser {
    var lexer: Lexer
    var token: PlacedToken
    var patterns: [PatternText] = []
    /// What may stand out where it is found.
    var marks: [FilterProgram.Mark] = []
    /// Parentheses and functions that are open.
    var depth = 0
    /// An odd number of negations stands before it.
    private var isNegated = false

    /// Bytes of an expression.
    static let mostBytes = 65_536
    /// Parentheses, and functions inside of each other.
    static let mostDepth = 200

    init(_ expression: String) throws(DisplayFilterProblem) {
        guard expression.utf8.count <= Self.mostBytes else {
            let start = String(expression.prefix(60))
            throw DisplayFilterProblem(
                expression: start + "…", columns: 0..<1, message: "the expression has more than \(Self.mostBytes) bytes")
        }
        lexer = Lexer(expression)
        token = try lexer.next()
    }

    mutating func program() throws(DisplayFilterProblem) -> FilterProgram {
        guard token.token != .end else { throw problem(token.columns, "there is no condition") }
        let condition = try disjunction()
        guard token.token == .end else { throw unexpected() }
        return FilterProgram(condition: condition, patterns: patterns, marks: marks)
    }

    private mutating func disjunction() throws(DisplayFilterProblem) -> Condition {
        var conditions = [try exclusion()]
        while try take("or", .or) { conditions.append(try exclusion()) }
        return conditions.count == 1 ? conditions[0] : .some(conditions)
    }

    private mutating func exclusion() throws(DisplayFilterProblem) -> Condition {
        var condition = try conjunction()
        var count = 0
        while try take("xor", .exclusive) {
            count += 1
            // Each is nested in the next.
            guard count < Self.mostDepth else { throw problem(token.columns, "there are more than \(Self.mostDepth) xor") }
            condition = .exclusive(condition, try conjunction())
        }
        return condition
    }

    private mutating func conjunction() throws(DisplayFilterProblem) -> Condition {
        var conditions = [try negation()]
        while try take("and", .and) { conditions.append(try negation()) }
        return conditions.count == 1 ? conditions[0] : .every(conditions)
    }

    private mutating func negation() throws(DisplayFilterProblem) -> Condition {
        var isNegative = false
        while try take("not", .not) { isNegative.toggle() }
        let before = isNegated
        if isNegative { isNegated.toggle() }
        defer { isNegated = before }
        let condition = try primary()
        return isNegative ? .not(condition) : condition
    }

    private mutating func primary() throws(DisplayFilterProblem) -> Condition {
        guard token.token == .sign(.open) else { return try test() }
        let open = token.columns
        try enter(open)
        try advance()
        let condition = try disjunction()
        guard token.token == .sign(.close) else {
            if token.token == .end { throw problem(open, "the parenthesis is not closed") }
            throw unexpected()
        }
        try advance()
        depth -= 1
        return condition
    }

    // MARK: - What the parts of it use

    mutating func enter(_ columns: Range<Int>) throws(DisplayFilterProblem) {
        depth += 1
        if depth > Self.mostDepth { throw problem(columns, "more than \(Self.mostDepth) parentheses are open") }
    }

    mutating func advance() throws(DisplayFilterProblem) { token = try lexer.next() }

    /// Takes a word or the sign for it.
    mutating func take(_ word: String, _ sign: Token.Sign) throws(DisplayFilterProblem) -> Bool {
        guard token.token == .word(word) || token.token == .sign(sign) else { return false }
        try advance()
        return true
    }

    func problem(_ columns: Range<Int>, _ message: String, nearest: String? = nil) -> DisplayFilterProblem {
        lexer.problem(columns, message, nearest: nearest)
    }

    /// What to say of a token that cannot stand here.
    func unexpected() -> DisplayFilterProblem {
        let written = lexer.text(token.columns)
        switch token.token {
        case .end: return problem(token.columns, "the expression ends too early: a condition is missing")
        case .sign(.close): return problem(token.columns, "there is no parenthesis that this one closes")
        case .sign(.openSlice): return problem(token.columns, "only fields have parts in brackets")
        case .word(let word) where Operator(token.token) == nil:
            let words = ["and", "or", "xor", "in", "contains", "matches"]
            let nearest = word.count < 12 ? NearestName.of(word, among: words) : nil
            return problem(token.columns, "\(written.shownInMessage) cannot stand here: and or or is missing before it", nearest: nearest)
        case _:
            return problem(token.columns, "\(written.shownInMessage) cannot stand here")
        }
    }

    /// What is found in payloads stands out, unless it is what must not be found.
    mutating func mark(_ mark: FilterProgram.Mark, _ term: FieldTerm) {
        if !isNegated, term.isPayload, term.operand.steps.isEmpty, !term.operand.isCount { marks.append(mark) }
    }
}
