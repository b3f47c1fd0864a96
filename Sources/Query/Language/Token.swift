/// A word or sign of an expression.
enum Token: Hashable, Sendable {
    /// What is written without quotes: a name, a number, an address, a word such as `and`.
    case word(String)
    /// What stands between quotes, its escapes undone.
    case string([UInt8], isRaw: Bool)
    /// A character constant: `'a'`.
    case character(UInt8)
    case sign(Sign)
    case end

    enum Sign: String, Hashable, Sendable, CaseIterable {
        // The longer ones first, as they are looked for.
        case allEqual = "===", anyNotEqual = "!=="
        case equal = "==", notEqual = "!=", lessOrEqual = "<=", greaterOrEqual = ">=", anyNotEqualToo = "~=", and = "&&", or = "||"
        case exclusive = "^^", range = ".."
        case less = "<", greater = ">", matches = "~", not = "!", open = "(", close = ")", openSet = "{", closeSet = "}", openSlice = "["
        case closeSlice = "]", comma = ","
    }
}

/// A token and where it stands.
struct PlacedToken: Sendable {
    var token: Token
    /// Characters of the expression, from 0.
    var columns: Range<Int>
}
