import Dissection

/// A reader of values that describe themselves, one after the other. Linear, and nothing is reserved for lengths: they may lie.
protocol ValueReader: ~Copyable, ~Escapable {
    /// The next byte, and the end of all.
    var position: Int { get set }
    var end: Int { get }
    /// Why a value could be read only so far.
    var problem: PayloadProblem? { get set }
    /// How many values have begun.
    var values: Int { get set }
    /// The next value, as far as it can be read: after that `problem` says why it ends.
    mutating func value(level: Int) -> DecodedPayload.Value?
    /// Takes what ends items whose number was not said.
    mutating func takeBreak() -> Bool
}

extension ValueReader where Self: ~Copyable & ~Escapable {
    var isAtEnd: Bool { position >= end }

    mutating func takeBreak() -> Bool { false }

    mutating func value() -> DecodedPayload.Value? { value(level: 0) }

    /// Counts a value; false where there are too many.
    mutating func begins(at start: Int) -> Bool {
        values += 1
        if values > PayloadBounds.values { let _: Bool? = fail(PayloadBounds.tooMany, at: start) }
        return values <= PayloadBounds.values
    }

    /// So many values, or those up to a break.
    mutating func array(of count: UInt64?, _ level: Int, from start: Int) -> DecodedPayload.Value? {
        guard level < PayloadBounds.levels else { return fail(PayloadBounds.tooDeep, at: start) }
        var items: [DecodedPayload.Value.Member] = []
        var left = count ?? .max
        while left > 0, problem == nil, count != nil || !takeBreak() {
            let start = position
            if let value = value(level: level + 1) { items.append(.init([], value, at: start..<position)) }
            left -= 1
        }
        return .items(items)
    }

    /// So many values with a name before each, or those up to a break.
    mutating func map(of count: UInt64?, _ level: Int, from start: Int) -> DecodedPayload.Value? {
        guard level < PayloadBounds.levels else { return fail(PayloadBounds.tooDeep, at: start) }
        var members: [DecodedPayload.Value.Member] = []
        var left = count ?? .max
        while left > 0, problem == nil, count != nil || !takeBreak(), let key = value(level: level + 1) {
            let start = position
            if problem == nil, let value = value(level: level + 1) { members.append(.init(key.asName, value, at: start..<position)) }
            left -= 1
        }
        return .object(members)
    }

    mutating func skip(_ count: UInt64, from start: Int) -> Range<Int>? {
        guard count <= UInt64(end - position) else { return fail("a length is larger than what is left", at: start) }
        position += Int(count)
        return position - Int(count)..<position
    }

    mutating func fail<Result>(_ reason: StaticString, at start: Int, _ result: Result? = nil) -> Result? {
        if problem == nil { problem = PayloadProblem(reason: reason, position: start) }
        return result
    }
}

extension DecodedPayload {
    /// Adds the one value that a payload has, as `value`, or all of them, as `values`.
    mutating func add<Reader: ValueReader & ~Copyable & ~Escapable>(sequence reader: inout Reader) {
        var values: [Value.Member] = []
        while !reader.isAtEnd, reader.problem == nil {
            let start = reader.position
            if let value = reader.value() { values.append(.init([], value, at: start..<reader.position)) }
        }
        if values.count == 1 {
            add([.init(Array("value".utf8), values[0].value, in: values[0].range)])
            say(value: values[0].value)
        } else if !values.isEmpty {
            add("values", .items(values), at: values.place)
            say(value: .items(values))
        }
        if let problem = reader.problem { stop(problem.reason, at: problem.position) }
    }
}
