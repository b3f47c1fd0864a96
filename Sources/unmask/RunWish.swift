import Reports
import Runs
import WebConsole

/// What of captured packets a recording has.
struct PacketRecording {
    /// What the conversations carried, as packets that would have carried it.
    var isDecrypted = false
    /// The TLS keys that a capture brings.
    var keepsSecrets = true
}

/// What a command asks of its outputs beside the options that every command has.
struct RunWish {
    var source: RunOutputs.Source
    var shown = RunOutputs.Place.standardOutput
    /// Text as lines that come as things happen, rather than as blocks.
    var follows = false
    /// Text begins by saying what is read; the command has not said it.
    var announcesSource = true
    /// Of what is shown, only the last line: what the run amounted to.
    var showsTotalsOnly = false
    /// The pcapng file.
    var write: String?
    /// It has what went over the wires of a proxy rather than what was said.
    var isSealed = false
    /// What of the packets goes into it, where they are captured ones.
    var recording: PacketRecording?
    /// Each record leaves at once: somebody may be waiting for it.
    var drain = Output.Drain.everyRecord
    /// Files that are read, which no output may overwrite.
    var inputs: [String] = []
    /// The conversations that a first reading of the inputs has found.
    var found: ConversationSet?
    /// What is hidden, where another reading has to have the same marks.
    var redaction: RedactionPlan?
    /// What it has found of the packets.
    var packets: PickedPackets?
    /// The order of a list of the conversations, where that is what is shown.
    var list: ListSettings.Order?
    /// The web console of the run.
    var console: RunConsole?
}

extension OutputOptions {
    /// Opens the outputs of a run: files that are there are emptied, but for logs that are appended to.
    func open(_ wish: RunWish, _ shares: MemoryShares) throws(OutputFileError) -> RunOutputs {
        redaction.tell(write: wish.write)
        var plain = wish.list.map { listForm($0, shares) } ?? shownForm(follow: wish.follows, shares)
        if var settings = plain as? TextSettings {
            settings.announcesSource = wish.announcesSource && !wish.showsTotalsOnly
            if wish.showsTotalsOnly { (settings.conversations, settings.follows) = (.nothing, true) }
            plain = settings
        }
        let filters = filters(knowing: wish.found, shares)
        var request = RunOutputs.Request(wish.source, shown: plain.picking(filters.shown))
        request.logs = logs.map {
            .init($0.row, path: $0.path, form: logForm($0.row, follow: wish.follows, filters: filters, shares))
        }
        if let session = wish.console?.temporary {
            var log = RunOutputs.LogFile(.session, path: session.path, form: logForm(.session, follow: false, shares))
            log.isTemporary = true
            request.logs.append(log)
        }
        (request.place, request.appends, request.showsTotals) = (wish.shown, append, stats)
        (request.drain, request.inputs) = (wish.drain, wish.inputs + payloads.proto)
        request.write = wish.write.map { ($0, recordingForm(wish, shares)) }
        (request.isIgnored, request.redaction) = (isIgnored, wish.redaction ?? redaction.plan(payloads))
        request.hasStandardOutput = GivenDescriptors.hasStandardOutput
        (request.stop, request.hurry) = (Interruption.stop, Interruption.hurry)
        wish.console?.follow(&request)
        request.tell = { [trouble = wish.console?.trouble] line in
            trouble?.take(line)
            writeLine(line)
        }
        let outputs = try RunOutputs(request)
        do {
            try wish.console?.begin()
        } catch {
            throw OutputFileError(path: "the web console", problem: "\(error)")
        }
        return outputs
    }

    private func recordingForm(_ wish: RunWish, _ shares: MemoryShares) -> any OutputForm {
        guard let recording = wish.recording else { return RelayedPacketsForm(isSealed: wish.isSealed) }
        var settings = recordingSettings(shares)
        (settings.found, settings.keepsSecrets) = (wish.packets, recording.keepsSecrets)
        return CapturedPacketsForm(settings, isDecrypted: recording.isDecrypted)
    }
}
