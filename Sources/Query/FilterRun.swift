import Dissection
import Reports

/// The filter of one output: an expression, and what it has to know of the conversations that are open.
final class FilterRun: EventFilter {
    private let condition: Condition
    /// The kinds of events for which the condition may hold: most events are done with after one look at them.
    private let carriers: FieldCarriers
    private let needs: ConversationNeeds
    private var known = KnownConversations()
    let matchers: [PatternMatcher?]
    /// What stands out in the events that are shown.
    private let marks: [FilterProgram.Mark]
    let wantsDecoded: Bool
    /// Searches for a regular expression that were given up because they took too many steps. They count as no match.
    var givenUp: UInt64 = 0

    /// Values of a field that are compared with those of another.
    static let mostValues = 1_024

    init(_ program: FilterProgram) {
        condition = program.condition
        carriers = program.condition.carriers
        let operands = program.condition.operands
        needs = operands.reduce([]) { $0.union($1.source.needs) }
        wantsDecoded = operands.contains(where: \.source.wantsDecoded)
        matchers = program.patterns.map { PatternMatcher($0) }
        marks = program.marks
    }

    func accepts(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool {
        // What is known is gathered from all events, whatever becomes of them.
        let conversation = needs.isEmpty ? nil : known.take(event, needs)
        guard carriers.contains(event.fact.carrier) else { return false }
        return holds(condition, event, decoded, conversation)
    }

    func highlight(_ bytes: RawSpan) -> Range<Int>? {
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

    var heldBytes: Int { known.heldBytes }
}
