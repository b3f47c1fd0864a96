import Dissection

/// A report that sees every event of a run, and shows or counts what a selection picks of them: the others tell it whom it is about.
package protocol PickingSink: ConversationSink, ~Copyable {
    /// Takes an event. All of a conversation come in order.
    ///
    /// - Parameter isPicked: Whether it is shown, or counts; what is not picked may still name a host or begin a body.
    mutating func receive(_ event: borrowing ConversationEvent, isPicked: Bool)
}

extension PickingSink where Self: ~Copyable {
    package mutating func receive(_ event: borrowing ConversationEvent) { receive(event, isPicked: true) }
}
