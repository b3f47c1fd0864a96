import CaptureFiles

/// What a run writes, and where: the outputs at the end of the line.
///
/// ```
/// source ─ dissector ─ fan-out ─┬─ what is shown, on standard output
///                               ├─ logs, each in a file
///                               └─ the recording
/// ```
///
/// A plan can be handed to the thread that writes; `makeLine` is for that thread.
package struct OutputPlan: Sendable {
    /// What an output is made into.
    package enum Form: Sendable {
        /// Records for programs.
        case records(RecordSettings)
        /// Text for people.
        case text(TextSettings)
        /// The totals alone, of some conversations or of all.
        case totals(conversations: ConversationSelection?)
        /// An HTTP archive.
        case archive(HARSettings)
        /// A session file.
        case session(SessionSettings)
        /// A row of CSV for each message.
        case table(TableSettings)
        /// A line for each conversation.
        case list(ListSettings)
        /// Nothing: the first reading of inputs that are read twice.
        case survey(SurveySettings)
        /// pcapng: what a proxy relayed, as packets that would have carried it.
        case relayedPackets
        /// pcapng: what went over both connections of what a proxy relayed, as TCP packets, and the secrets of its TLS sessions.
        case sealedPackets
        /// pcapng: the packets that were captured, as they are.
        case capturedPackets(RecordingSettings)
        /// pcapng: what the directions of captured conversations brought, as packets that would have carried it.
        case streamPackets(RecordingSettings)
        /// Nothing: the first reading of inputs whose packets are recorded in the second.
        case packetSurvey(RecordingSettings, into: PickedPackets)
    }

    /// What an output is to the user.
    package enum Role: Sendable {
        /// What the user looks at: standard output. Whoever closes it has seen enough.
        case shown
        case log
        case recording
    }

    /// One output.
    package struct Target: Sendable {
        package var form: Form
        package var role: Role
        package var outlet: Outlet
        package var drain: Output.Drain

        package init(_ form: Form, as role: Role, to outlet: Outlet, drain: Output.Drain = .whenFull) {
            self.form = form
            self.role = role
            self.outlet = outlet
            self.drain = drain
        }
    }

    /// What is shown first, then the logs, then the recording: in this order they get an event, and in the opposite one they are written, so
    /// that what is shown has happened in the others too.
    package var targets: [Target]
    /// Whether an output that fails may work again later; otherwise its first failure is its end.
    package var keepsTrying: Bool
    /// Whether conversations with a server are left out of what is shown and of the logs: its name or address, perhaps with a port, and the port where
    /// it has none. A proxy's recording has them all. None: nothing is left out.
    package var isIgnored: (@Sendable (_ host: String, _ port: UInt16) -> Bool)?
    /// What is hidden from all outputs but recordings of packets, which have what was on the wire; nil where nothing is.
    package var redaction: RedactionPlan?

    package init(_ targets: [Target] = [], keepsTrying: Bool = false) {
        self.targets = targets
        self.keepsTrying = keepsTrying
    }

    /// Bytes of one payload that the outputs together show at most: nobody needs to keep more.
    package var payloadDemand: Int {
        let shown = targets.reduce(0) { max($0, $1.form.payloadDemand) }
        // What a part of a body does not have would be missing where a secret goes on.
        return redaction == nil || shown == 0 ? shown : max(shown, Self.bodyPart)
    }

    /// What the outputs together read payloads by: what the user said about payloads counts for all of them.
    var payloadTable: PayloadTable { targets.lazy.compactMap(\.form.payloads).first(where: \.isOfUser) ?? .standard }

    /// Bytes of a part of a body.
    private static let bodyPart = 64 << 10

    /// Bytes of a payload that formats read off where an output tells it in their words: as many as records have when nothing else is asked for,
    /// so that text and records say the same.
    fileprivate static let decodedBytes = 1 << 20

    /// Grows as long as something is written.
    package var takenBytes: UInt64 { targets.reduce(0) { $0 &+ $1.outlet.takenBytes } }

    /// Makes the outputs.
    package func makeLine() -> OutputLine { OutputLine(self) }
}

extension OutputPlan.Form {
    /// Whether programs read it, which want a beginning and an end also where nothing is in between.
    var isForPrograms: Bool {
        switch self {
        case .records, .session, .archive: true
        case .text, .totals, .table, .list, .survey, .relayedPackets, .sealedPackets, .capturedPackets, .streamPackets, .packetSurvey: false
        }
    }

