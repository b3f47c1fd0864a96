import Dissection

/// A sink that is handed what a `Redactor` leaves of events; all of them, where there is none.
package struct RedactingSink<Sink: ConversationSink & ~Copyable>: ConversationSink, ~Copyable {
    package var sink: Sink
    private let redactor: Redactor?

    package init(_ sink: consuming Sink, hiding plan: RedactionPlan?) {
        self.sink = sink
        redactor = plan.map { Redactor($0) }
    }

    /// Gives the sink back.
    package consuming func taken() -> Sink { sink }

    package var takesFrames: Bool { sink.takesFrames }
    package var heldBytes: Int { sink.heldBytes + (redactor?.heldBytes ?? 0) }

    package mutating func receive(_ event: borrowing ConversationEvent) {
        guard let redactor else { return sink.receive(event) }
        redactor.take(event) { sink.receive($0) }
    }
}
