import Dissection

/// Picks the events that an output shows. Each output of a line has one of its own, which sees all events of the run in order.
package protocol EventFilter: AnyObject {
    /// Whether it looks at what payloads say. Without it nothing is decoded for its sake.
    var wantsDecoded: Bool { get }
    /// Whether an event is shown.
    ///
    /// - Parameter decoded: what the payload of the event says, where that is asked for and known.
    func accepts(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool
    /// The first place in an event's content that is to stand out for people, in bytes, where there is one.
    func highlight(_ bytes: RawSpan) -> Range<Int>?
    /// Bytes of memory that it keeps.
    var heldBytes: Int { get }
    /// Searches that were given up because they took too many steps. What they would have found is not shown: an output says so at its end.
    var givenUp: UInt64 { get }
}

extension EventFilter {
    package var wantsDecoded: Bool { false }
    package func highlight(_ bytes: RawSpan) -> Range<Int>? { nil }
    package var heldBytes: Int { 0 }
    package var givenUp: UInt64 { 0 }
}
