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
    /// What an output is to the user.
    package enum Role: Sendable {
        /// What the user looks at: standard output. Whoever closes it has seen enough.
        case shown
        case log
        case recording
    }

    /// One output.
    package struct Target: Sendable {
        package var form: any OutputForm
        package var role: Role
        package var outlet: Outlet
        package var drain: Output.Drain

        package init(_ form: any OutputForm, as role: Role, to outlet: Outlet, drain: Output.Drain = .whenFull) {
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
    /// Outputs that may come while the run goes on; nil where none do.
    package var subscribers: Subscribers?
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
    var payloadTable: PayloadTable { targets.lazy.compactMap(\.form.payloadTable).first(where: \.isOfUser) ?? .standard }

    /// Bytes of a part of a body.
    private static let bodyPart = 64 << 10

    /// Grows as long as something is written.
    package var takenBytes: UInt64 { targets.reduce(0) { $0 &+ $1.outlet.takenBytes } }

    /// Makes the outputs.
    package func makeLine() -> OutputLine { OutputLine(self) }
}

extension OutputPlan.Target {
    /// Makes the output.
    func makeOutput(keepsTrying: Bool, decoding: DecodingStage) -> LineOutput {
        form.make(at: OutputPlace(outlet: outlet, drain: drain, keepsTrying: keepsTrying), decoding: decoding)
    }

    /// Such as `1 record` or `2 records`.
    func counted(_ number: UInt64) -> String { "\(number) \(number == 1 ? form.unit.one : form.unit.several)" }
}
