import Dissection
import Reports

// What a condition costs, and which kinds of events it needs to be asked of at all.

extension Condition {
    /// About how many nanoseconds it takes for an event of its kinds, with a payload of some hundred bytes.
    fileprivate var cost: Int {
        switch self {
        case .every(let conditions), .some(let conditions): conditions.reduce(1) { $0 + $1.cost }
        case .exclusive(let left, let right): left.cost + right.cost + 20
        case .not(let condition): condition.cost
        case .exists(let operand): operand.source.cost
        case .compare(let operand, _, _): operand.source.cost + 2
        case .within(let operand, _, let ranges): operand.source.cost + 2 * ranges.count
        case .compareFields(let left, _, let right): left.source.cost + right.source.cost + 50
        case .contains(let operand, _, _): operand.source.cost + 20
        case .matches(let operand, _, _): operand.source.cost + 100
        }
    }

    /// The kinds of events for which it may hold: of a comparison with `kind` those that it names.
    var kinds: FieldCarriers {
        switch self {
        case .compare(let operand, let comparison, .word(let place)) where comparison.relation == .equal:
            guard case .common(.kind) = operand.source, let carrier = FieldCarrier(rawValue: UInt8(clamping: place)) else { break }
            return FieldCarriers(carrier)
        case .within(let operand, _, let ranges):
            guard case .common(.kind) = operand.source, operand.steps.isEmpty, !operand.isCount else { break }
            var kinds: FieldCarriers = []
            for range in ranges {
                guard case .word(let place) = range.least, range.least == range.most,
                    let carrier = FieldCarrier(rawValue: UInt8(clamping: place))
                else { return carriers }
                kinds.formUnion(FieldCarriers(carrier))
            }
            return kinds
        case _: break
        }
        return carriers
    }
}

extension [Condition] {
    /// What costs least first; of the same cost as they were written.
    var byCost: [Condition] {
        enumerated().map { (cost: $1.cost, place: $0, condition: $1) }
            .sorted { ($0.cost, $0.place) < ($1.cost, $1.place) }
            .map(\.condition)
    }
}

extension FieldSource {
    fileprivate var cost: Int {
        switch self {
        case .common, .constant, .content, .message, .frame, .data, .ping, .pong, .pongPayload, .close, .controlOf, .key, .certificate,
            .registered,
            .body,
            .response,
            .request:
            5
        case .finding: 10
        case .conversation: 20
        case .header, .head: 100
        case .json: 300
        case .decoded: 200
        case .within(_, let source): source.cost
        case .several(let sources): sources.reduce(1) { $0 + $1.cost }
        }
    }

    /// Whether each event has exactly one value.
    var isOfEveryEvent: Bool {
        switch self {
        case .constant, .content, .common(.kind): true
        case _: false
        }
    }
}
