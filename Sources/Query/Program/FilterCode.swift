import Dissection
import Reports

/// An expression as a row of steps, each of which says where to go on when its test holds and when it does not.
///
/// What most expressions ask is asked of the event itself, without a call for each value; the rest of each value (`FieldTest`). Of several
/// conditions that all have to hold, or one of which has to, those that cost least come first.
struct FilterCode: Sendable {
    enum Test: Sendable {
        /// Whatever is of these kinds.
        case kind
        case number(NumberSource, Comparison.Relation, UInt64)
        /// The ranges of that number.
        case numberIn(NumberSource, Int)
        /// The search of that number.
        case contains(ContentSource, Int)
        /// The regular expression of that number.
        case matches(ContentSource, pattern: Int)
        /// The field test of that number; only where the payload has what the search of that number looks for, or an escape.
        case mentioning(Int, field: Int)
        /// The field test of that number.
        case field(Int)
        /// The same of a field that says of all events of a conversation what was said at its beginning: the answers are kept in that slot of what is
        /// known of the conversation.
        case known(field: Int, slot: Int)
        /// The pair of fields of that number.
        case pair(Int)
        /// One of both holds, and not the other: expressions of these numbers.
        case exclusive(Int, Int)
    }

    struct Step: Sendable {
        /// The kinds of events for which the test may hold.
        var kinds: FieldCarriers
        var test: Test
        var onSuccess: Int
        var onFailure: Int
    }

    /// Where it goes on after the last step.
    static let accept = -1
    static let reject = -2

    private(set) var steps: [Step] = []
    private(set) var start = FilterCode.accept
    private(set) var ranges: [[ClosedRange<UInt64>]] = []
    private(set) var searches: [ByteSearch] = []
    private(set) var fields: [FieldTest] = []
    private(set) var pairs: [(left: Operand, comparison: Comparison, right: Operand)] = []
    /// Expressions inside of this one.
    private(set) var codes: [FilterCode] = []
    private var freeSlots: Range<Int>

    /// - Parameter slots: in which answers about a conversation can be kept.
    init(_ condition: Condition, slots: Range<Int> = 0..<KnownAnswers.slots) {
        freeSlots = slots
        start = add(condition, onSuccess: Self.accept, onFailure: Self.reject)
    }

    /// Adds the steps of a condition, from the last to the first. Returns the first.
    private mutating func add(_ condition: Condition, onSuccess: Int, onFailure: Int) -> Int {
        switch condition {
        case .every(let conditions):
            return conditions.byCost.reversed().reduce(onSuccess) { add($1, onSuccess: $0, onFailure: onFailure) }
        case .some(let conditions):
            return conditions.byCost.reversed().reduce(onFailure) { add($1, onSuccess: onSuccess, onFailure: $0) }
        case .not(let condition): return add(condition, onSuccess: onFailure, onFailure: onSuccess)
        case .exclusive(let left, let right):
            for side in [left, right] {
                let code = FilterCode(side, slots: freeSlots)
                freeSlots = code.freeSlots
                codes.append(code)
            }
            return add(.exclusive(codes.count - 2, codes.count - 1), of: .ofConversation, onSuccess, onFailure)
        case .compareFields(let left, let comparison, let right):
            pairs.append((left, comparison, right))
            return add(.pair(pairs.count - 1), of: condition.carriers, onSuccess, onFailure)
        case .exists(let operand), .compare(let operand, _, _), .contains(let operand, _, _), .matches(let operand, _, _),
            .within(let operand, _, _):
            if let (carriers, source) = operand.narrowed {
                guard case .several(let sources) = source, condition.isOfAny, operand.steps.isEmpty, !operand.isCount else {
                    let narrowed = condition.of(source)
                    return add(leaf(narrowed), of: carriers.intersection(narrowed.kinds), onSuccess, onFailure)
                }
                // One value of any of them is enough.
                return sources.reversed().reduce(onFailure) { next, source in
                    add(condition.of(.within(carriers, source)), onSuccess: onSuccess, onFailure: next)
                }
            }
            return add(leaf(condition), of: condition.kinds, onSuccess, onFailure)
        }
    }

    private mutating func add(_ test: Test, of kinds: FieldCarriers, _ onSuccess: Int, _ onFailure: Int) -> Int {
        steps.append(Step(kinds: kinds, test: test, onSuccess: onSuccess, onFailure: onFailure))
        return steps.count - 1
    }

