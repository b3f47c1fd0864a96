import Dissection
import Reports

// What `FilterCode` has no test of its own for: asked of each value of a field. Nothing is allocated but what functions and slices of texts make.

extension FilterRun {
    /// Whether what is asked of one field holds.
    @inline(__always)
    func holds(_ asked: FieldTest, _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?, _ known: KnownConversation?) -> Bool {
        test(asked.operand, asked.extent, event, decoded, known) { asked.holds($0, self) }
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

    /// Whether two fields compare so.
    func compare(
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

    func matches(_ value: FieldValue, _ pattern: Int) -> Bool {
        if let span = value.span { return find(pattern, in: span) }
        let text = value.written
        return find(pattern, in: text.rawBytes)
    }

    /// Whether bytes have what a regular expression cannot match without.
    func mayFind(_ pattern: Int, in bytes: RawSpan) -> Bool { matchers[pattern]?.mayMatch(bytes) ?? false }

    /// Whether a regular expression matches somewhere in bytes.
    func find(_ pattern: Int, in bytes: RawSpan) -> Bool {
        guard let matcher = matchers[pattern] else { return false }
        switch matcher.search(bytes) {
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
        _ operand: Operand, _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?, _ known: KnownConversation?,
        _ take: ValueVisitor
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

    private static func apply(_ steps: ArraySlice<Operand.Step>, to value: FieldValue, _ take: ValueVisitor) -> Bool {
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
        case (.flag(let left), .flag(let right)): Order(left ? 1 : 0, right ? 1 : 0)
        case (.nothing, .nothing): .same
        case _: nil
        }
    }
}
