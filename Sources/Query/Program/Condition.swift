import Reports

/// What has to hold for an event: an expression, read and checked.
indirect enum Condition: Sendable {
    case every([Condition])
    case some([Condition])
    case exclusive(Condition, Condition)
    case not(Condition)
    /// The field is there.
    case exists(Operand)
    case compare(Operand, Comparison, Constant)
    case compareFields(Operand, Comparison, Operand)
    case contains(Operand, Comparison.Extent, ByteSearch)
    /// The regular expression of that number.
    case matches(Operand, Comparison.Extent, pattern: Int)
    case within(Operand, Comparison.Extent, [ConstantRange])

    /// The kinds of events for which it may hold.
    var carriers: FieldCarriers {
        switch self {
        case .every(let conditions): conditions.reduce(.ofConversation) { $0.intersection($1.carriers) }
        case .some(let conditions): conditions.reduce([]) { $0.union($1.carriers) }
        case .exclusive(let left, let right): left.carriers.union(right.carriers)
        case .not: .ofConversation
        case .exists(let operand), .compare(let operand, _, _), .contains(let operand, _, _), .matches(let operand, _, _),
            .within(let operand, _, _):
            operand.source.carriers
        case .compareFields(let left, _, let right): left.source.carriers.intersection(right.source.carriers)
        }
    }

    /// All fields that it looks at.
    var operands: [Operand] {
        switch self {
        case .every(let conditions), .some(let conditions): conditions.flatMap(\.operands)
        case .exclusive(let left, let right): left.operands + right.operands
        case .not(let condition): condition.operands
        case .exists(let operand), .compare(let operand, _, _), .contains(let operand, _, _), .matches(let operand, _, _),
            .within(let operand, _, _):
            [operand]
        case .compareFields(let left, _, let right): [left, right]
        }
    }
}

/// How two values are compared.
struct Comparison: Sendable, Hashable {
    enum Relation: Sendable, Hashable { case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual }

    /// Of a field with several values, how many of them it has to hold for. Without a value it holds for none.
    enum Extent: Sendable, Hashable { case any, all }

    var relation: Relation
    var extent: Extent

    /// Whether it holds for a value that stands so to the other; without an order the two are different.
    func holds(_ order: Order?) -> Bool {
        switch relation {
        case .equal: order == .same
        case .notEqual: order != .same
        case .less: order == .before
        case .lessOrEqual: order == .before || order == .same
        case .greater: order == .after
        case .greaterOrEqual: order == .after || order == .same
        }
    }

    /// Whether it holds for a value of a field.
    func holds(_ value: FieldValue, _ constant: Constant) -> Bool {
        if case .range(let low, let high) = value, case .quantity(let quantity) = constant {
            // A run of numbers is less than one when some of it is.
            switch relation {
            case .equal, .notEqual: break
            case .less, .lessOrEqual: return holds(Quantity.whole(Int128(low)).order(to: quantity))
            case .greater, .greaterOrEqual: return holds(Quantity.whole(Int128(high)).order(to: quantity))
            }
        }
        return holds(constant.order(of: value))
    }

    /// The same with its sides changed.
    var reversed: Comparison {
        let relation: Relation =
            switch relation {
            case .equal: .equal
            case .notEqual: .notEqual
            case .less: .greater
            case .lessOrEqual: .greaterOrEqual
            case .greater: .less
            case .greaterOrEqual: .lessOrEqual
            }
        return Comparison(relation: relation, extent: extent)
    }
}

/// A member of a set: one constant, or all between two.
struct ConstantRange: Sendable, Hashable {
    var least: Constant
    var most: Constant

    func contains(_ value: FieldValue) -> Bool {
        if least == most { return Comparison(relation: .equal, extent: .any).holds(value, least) }
        return Comparison(relation: .greaterOrEqual, extent: .any).holds(value, least)
            && Comparison(relation: .lessOrEqual, extent: .any).holds(value, most)
    }
}

/// A field, and what is done with its values before they are compared.
struct Operand: Sendable {
    enum Step: Sendable {
        case slice([ByteSlice])
        case upper, lower, length, text
    }

    var source: FieldSource
    var steps: [Step] = []
    /// How many values there are, in place of the values.
    var isCount = false
}

/// A part of bytes. Offsets that are negative count from the end.
struct ByteSlice: Sendable, Hashable {
    enum End: Sendable, Hashable {
        case count(Int)
        /// The last byte.
        case last(Int)
        case end
    }

    var start: Int
    var end: End

    /// The place in so many bytes; nil where they do not reach so far.
    func range(in count: Int) -> Range<Int>? {
        let first = start < 0 ? count + start : start
        guard first >= 0, first <= count else { return nil }
        let stop: Int
        switch end {
        case .count(let length):
            let (sum, overflow) = first.addingReportingOverflow(length)
            guard !overflow else { return nil }
            stop = sum
        case .last(let place): stop = (place < 0 ? count + place : place) + 1
        case .end: stop = count
        }
        guard stop > first, stop <= count else { return nil }
        return first..<stop
    }
}
