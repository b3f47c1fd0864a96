extension SessionSettings: OutputForm {
    package var isForPrograms: Bool { true }
    package var payloadDemand: Int { max(payload.limit, soughtBytes) }
    package var payloadTable: PayloadTable? { payloads }
    package var unit: (one: String, several: String) { ("record", "records") }

    package func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput {
        HeldOutput(SessionReport(self, drain: place.drain, keepsTrying: place.keepsTrying, decoding: decoding))
    }
}

extension OutputRow {
    /// Its file is SQLite's, which takes half a transaction back by itself.
    package static let session = OutputRow("unmask", ending: ".unmask") { wish in
        var settings = SessionSettings(payload: wish.payload)
        (settings.showsFrames, settings.conversations, settings.payloads) = (wish.showsFrames, wish.conversations, wish.payloads)
        return settings
    }
}
