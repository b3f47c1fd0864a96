import Dissection
import Query
import Reports

/// The display filter and the search of a view, each of which says what it hides.
final class ViewFilter: EventFilter {
    enum Verdict { case shown, hiddenByFilter, hiddenBySearch }

    private let expression: (any EventFilter)?
    private let search: (any EventFilter)?

    init(_ request: ViewRequest) {
        expression = request.filter.map { filter in
            var selection = Selection()
            selection.expression = filter
            return selection.makeFilter()
        }
        search = request.search.map { pattern in
            var selection = Selection()
            selection.patterns = [pattern]
            return selection.makeFilter()
        }
    }

    var wantsDecoded: Bool { expression?.wantsDecoded == true || search?.wantsDecoded == true }

    func wantsDecoded(_ event: borrowing ConversationEvent) -> Bool {
        expression?.wantsDecoded(event) == true || search?.wantsDecoded(event) == true
    }

    func accepts(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool { look(event, decoded) == .shown }

    /// Both see every event: they keep what later ones need.
    func look(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Verdict {
        let isAccepted = (expression?.verdict(event, decoded) ?? .show) == .show
        let isFound = (search?.verdict(event, decoded) ?? .show) == .show
        return isAccepted ? isFound ? .shown : .hiddenBySearch : .hiddenByFilter
    }

    var heldBytes: Int { (expression?.heldBytes ?? 0) + (search?.heldBytes ?? 0) }
    var givenUp: UInt64 { (expression?.givenUp ?? 0) &+ (search?.givenUp ?? 0) }
}
