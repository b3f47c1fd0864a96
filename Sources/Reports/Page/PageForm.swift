/// What goes into an HTML page.
package struct PageSettings: Sendable {
    /// How much of a payload is there.
    package var payload: PayloadPolicy
    package var showsFrames = false
    /// The conversations to be shown; all where none are named.
    package var conversations: ConversationSelection?
    /// The formats that payloads are decoded by.
    package var payloads = PayloadTable.standard
    package var hidesHeartbeats = false
    package var zone = TextClock.Zone.utc
    /// What picks the lines; nil where all are written.
    package var filter: FilterPlan?
    /// What the page says of itself under its title.
    package var note = ""

    package init(payload: PayloadPolicy = .full) { self.payload = payload }
}

extension PageSettings: OutputForm {
    package var payloadDemand: Int {
        guard payload.limit > 0 else { return soughtBytes }
        return max(payload.limit, soughtBytes, payloads.rows.isEmpty ? 0 : PayloadBounds.decodedBytes)
    }

    package var payloadTable: PayloadTable? { payloads }

    package func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput {
        HeldOutput(PageReport(place.open(), settings: self, decoding: decoding))
    }
}

extension OutputRow {
    /// A page that is sent: it has what is shown, opens without a network, and runs nothing.
    package static let page: OutputRow = {
        var row = OutputRow("html", ending: ".html") { wish in
            var settings = PageSettings(payload: wish.payload)
            (settings.showsFrames, settings.conversations, settings.payloads) = (wish.showsFrames, wish.conversations, wish.payloads)
            (settings.hidesHeartbeats, settings.zone) = (wish.hidesHeartbeats, wish.isUTC ? .utc : .local)
            return settings
        }
        (row.whole, row.frameLines, row.isHandedOn) = ("one HTML page", { PageMarkup.frameLines }, true)
        return row
    }()
}
