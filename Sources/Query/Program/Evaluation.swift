import Dissection
import Reports

// Whether a condition holds for an event. Nothing is allocated but what functions and slices of texts make.

extension FilterRun {
    func holds(
        _ condition: Condition, _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?, _ known: KnownConversation?
    ) -> Bool {
        switch condition {
        case .every(let conditions):
            for condition in conditions { if !holds(condition, event, decoded, known) { return false } }
            return true
        case .some(let conditions):
            for condition in conditions { if holds(condition, event, decoded, known) { return true } }
            return false
        case .exclusive(let left, let right):
            return holds(left, event, decoded, known) != holds(right, event, decoded, known)
        case .not(let condition): return !holds(condition, event, decoded, known)
        case .exists(let operand): return visit(operand, event, decoded, known) { _ in true }
        case .compare(let operand, let comparison, let constant):
            return test(operand, comparison.extent, event, decoded, known) { comparison.holds($0, constant) }
        case .compareFields(let left, let comparison, let right):
            return compare(left, comparison, right, event, decoded, known)
        case .contains(let operand, let extent, let search):
            return test(operand, extent, event, decoded, known) { value in
                guard let span = value.span else { return false }
                return search.first(in: span) != nil
            }
        case .matches(let operand, let extent, let pattern):
            return test(operand, extent, event, decoded, known) { self.matches($0, pattern) }
        case .within(let operand, let extent, let ranges):
            return test(operand, extent, event, decoded, known) { value in
                for range in ranges { if range.contains(value) { return true } }
                return false
            }
        }
    }

    /// Whether it holds for any value of a field, or for all; for none where there is none.
    @inline(__always)
    private func test(
        _ operand: Operand, _ extent: Comparison.Extent, _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?,
        _ known: KnownConversation?, _ holds: (FieldValue) -> Bool
    ) -> Bool {
        if extent == .any { return visit(operand, event, decoded, known, holds) }
        var isThere = false
        let fails = visit(operand, event, decoded, known) { value in
            isThere = true
            return !holds(value)
        }
        return isThere && !fails
    }

    private func compare(
        _ left: Operand, _ comparison: Comparison, _ right: Operand, _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?,
        _ known: KnownConversation?
    ) -> Bool {
        var others: [Constant] = []
        _ = visit(right, event, decoded, known) { value in
            others.append(Constant(value))
            return others.count >= FilterRun.mostValues
        }
        guard !others.isEmpty else { return false }
        return test(left, comparison.extent, event, decoded, known) { value in
            let value = Constant(value)
            if comparison.extent == .any { return others.contains { comparison.holds(value.order(to: $0)) } }
            return others.allSatisfy { comparison.holds(value.order(to: $0)) }
        }
    }

    private func matches(_ value: FieldValue, _ pattern: Int) -> Bool {
        guard let matcher = matchers[pattern] else { return false }
        let outcome: PatternMatcher.Outcome
        if let span = value.span {
            outcome = matcher.search(span)
        } else {
            let text = value.written
            outcome = matcher.search(text.rawBytes)
        }
        switch outcome {
        case .found: return true
        case .nowhere: return false
        case .tooCostly:
            givenUp += 1
            return false
        }
    }

    /// Hands on each value of a field, after what is done with it, until one is taken.
    @inline(__always)
    private func visit(
        _ operand: Operand, _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?, _ known: KnownConversation?, _ take: Take
    ) -> Bool {
        if operand.isCount {
            var count: UInt64 = 0
            _ = operand.source.visit(event, decoded, known) { value in
                if operand.steps.isEmpty {
                    count += 1
                } else {
                    _ = Self.apply(operand.steps[...], to: value) { _ in
                        count += 1
                        return true
                    }
                }
                return false
            }
            return count == 0 ? false : take(.number(count))
        }
        if operand.steps.isEmpty { return operand.source.visit(event, decoded, known, take) }
        return operand.source.visit(event, decoded, known) { Self.apply(operand.steps[...], to: $0, take) }
    }

    private static func apply(_ steps: ArraySlice<Operand.Step>, to value: FieldValue, _ take: Take) -> Bool {
        guard let step = steps.first else { return take(value) }
        let rest = steps.dropFirst()
        switch step {
        case .length:
            guard let span = value.span else { return false }
            return apply(rest, to: .number(UInt64(span.byteCount)), take)
        case .text:
            let text = value.written
            return apply(rest, to: .text(text.rawBytes), take)
        case .upper:
            guard let span = value.span else { return false }
            let text = Array(String(decoding: span.copy, as: UTF8.self).uppercased().utf8)
            return apply(rest, to: .text(text.rawBytes), take)
        case .lower:
            guard let span = value.span else { return false }
            let text = Array(String(decoding: span.copy, as: UTF8.self).lowercased().utf8)
            return apply(rest, to: .text(text.rawBytes), take)
        case .slice(let slices):
            guard let span = value.span else { return false }
            if slices.count == 1 {
                guard let range = slices[0].range(in: span.byteCount) else { return false }
                return apply(rest, to: .bytes(span.extracting(range)), take)
            }
            var joined: [UInt8] = []
            for slice in slices {
                guard let range = slice.range(in: span.byteCount) else { return false }
                joined.append(copying: span.extracting(range))
            }
            return apply(rest, to: .bytes(joined.rawBytes), take)
        }
    }
}

extension Constant {
    /// How two values of fields stand to each other.
    fileprivate func order(to other: Constant) -> Order? {
        switch (self, other) {
        case (.quantity(let left), .quantity(let right)): left.order(to: right)
        case (.bytes(let left), .bytes(let right)): left.rawBytes.order(to: right.rawBytes)
        case (.network(let left, _), _): other.order(of: .address(left))
        case (.word(let left), .word(let right)): Order(left, right)
        case (.nothing, .nothing): .same
        case _: nil
        }
    }
}
