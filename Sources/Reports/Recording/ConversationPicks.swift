import Dissection

/// Which conversations a recording has: those of which the filter shows something. A filter that picks records picks the conversations that they are in.
struct ConversationPicks {
    private let settings: RecordingSettings
    private let filter: (any EventFilter)?
    private let payloads: DecodingStage
    private var picked: ConversationSet

    init(_ settings: RecordingSettings, decoding: DecodingStage? = nil) {
        self.settings = settings
        filter = settings.makeFilter?()
        payloads = .of(decoding, reads: filter?.wantsDecoded == true, settings.payloads)
        picked = ConversationSet(mostBytes: settings.keptBytes.total)
    }

    var heldBytes: Int { (filter?.heldBytes ?? 0) + payloads.heldBytes }
    var searchesGivenUp: UInt64 { filter?.givenUp ?? 0 }
    var picksAll: Bool { settings.picksAll }

    /// Takes the next event.
    ///
    /// - Returns: Whether it is what its conversation is picked for.
    mutating func take(_ event: borrowing ConversationEvent) -> Bool {
        let number = event.conversation
        if number == 0 || settings.picksAll { return false }
        if let wanted = settings.conversations, !wanted.contains(number) { return false }
        if let filter {
            let decoded = payloads.isIdle ? nil : payloads.read(event)
            guard filter.verdict(event, decoded) == .show else { return false }
        }
        if picked.contains(number) { return false }
        picked.insert(number)
        return true
    }

    /// Whether the packets of a conversation are recorded, as far as it is known.
    func has(_ number: UInt64) -> Bool { settings.picksAll || (number != 0 && picked.contains(number)) }
}
