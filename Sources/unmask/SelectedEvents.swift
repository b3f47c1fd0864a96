import Dissection
import Reports

/// Hands on the events of the conversations that are wanted, without secrets where these are hidden.
struct SelectedEvents<Sink: ConversationSink & ~Copyable>: InputSink, ~Copyable {
    private var sink: RedactingSink<Sink>
    private let selection: ConversationSelection?

    init(_ sink: consuming Sink, _ selection: ConversationSelection?, hiding plan: RedactionPlan?) {
        self.sink = RedactingSink(sink, hiding: plan)
        self.selection = selection
    }

    var takesFrames: Bool { sink.takesFrames }
    var heldBytes: Int { sink.heldBytes }

    mutating func receive(_ event: borrowing ConversationEvent) {
        if let selection, event.conversation != 0, !selection.contains(event.conversation) { return }
        sink.receive(event)
    }

    /// Gives the sink back.
    consuming func taken() -> Sink { sink.taken() }
}
