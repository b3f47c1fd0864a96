import Reports

/// A field of an expression, with what is done to it, and its type.
struct FieldTerm: Sendable {
    var operand: Operand
    var type: ValueType
    /// As it was written, for messages.
    var name: String
    var columns: Range<Int>
    /// It is `finding.id`, whose values are known.
    var isFindingID = false
    /// The name of the same field for addresses of the other family.
    var sibling: String?
    /// It is the content of a payload, in which matches can stand out.
    var isPayload = false
}

extension FieldTerm {
    init(_ field: FilterField, _ word: String, _ columns: Range<Int>) {
        self.init(operand: Operand(source: field.source), type: field.type, name: word, columns: columns)
        if case .finding(.id) = field.source { isFindingID = true }
        if case .address(.some) = field.type {
            sibling = word.hasPrefix("ipv6") ? word.replacing("ipv6", with: "ip") : word.replacing("ip.", with: "ipv6.")
        }
        isPayload = field.source.isPayload
    }
}

/// One side of a comparison.
enum Term: Sendable {
    case field(FieldTerm)
    case literal(Literal, Range<Int>)

    var columns: Range<Int> {
        switch self {
        case .field(let term): term.columns
        case .literal(_, let columns): columns
        }
    }
}

/// What stands between two terms.
enum Operator: Sendable {
    case compare(Comparison.Relation, Comparison.Extent)
    case contains, matches, within

    init?(_ token: Token) {
        switch token {
        case .sign(.equal): self = .compare(.equal, .any)
        case .sign(.notEqual): self = .compare(.notEqual, .all)
        case .sign(.allEqual): self = .compare(.equal, .all)
        case .sign(.anyNotEqual), .sign(.anyNotEqualToo): self = .compare(.notEqual, .any)
        case .sign(.less): self = .compare(.less, .any)
        case .sign(.lessOrEqual): self = .compare(.lessOrEqual, .any)
        case .sign(.greater): self = .compare(.greater, .any)
        case .sign(.greaterOrEqual): self = .compare(.greaterOrEqual, .any)
        case .sign(.matches): self = .matches
        case .word(let word): self.init(word: word)
        case _: return nil
        }
    }

    private init?(word: String) {
        switch word {
        case "eq", "any_eq": self = .compare(.equal, .any)
        case "ne", "all_ne": self = .compare(.notEqual, .all)
        case "all_eq": self = .compare(.equal, .all)
        case "any_ne": self = .compare(.notEqual, .any)
        case "lt": self = .compare(.less, .any)
        case "le": self = .compare(.lessOrEqual, .any)
        case "gt": self = .compare(.greater, .any)
        case "ge": self = .compare(.greaterOrEqual, .any)
        case "contains": self = .contains
        case "matches": self = .matches
        case "in": self = .within
        case _: return nil
        }
    }
}
