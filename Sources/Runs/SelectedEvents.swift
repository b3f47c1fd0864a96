import Dissection
import Reports

/// What stands before a report: the conversations that are wanted, without secrets where these are hidden, and what the filters pick of them.
package struct SelectedEvents<Report: PickingSink & ~Copyable>: InputSink, ~Copyable {
    private var sink: RedactingSink<SelectionStage<Report>>
    private let conversations: ConversationSelection?
    /// Nothing is hidden and everything is picked: the report takes events as they come, past what would ask for each.
    private let isPlain: Bool
    package let takesFrames: Bool
    private var names = AddressNames()

    package init(
        _ report: consuming Report, _ conversations: ConversationSelection?, picking stage: StageSettings, hiding plan: RedactionPlan?
    ) {
        isPlain = stage.makeFilter == nil && plan == nil
        takesFrames = report.takesFrames
        sink = RedactingSink(SelectionStage(report, stage), hiding: plan)
        self.conversations = conversations
    }

    /// The report as it is so far.
    package var report: Report {
        _read { yield sink.sink.sink }
        _modify { yield &sink.sink.sink }
    }

    package var heldBytes: Int { sink.heldBytes + names.heldBytes }

    package mutating func name(_ name: RawSpan, of address: RawSpan) { names.add(name, of: address) }

    package mutating func receive(_ event: borrowing ConversationEvent) {
        if let conversations, event.conversation != 0, !conversations.contains(event.conversation) { return }
        guard !names.isEmpty, case .opened(let opening) = event.fact else { return take(event) }
        let names = names
        names.name(event, opening) { take($0) }
    }

    private mutating func take(_ event: borrowing ConversationEvent) {
        if isPlain { return report.receive(event, isPicked: true) }
        sink.receive(event)
    }

    /// Says what the filters could not look at.
    ///
    /// - Parameter write: takes a line for the user.
    /// - Returns: Whether there is any of that.
    package func tellLosses(_ write: (String) -> Void) -> Bool {
        let (lost, searches) = (sink.sink.lost, sink.sink.searchesGivenUp)
        if lost > 0 {
            write(
                "unmask: \(lost) \(lost == 1 ? "event was" : "events were") left out, though a later one may pick them; more --memory has room for more"
            )
        }
        if searches > 0 {
            write("unmask: \(searches) \(searches == 1 ? "search" : "searches") given up after too many steps; simplify the expression")
        }
        return lost > 0 || searches > 0
    }

    /// Gives the report back.
    package consuming func taken() -> Report { sink.taken().taken() }
}
