import Dissection
import Reports

/// The filter of one output.
final class FilterRun: EventFilter {
    func accepts(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool { true }
}
