extension HARSettings: OutputForm {
    package var isForPrograms: Bool { true }
    package var payloadDemand: Int { max(payload.limit, soughtBytes) }
    package var payloadTable: PayloadTable? { filter?.payloads }
    package var unit: (one: String, several: String) { ("entry", "entries") }

    package func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput {
        HeldOutput(HARReport(place.open(), settings: self, decoding: decoding))
    }
}

extension OutputRow {
    package static let archive: OutputRow = {
        var row = OutputRow("har", ending: ".har") { wish in
            var settings = HARSettings(payload: wish.payload, conversations: wish.conversations)
            // A body in an archive is whole: as much as the memory allows.
            (settings.bodyBytes, settings.totalBytes) = (wish.bodyBytes, wish.keptBytes.archive)
            return settings
        }
        (row.whole, row.frameLines, row.isHandedOn) = ("one HTTP archive", { 2 }, true)
        return row
    }()
}
