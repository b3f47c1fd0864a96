import Reports

/// An expression of the display filter, `-Y`: known to be one, and ready to be used by any number of outputs.
package struct DisplayFilter: Sendable {
    /// As it was given.
    package let text: String

    /// - Throws: what is wrong with the expression, and where.
    package init(_ text: String) throws(DisplayFilterProblem) {
        self.text = text
        guard text.utf8.contains(where: { $0 != 0x20 }) else {
            throw DisplayFilterProblem(expression: text, columns: 0..<text.count, message: "there is no condition")
        }
    }

    /// A filter for one output: it keeps what it needs of the conversations that are open.
    package func makeFilter() -> any EventFilter { FilterRun() }
}
