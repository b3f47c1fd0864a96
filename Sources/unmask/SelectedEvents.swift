import Dissection
import Reports

/// What stands before a report: the conversations that are wanted, without secrets where these are hidden, and what the filters pick of them.
struct SelectedEvents<Report: PickingSink & ~Copyable>: InputSink, ~Copyable {
    private var sink: RedactingSink<SelectionStage<Report>>
    private let conversations: ConversationSelection?
    private var names = AddressNames()

    init(_ report: consuming Report, _ conversations: ConversationSelection?, picking stage: StageSettings, hiding plan: RedactionPlan?) {
        sink = RedactingSink(SelectionStage(report, stage), hiding: plan)
        self.conversations = conversations
    }

    /// The report as it is so far.
    var report: Report {
        _read { yield sink.sink.sink }
        _modify { yield &sink.sink.sink }
    }

    var takesFrames: Bool { sink.takesFrames }
    var heldBytes: Int { sink.heldBytes + names.heldBytes }

    mutating func name(_ name: RawSpan, of address: RawSpan) { names.add(name, of: address) }

    mutating func receive(_ event: borrowing ConversationEvent) {
        if let conversations, event.conversation != 0, !conversations.contains(event.conversation) { return }
        guard !names.isEmpty, case .opened(let opening) = event.fact else { return sink.receive(event) }
        let names = names
        names.name(event, opening) { sink.receive($0) }
    }

    /// Says what the filters could not look at.
    ///
    /// - Returns: Whether there is any of that.
    func tellLosses() -> Bool {
        let (lost, searches) = (sink.sink.lost, sink.sink.searchesGivenUp)
        if lost > 0 {
            writeLine(
                "unmask: \(lost) \(lost == 1 ? "event was" : "events were") left out, though a later one may pick them; more --memory has room for more"
            )
        }
        if searches > 0 {
            writeLine("unmask: \(searches) \(searches == 1 ? "search" : "searches") given up after too many steps; simplify the expression")
        }
        return lost > 0 || searches > 0
    }

    /// Gives the report back.
    consuming func taken() -> Report { sink.taken().taken() }
}
