import Dissection

/// What an output is made of: its settings, which know what it demands and how it is made. Adding an output is a folder with one of these; nothing
/// else names it but the command line.
package protocol OutputForm: Sendable {
    /// Whether programs read it, which want a beginning and an end also where nothing is in between.
    var isForPrograms: Bool { get }
    /// Bytes of one payload that it shows at most, or looks at.
    var payloadDemand: Int { get }
    /// What it would read payloads by; nil where it reads none.
    var payloadTable: PayloadTable? { get }
    /// What is counted of it, one and several.
    var unit: (one: String, several: String) { get }
    /// What it is called in messages, with the verb that follows: `the text`, `is`.
    var subject: (noun: String, verb: String) { get }

    /// What picks what it shows; nil where all is shown. An output that leaves nothing out has none.
    var filter: FilterPlan? { get set }

    /// Makes the output, for the thread that writes.
    func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput
}

extension OutputForm {
    package var isForPrograms: Bool { false }
    package var payloadTable: PayloadTable? { nil }
    package var unit: (one: String, several: String) { ("line", "lines") }
    package var subject: (noun: String, verb: String) { ("the text", "is") }
    package var filter: FilterPlan? {
        get { nil }
        set {}
    }

    /// The same output of what a filter picks; as it is, where it has no filter.
    package func picking(_ filter: FilterPlan?) -> Self {
        var form = self
        form.filter = filter
        return form
    }

    /// Bytes of a payload that its filter looks at.
    var soughtBytes: Int { filter?.soughtBytes ?? 0 }
}

/// Where an output goes, and how it is written.
package struct OutputPlace: Sendable {
    package var outlet: Outlet
    package var drain: Output.Drain
    /// Whether an output that fails may work again later; otherwise its first failure is its end.
    package var keepsTrying: Bool

    /// The output that goes there.
    package func open() -> Output { Output(outlet, drain: drain, keepsTrying: keepsTrying) }
}

extension PayloadBounds {
    /// Bytes of a payload that formats read off where an output tells it in their words: as many as records have when nothing else is asked for,
    /// so that text and records say the same.
    static let decodedBytes = 1 << 20
}