    /// The test of a condition about one field.
    private mutating func leaf(_ condition: Condition) -> Test {
        switch condition {
        case .exists(let operand) where operand.isPlain && operand.source.isOfEveryEvent: return .kind
        case .compare(let operand, let comparison, .quantity(.whole(let whole))) where operand.isPlain:
            guard let source = NumberSource(operand.source), let value = UInt64(exactly: whole) else { break }
            return .number(source, comparison.relation, value)
        case .compare(let operand, let comparison, .word(let place)) where operand.isPlain:
            if case .common(.from) = operand.source { return .number(.from, comparison.relation, UInt64(clamping: place)) }
            if case .common(.kind) = operand.source, comparison.relation == .equal { return .kind }
        case .within(let operand, _, let members) where operand.isPlain:
            if case .common(.kind) = operand.source, condition.kinds != operand.source.carriers { return .kind }
            guard let source = NumberSource(operand.source), let wholes = members.wholes else { break }
            ranges.append(wholes)
            return .numberIn(source, ranges.count - 1)
        case .contains(let operand, _, let search) where operand.isPlain:
            guard let source = ContentSource(operand.source) else { break }
            searches.append(search)
            return .contains(source, searches.count - 1)
        case .matches(let operand, _, let pattern) where operand.isPlain:
            guard let source = ContentSource(operand.source) else { break }
            return .matches(source, pattern: pattern)
        case _: break
        }
        return rest(condition)
    }

    /// A test of each value.
    private mutating func rest(_ condition: Condition) -> Test {
        // Those that are about no field have tests of their own.
        guard let test = FieldTest(condition) else { return .kind }
        fields.append(test)
        if case .conversation = test.operand.source, let slot = freeSlots.popFirst() { return .known(field: fields.count - 1, slot: slot) }
        guard case .json(let path) = test.operand.source, let text = condition.requiredText ?? path.longestKey, text.count > 1 else {
            return .field(fields.count - 1)
        }
        searches.append(ByteSearch(text))
        return .mentioning(searches.count - 1, field: fields.count - 1)
    }
}

extension Operand {
    /// Nothing is done with its values.
    fileprivate var isPlain: Bool { steps.isEmpty && !isCount }

    /// What it is of events of some kinds alone; nil where it is not so narrowed. Several sources count as narrowed too.
    fileprivate var narrowed: (FieldCarriers, FieldSource)? {
        switch source {
        case .within(let carriers, let inner):
            var (carriers, inner) = (carriers, inner)
            while case .within(let more, let next) = inner { (carriers, inner) = (carriers.intersection(more), next) }
            return (carriers, inner)
        case .several: return (.ofConversation, source)
        case _: return nil
        }
    }
}

extension Condition {
    /// Text that has to stand in JSON as it is, or with escapes, for it to hold.
    fileprivate var requiredText: [UInt8]? {
        let text: [UInt8]
        switch self {
        case .compare(let operand, let comparison, .bytes(let bytes)):
            guard operand.isPlain, comparison.relation == .equal else { return nil }
            text = bytes
        case .contains(let operand, _, let search):
            guard operand.isPlain else { return nil }
            text = search.needle
        case _: return nil
        }
        // What is written otherwise in JSON, or may be.
        return text.allSatisfy { 0x20..<0x7f ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") } ? text : nil
    }

    /// Whether one value for which it holds is enough.
    fileprivate var isOfAny: Bool {
        switch self {
        case .exists: true
        case .compare(_, let comparison, _): comparison.extent == .any
        case .contains(_, let extent, _), .matches(_, let extent, _), .within(_, let extent, _): extent == .any
        case .every, .some, .exclusive, .not, .compareFields: false
        }
    }

    /// The same of another source.
    fileprivate func of(_ source: FieldSource) -> Condition {
        func moved(_ operand: Operand) -> Operand {
            var operand = operand
            operand.source = source
            return operand
        }
        return switch self {
        case .exists(let operand): .exists(moved(operand))
        case .compare(let operand, let comparison, let constant): .compare(moved(operand), comparison, constant)
        case .contains(let operand, let extent, let search): .contains(moved(operand), extent, search)
        case .matches(let operand, let extent, let pattern): .matches(moved(operand), extent, pattern: pattern)
        case .within(let operand, let extent, let ranges): .within(moved(operand), extent, ranges)
        case .every, .some, .exclusive, .not, .compareFields: self
        }
    }
}
