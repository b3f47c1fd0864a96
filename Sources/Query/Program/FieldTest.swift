import Dissection
import Reports

/// What is asked of the values of one field. An object, so that nothing of it is copied where it is asked for each event.
final class FieldTest: Sendable {
    enum Question: Sendable { case isThere, compares, contains, matches, isWithin }

    let question: Question
    let operand: Operand
    /// How many of the values it has to hold for.
    let extent: Comparison.Extent
    let comparison: Comparison
    let constant: Constant
    let search: ByteSearch
    let ranges: [ConstantRange]
    /// The number of the regular expression.
    let pattern: Int
    /// The conversation has to be known for it.
    let isAboutConversation: Bool

    /// Nil for a condition that is not about one field.
    init?(_ condition: Condition) {
        var comparison = Comparison(relation: .equal, extent: .any)
        var constant = Constant.nothing
        var search = ByteSearch([])
        var ranges: [ConstantRange] = []
        var pattern = 0
        switch condition {
        case .every, .some, .exclusive, .not, .compareFields: return nil
        case .exists(let operand): (question, self.operand) = (.isThere, operand)
        case .compare(let operand, let given, let other):
            (question, self.operand, comparison, constant) = (.compares, operand, given, other)
        case .contains(let operand, let extent, let given):
            (question, self.operand, comparison.extent, search) = (.contains, operand, extent, given)
        case .matches(let operand, let extent, let given):
            (question, self.operand, comparison.extent, pattern) = (.matches, operand, extent, given)
        case .within(let operand, let extent, let given):
            (question, self.operand, comparison.extent, ranges) = (.isWithin, operand, extent, given)
        }
        self.comparison = comparison
        self.constant = constant
        self.search = search
        self.ranges = ranges
        self.pattern = pattern
        extent = comparison.extent
        isAboutConversation = !operand.source.needs.isEmpty
    }

    /// Whether it holds for one value. Regular expressions are for who has the matchers.
    @inline(__always)
    func holds(_ value: FieldValue, _ run: FilterRun) -> Bool {
        switch question {
        case .isThere: return true
        case .compares: return comparison.holds(value, constant)
        case .contains:
            guard let span = value.span else { return false }
            return search.first(in: span) != nil
        case .matches: return run.matches(value, pattern)
        case .isWithin:
            for range in ranges { if range.contains(value) { return true } }
            return false
        }
    }
}
