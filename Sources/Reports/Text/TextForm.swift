extension TextSettings: OutputForm {
    package var payloadDemand: Int {
        guard payload.limit > 0 else { return soughtBytes }
        return max(payload.limit, soughtBytes, payloads.rows.isEmpty ? 0 : PayloadBounds.decodedBytes)
    }

    package var payloadTable: PayloadTable? { payloads }

    package func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput {
        HeldOutput(TextReport(place.open(), settings: self, decoding: decoding))
    }
}

/// The totals alone, of some conversations or of all.
package struct TotalsForm: OutputForm {
    package var conversations: ConversationSelection?

    package init(conversations: ConversationSelection?) { self.conversations = conversations }

    package var payloadDemand: Int { 0 }

    package func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput {
        HeldOutput(StatsReport(place.open(), conversations: conversations))
    }
}

extension OutputRow {
    package static let text: OutputRow = {
        var row = OutputRow("text", ending: ".txt") { wish in
            if wish.totalsAlone { return TotalsForm(conversations: wish.conversations) }
            var settings = TextSettings(
                width: nil, payload: wish.payload, follows: wish.follows, showsFrames: wish.showsFrames, showsHeaders: wish.showsHeaders,
                isFull: wish.isFull, conversations: wish.conversations, zone: wish.isUTC ? .utc : .local)
            settings.payloads = wish.payloads
            settings.totalBytes = wish.keptBytes.lines
            settings.hidesHeartbeats = wish.hidesHeartbeats
            return settings
        }
        (row.isText, row.previews) = (true, true)
        return row
    }()
}
