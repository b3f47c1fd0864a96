import Reports

/// An expression of the display filter, `-Y`: known to be one, and ready to be used by any number of outputs.
///
/// The language is that of Wireshark's display filter (wireshark-filter(4)); docs/filter.md has it with its fields.
package struct DisplayFilter: Sendable {
    /// As it was given.
    package let text: String
    private let program: FilterProgram

    /// - Throws: what is wrong with the expression, and where. It has at most 65,536 bytes and 200 open parentheses.
    package init(_ text: String) throws(DisplayFilterProblem) {
        self.text = text
        var parser = try Parser(text)
        program = try parser.program()
    }

    /// Whether it looks at what payloads say in their formats.
    package var wantsDecoded: Bool { program.condition.operands.contains(where: \.source.wantsDecoded) }

    /// A filter for one output: it keeps what it needs of the conversations that are open.
    package func makeFilter() -> FilterRun { FilterRun(program) }
}
