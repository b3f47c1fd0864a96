extension TableSettings: OutputForm {
    package var payloadDemand: Int {
        max(payload.limit, soughtBytes, payloads.rows.isEmpty ? 0 : PayloadBounds.decodedBytes)
    }

    package var payloadTable: PayloadTable? { payloads }
    package var unit: (one: String, several: String) { ("row", "rows") }

    package func picking(_ filter: FilterPlan) -> TableSettings {
        var settings = self
        (settings.makeFilter, settings.soughtBytes, settings.keptBytes) = (filter.makeFilter, filter.soughtBytes, filter.keptBytes)
        return settings
    }

    package func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput {
        HeldOutput(MessageTable(place.open(), settings: self, decoding: decoding))
    }
}
