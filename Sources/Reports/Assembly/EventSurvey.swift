import Dissection

/// A first reading of inputs that are read twice: shows nothing, and has a filter see every event.
struct EventSurvey: LineSink, ~Copyable {
    private let filter: any EventFilter
    private let payloads: DecodingStage
    private let settings: SurveySettings
    let takesFrames: Bool

    init(_ settings: SurveySettings, decoding: DecodingStage? = nil) {
        self.settings = settings
        filter = settings.makeFilter()
        payloads = .of(decoding, reads: filter.wantsDecoded, settings.payloads)
        takesFrames = settings.showsFrames
    }

    var heldBytes: Int { filter.heldBytes + payloads.heldBytes }

    mutating func receive(_ event: borrowing ConversationEvent) {
        if let wanted = settings.conversations, event.conversation != 0, !wanted.contains(event.conversation) { return }
        let decoded = payloads.read(event, for: filter)
        _ = filter.verdict(event, decoded)
    }

    mutating func finish(_ totals: Totals) {}
    var outputError: OutputError? { nil }
}

/// What a first reading looks at.
package struct SurveySettings: Sendable {
    /// Makes the filter, which keeps for itself what it finds.
    package var makeFilter: @Sendable () -> any EventFilter
    package var payloads: PayloadTable
    package var conversations: ConversationSelection?
    package var showsFrames: Bool
    /// Bytes of one payload: as many as the second reading asks for, so that both are told the same.
    package var payloadDemand: Int

    package init(
        payloads: PayloadTable, conversations: ConversationSelection?, showsFrames: Bool, payloadDemand: Int,
        makeFilter: @escaping @Sendable () -> any EventFilter
    ) {
        self.makeFilter = makeFilter
        self.payloads = payloads
        self.conversations = conversations
        self.showsFrames = showsFrames
        self.payloadDemand = payloadDemand
    }
}

extension SurveySettings: OutputForm {
    package var payloadTable: PayloadTable? { payloads }

    package func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput { HeldOutput(EventSurvey(self, decoding: decoding)) }
}
