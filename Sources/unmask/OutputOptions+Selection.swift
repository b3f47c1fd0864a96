import Query
import Reports

extension OutputOptions {
    /// What the filters pick; nil where all is shown.
    var picked: Selection? {
        let picked = selection.selection(utc: utc)
        return picked.isEmpty ? nil : picked
    }

    /// What logs have; nil for everything.
    private var logSelection: Selection? {
        logFilter.flatMap { try? DisplayFilter($0) }.map { filter in
            var selection = Selection()
            selection.expression = filter
            return selection
        }
    }

    /// Bytes of a payload that filters look at: as many as are kept.
    private var soughtBytes: Int { MemoryShares.longestPayload(in: reading.memory) }

    /// What outputs and logs show.
    ///
    /// - Parameter found: what a first reading of the inputs has found.
    func filters(knowing found: ConversationSet? = nil, _ shares: MemoryShares) -> (shown: FilterPlan?, logs: FilterPlan?) {
        func plan(_ selection: Selection?, _ found: ConversationSet?) -> FilterPlan? {
            guard let selection else { return nil }
            return FilterPlan(
                soughtBytes: soughtBytes, keptBytes: (ofConversation: shares.waitingLines / 16, total: shares.waitingLines),
                payloads: payloads.formats
            ) { selection.makeFilter(knowing: found) }
        }
        return (plan(picked, found), plan(logSelection, nil))
    }

    /// The form of a log with its filter. An archive or a table is made to be handed on: without a filter of its own it has what is shown.
    func logForm(_ row: OutputRow, follow: Bool, filters: (shown: FilterPlan?, logs: FilterPlan?), _ shares: MemoryShares)
        -> any OutputForm
    {
        logForm(row, follow: follow, shares).picking(filters.logs ?? (row.isHandedOn ? filters.shown : nil))
    }

    /// The forms of all outputs, for what they ask of payloads.
    func demandingForms(follow: Bool, _ shares: MemoryShares) -> [any OutputForm] {
        let filters = filters(shares)
        let logs = logs.map { logForm($0.row, follow: follow, filters: filters, shares) }
        return [shownForm(follow: follow, shares).picking(filters.shown)] + logs
    }

    /// Whether some conversations are left out of a recording of captured packets.
    var picksSome: Bool { picked != nil || reading.selection != nil || isIgnored != nil }

    /// What a recording of captured packets has: those of the conversations that the filters pick.
    func recordingSettings(_ shares: MemoryShares) -> RecordingSettings {
        var settings = RecordingSettings()
        settings.conversations = reading.selection
        settings.leavesSomeOut = isIgnored != nil
        settings.keptBytes = (ofConversation: shares.waitingLines / 4, total: shares.waitingLines)
        guard let picked else { return settings }
        settings.makeFilter = { picked.makeFilter() }
        settings.payloads = payloads.formats
        settings.soughtBytes = soughtBytes
        return settings
    }

    /// What a first reading looks at, where the filters need one.
    func survey(into found: FoundConversations, payloadDemand: Int) -> (any OutputForm)? {
        guard let picked, picked.wantsTwoReadings else { return nil }
        return SurveySettings(
            payloads: payloads.formats, conversations: reading.selection, showsFrames: frames,
            payloadDemand: payloadDemand
        ) { picked.makeSurvey(into: found) }
    }

    /// The times of the messages that the outputs look at, in nanoseconds since 1970; nil where they may look at others too.
    ///
    /// Text, decoded payloads and other filters may show of a message what an earlier one tells; records alone do not.
    var messageWindow: ClosedRange<Int64>? {
        guard let picked, format == .ndjson || format == .json, logs.isEmpty, !decoded, !payloads.isGiven, hide.isEmpty else { return nil }
        return picked.messageWindow
    }
}
