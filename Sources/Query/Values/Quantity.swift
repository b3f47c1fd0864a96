/// A number, exact as long as it is whole or counts billionths.
enum Quantity: Hashable, Sendable {
    case whole(Int128)
    /// So many billionths: seconds.
    case billionths(Int64)
    case real(Double)

    /// Whether it comes before another one; nil where that cannot be said (NaN).
    func order(to other: Quantity) -> Order? {
        switch (self, other) {
        case (.whole(let left), .whole(let right)): return Order(left, right)
        case (.billionths(let left), .billionths(let right)): return Order(left, right)
        case (.whole(let left), .billionths(let right)):
            // Beyond 64 bits it is larger than any span of time, whose billionths have 64.
            guard let left = Int64(exactly: left) else { return left < 0 ? .before : .after }
            return Order(Int128(left) * 1_000_000_000, Int128(right))
        case (.billionths, .whole): return other.order(to: self)?.reversed
        case _:
            let (left, right) = (double, other.double)
            return left.isNaN || right.isNaN ? nil : Order(left, right)
        }
    }

    var double: Double {
        switch self {
        case .whole(let value): Double(value)
        // Both are exact, so that the quotient is the number nearest to the decimal.
        case .billionths(let value): value.magnitude < 1 << 53 ? Double(value) / 1e9 : Double(value / 1_000_000_000)
        case .real(let value): value
        }
    }
}

/// How two values stand to each other.
enum Order: Sendable {
    case before, same, after

    init<Value: Comparable>(_ left: Value, _ right: Value) { self = left < right ? .before : left == right ? .same : .after }

    var reversed: Order {
        switch self {
        case .before: .after
        case .same: .same
        case .after: .before
        }
    }
}
