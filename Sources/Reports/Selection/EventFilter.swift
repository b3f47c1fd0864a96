import Dissection

/// What an output does with an event. The order counts: of the events that one line is made of, the greatest verdict decides.
package enum EventVerdict: UInt8, Comparable, Sendable {
    case leaveOut
    /// It may be shown later, when a hit comes in its conversation.
    case keep
    /// The same, and it counts as one of the messages before a hit.
    case keepAsMessage
    case show

    package static func < (one: EventVerdict, other: EventVerdict) -> Bool { one.rawValue < other.rawValue }
}

/// Picks the events that an output shows. Each output of a line has one of its own, which sees all events of the run in order.
package protocol EventFilter: AnyObject {
    /// Whether it looks at what payloads say. Without it nothing is decoded for its sake.
    var wantsDecoded: Bool { get }
    /// Whether it looks at what the payload of this event says, so that it has to be decoded.
    func wantsDecoded(_ event: borrowing ConversationEvent) -> Bool
    /// Whether an event is shown.
    ///
    /// - Parameter decoded: what the payload of the event says, where that is asked for and known.
    func accepts(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool
    /// What is done with an event: shown or left out as `accepts` says, unless a filter knows more.
    func verdict(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> EventVerdict
    /// Messages of a conversation that are kept, until one that is shown comes after them; `Int.max` for all.
    var keptMessages: Int { get }
    /// The first place in an event's content that is to stand out for people, in bytes, where there is one.
    func highlight(_ bytes: RawSpan) -> Range<Int>?
    /// Bytes of memory that it keeps.
    var heldBytes: Int { get }
    /// Searches that were given up because they took too many steps. What they would have found is not shown: an output says so at its end.
    var givenUp: UInt64 { get }
}

extension EventFilter {
    package var wantsDecoded: Bool { false }
    package func wantsDecoded(_ event: borrowing ConversationEvent) -> Bool { wantsDecoded }
    package func verdict(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> EventVerdict {
        accepts(event, decoded) ? .show : .leaveOut
    }
    package var keptMessages: Int { 0 }
    package func highlight(_ bytes: RawSpan) -> Range<Int>? { nil }
    package var heldBytes: Int { 0 }
    package var givenUp: UInt64 { 0 }
}

extension DecodingStage {
    /// Takes an event. Returns what its payload says, where a filter asks for it; mostly it asks for no more than that the event is noted.
    @inline(__always)
    package func read(_ event: borrowing ConversationEvent, for filter: any EventFilter) -> DecodedPayload? {
        if isIdle { return nil }
        note(event)
        if filter.wantsDecoded(event) { return payload(of: event) }
        pass()
        return nil
    }

    /// The stage that an output asks, which joins it: the shared one of a run, or one of its own; one that is idle where it asks for nothing.
    static func of(_ shared: DecodingStage?, reads: Bool, _ table: PayloadTable, isForLine: Bool = false) -> DecodingStage {
        guard reads else { return DecodingStage(.none) }
        let stage = shared ?? DecodingStage(table)
        stage.join(isForLine: isForLine)
        return stage
    }
}
