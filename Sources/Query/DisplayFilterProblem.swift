/// What is wrong with an expression of the display filter.
package struct DisplayFilterProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The expression as it was given.
    package let expression: String
    /// The characters that it is about, from 0; empty at the end of the expression where something is missing there.
    package let columns: Range<Int>
    /// What is wrong with them, without a full stop.
    package let message: String
    /// A name that exists and is written much like the one that does not.
    package let nearest: String?

    init(expression: String, columns: Range<Int>, message: String, nearest: String? = nil) {
        self.expression = expression
        self.columns = columns
        self.message = message
        self.nearest = nearest
    }

    /// The message, the expression, and a line that points at the columns.
    package var description: String { message }
}
