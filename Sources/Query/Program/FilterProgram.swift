import Reports

/// An expression that was read and checked.
struct FilterProgram: Sendable {
    /// What is searched for in payloads, so that it can stand out where it is shown.
    enum Mark: Sendable {
        case bytes(ByteSearch)
        case pattern(Int)
    }

    var condition: Condition
    var patterns: [PatternText] = []
    var marks: [Mark] = []
}
