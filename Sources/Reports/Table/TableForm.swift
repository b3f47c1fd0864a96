extension TableSettings: OutputForm {
    package var payloadDemand: Int {
        max(payload.limit, soughtBytes, payloads.rows.isEmpty ? 0 : PayloadBounds.decodedBytes)
    }

    package var payloadTable: PayloadTable? { payloads }
    package var unit: (one: String, several: String) { ("row", "rows") }

    package func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput {
        HeldOutput(MessageTable(place.open(), settings: self, decoding: decoding))
    }
}

extension OutputRow {
    package static let table: OutputRow = {
        var row = OutputRow("csv", ending: ".csv") { wish in
            var settings = TableSettings(payload: wish.payload)
            (settings.conversations, settings.payloads) = (wish.conversations, wish.payloads)
            (settings.hidesHeartbeats, settings.guardsFormulas) = (wish.hidesHeartbeats, wish.guardsFormulas)
            return settings
        }
        (row.whole, row.frameLines, row.isHandedOn) = ("one table with a heading", { 1 }, true)
        return row
    }()
}
