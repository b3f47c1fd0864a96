extension RecordSettings: OutputForm {
    package var isForPrograms: Bool { true }

    package var payloadDemand: Int {
        // What a message says is read off more of it than is shown.
        totalsAlone ? 0 : max(payload.limit, soughtBytes, payloads.rows.isEmpty ? 0 : PayloadBounds.decodedBytes)
    }

    package var payloadTable: PayloadTable? { payloads }
    package var unit: (one: String, several: String) { ("record", "records") }
    package var subject: (noun: String, verb: String) { ("the records", "are") }

    package func picking(_ filter: FilterPlan) -> RecordSettings {
        var settings = self
        (settings.makeFilter, settings.soughtBytes, settings.keptBytes) = (filter.makeFilter, filter.soughtBytes, filter.keptBytes)
        return settings
    }

    package func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput {
        HeldOutput(RecordReport(place.open(), settings: self, decoding: decoding))
    }
}
