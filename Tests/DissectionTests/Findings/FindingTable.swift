import Support

/// Cases one below the other. Each is an expression of its own, which the compiler judges by itself: a list of as many is beyond it.
@resultBuilder enum FindingTable {
    static func buildBlock(_ cases: FindingCase...) -> [FindingCase] { cases }
}

extension FindingCase {
    static func table(@FindingTable _ cases: () -> [FindingCase]) -> [FindingCase] { cases() }
}