    /// What it would read payloads by; nil where it reads none.
    var payloads: PayloadTable? {
        switch self {
        case .records(let settings): settings.payloads
        case .text(let settings): settings.payloads
        case .archive(let settings): settings.payloads
        case .session(let settings): settings.payloads
        case .table(let settings): settings.payloads
        case .list(let settings): settings.payloads
        case .survey(let settings): settings.payloads
        case .capturedPackets(let settings), .streamPackets(let settings), .packetSurvey(let settings, _): settings.payloads
        case .totals, .relayedPackets, .sealedPackets: nil
        }
    }

    /// Bytes of one payload that it shows at most.
    var payloadDemand: Int {
        switch self {
        case .records(let settings) where settings.totalsAlone: 0
        // What a message says is read off more of it than is shown.
        case .records(let settings):
            max(settings.payload.limit, settings.soughtBytes, settings.payloads.rows.isEmpty ? 0 : OutputPlan.decodedBytes)
        case .text(let settings) where settings.payload.limit > 0:
            max(settings.payload.limit, settings.soughtBytes, settings.payloads.rows.isEmpty ? 0 : OutputPlan.decodedBytes)
        case .text(let settings): settings.soughtBytes
        case .session(let settings): max(settings.payload.limit, settings.soughtBytes)
        case .archive(let settings): max(settings.payload.limit, settings.soughtBytes)
        case .table(let settings):
            max(settings.payload.limit, settings.soughtBytes, settings.payloads.rows.isEmpty ? 0 : OutputPlan.decodedBytes)
        case .list(let settings): settings.soughtBytes
        case .survey(let settings): settings.payloadDemand
        case .capturedPackets(let settings), .streamPackets(let settings), .packetSurvey(let settings, _): settings.soughtBytes
        case .totals, .relayedPackets, .sealedPackets: 0
        }
    }
}

extension OutputPlan.Target {
    /// Makes the output.
    func makeOutput(keepsTrying: Bool, decoding: DecodingStage) -> LineOutput {
        switch form {
        case .records(let settings):
            HeldOutput(RecordReport(Output(outlet, drain: drain, keepsTrying: keepsTrying), settings: settings, decoding: decoding))
        case .text(let settings):
            HeldOutput(TextReport(Output(outlet, drain: drain, keepsTrying: keepsTrying), settings: settings, decoding: decoding))
        case .totals(let conversations):
            HeldOutput(StatsReport(Output(outlet, drain: drain, keepsTrying: keepsTrying), conversations: conversations))
        case .archive(let settings):
            HeldOutput(HARReport(Output(outlet, drain: drain, keepsTrying: keepsTrying), settings: settings, decoding: decoding))
        case .session(let settings): HeldOutput(SessionReport(settings, drain: drain, keepsTrying: keepsTrying, decoding: decoding))
        case .table(let settings):
            HeldOutput(MessageTable(Output(outlet, drain: drain, keepsTrying: keepsTrying), settings: settings, decoding: decoding))
        case .list(let settings):
            HeldOutput(ListReport(Output(outlet, drain: drain, keepsTrying: keepsTrying), settings: settings, decoding: decoding))
        case .survey(let settings): HeldOutput(EventSurvey(settings, decoding: decoding))
        case .relayedPackets: HeldOutput(RelayedPackets(BlockOutput(outlet), isSealed: false))
        case .sealedPackets: HeldOutput(RelayedPackets(BlockOutput(outlet), isSealed: true))
        case .capturedPackets(let settings): HeldOutput(CapturedPackets(BlockOutput(outlet), settings, decoding: decoding))
        case .streamPackets(let settings): HeldOutput(StreamPackets(BlockOutput(outlet), settings, decoding: decoding))
        case .packetSurvey(let settings, let found): HeldOutput(PacketSurvey(settings, into: found, decoding: decoding))
        }
    }

    /// What is counted of it, one and several.
    var unit: (one: String, several: String) {
        switch form {
        case .records, .session: ("record", "records")
        case .archive: ("entry", "entries")
        case .table: ("row", "rows")
        case .text, .totals, .survey, .packetSurvey: ("line", "lines")
        case .list(let settings): settings.form == .text ? ("line", "lines") : ("record", "records")
        case .relayedPackets, .sealedPackets, .capturedPackets, .streamPackets: ("packet", "packets")
        }
    }

    /// Such as `1 record` or `2 records`.
    func counted(_ number: UInt64) -> String { "\(number) \(number == 1 ? unit.one : unit.several)" }
}
