extension RecordSettings: OutputForm {
    package var isForPrograms: Bool { true }

    package var payloadDemand: Int {
        // What a message says is read off more of it than is shown.
        totalsAlone ? 0 : max(payload.limit, soughtBytes, payloads.rows.isEmpty ? 0 : PayloadBounds.decodedBytes)
    }

    package var payloadTable: PayloadTable? { payloads }
    package var unit: (one: String, several: String) { ("record", "records") }
    package var subject: (noun: String, verb: String) { ("the records", "are") }

    package func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput {
        HeldOutput(RecordReport(place.open(), settings: self, decoding: decoding))
    }
}

extension OutputRow {
    package static let records = OutputRow("ndjson", ending: ".ndjson") { settings($0, .lines) }

    package static let recordArray: OutputRow = {
        var row = OutputRow("json", ending: ".json") { settings($0, .array) }
        (row.whole, row.frameLines) = ("one JSON array", { 2 })
        return row
    }()

    private static func settings(_ wish: OutputWish, _ layout: RecordSettings.Layout) -> RecordSettings {
        var settings = RecordSettings(
            layout: layout, payload: wish.payload, showsFrames: wish.showsFrames, conversations: wish.conversations,
            totalsAlone: wish.totalsAlone)
        if wish.decodes { settings.payloads = wish.payloads }
        settings.hidesHeartbeats = wish.hidesHeartbeats
        return settings
    }
}
