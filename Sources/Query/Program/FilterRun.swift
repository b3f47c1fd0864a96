import Dissection
import Reports

/// The filter of one output: an expression, and what it has to know of the conversations that are open.
package final class FilterRun: EventFilter {
    let code: FilterCode
    /// The kinds of events for which the expression may hold: most events are done with after one look at them.
    private let carriers: FieldCarriers
    private let needs: ConversationNeeds
    var known = KnownConversations()
    let matchers: [PatternMatcher?]
    /// What stands out in the events that are shown.
    private let marks: [FilterProgram.Mark]
    package let wantsDecoded: Bool
    /// Searches for a regular expression that were given up because they took too many steps. They count as no match.
    package internal(set) var givenUp: UInt64 = 0
    /// Tests of the expression that were made so far; a look at the kind of an event is none.
    package internal(set) var testsMade: UInt64 = 0

    /// Values of a field that are compared with those of another.
    static let mostValues = 1_024
    /// What JSON writes a character with that it writes in another way.
    static let escape = ByteSearch([UInt8(ascii: "\\")])

    init(_ program: FilterProgram) {
        code = FilterCode(program.condition)
        carriers = program.condition.carriers
        let operands = program.condition.operands
        needs = operands.reduce([]) { $0.union($1.source.needs) }
        wantsDecoded = operands.contains(where: \.source.wantsDecoded)
        matchers = program.patterns.map { PatternMatcher($0) }
        marks = program.marks
    }

    package func accepts(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool {
        // What is known is gathered from all events, whatever becomes of them.
        if !needs.isEmpty, KnownConversations.learns(from: event.kind) { known.take(event, needs) }
        return carriers.contains(event.kind) && run(code, event, decoded)
    }

    package func highlight(_ bytes: RawSpan) -> Range<Int>? {
        var first: Range<Int>?
        for mark in marks {
            var found: Range<Int>?
            switch mark {
            case .bytes(let search): found = search.first(in: bytes).map { $0..<$0 + search.needle.count }
            case .pattern(let index):
                if case .found(let range) = matchers[index]?.search(bytes) ?? .nowhere { found = range }
            }
            if let found, !found.isEmpty, found.lowerBound < first?.lowerBound ?? .max { first = found }
        }
        return first
    }

    package var heldBytes: Int { known.heldBytes }
}
