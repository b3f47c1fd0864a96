import ArgumentParser
import CaptureFiles
import Decryption
import Dissection
import Libc
import Reports
import Runs

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Fails when captures or logs have findings, for continuous integration.",
        discussion: """
            Exit status: 0 when no finding counts, 1 when one does or an input is damaged, 2 when an input cannot be read or the options are \
            wrong, 130 when interrupted. A finding counts at or above --severity, unless --allow names it or the baseline has it. Packets are \
            numbered in their own file. See docs/check.md.

              unmask check talk.pcapng
              unmask check --allow 'tcp.*' --severity violation *.pcapng
              unmask check --host api.example.org talk.pcapng
              unmask check --baseline known.json --format junit --output report.xml talk.pcapng
            """)

    enum Level: String, ExpressibleByArgument, CaseIterable {
        case note, warning, violation

        var severity: Severity {
            switch self {
            case .note: .note
            case .warning: .warning
            case .violation: .violation
            }
        }
    }

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, junit, sarif
    }

    @Argument(help: ArgumentHelp("Capture files or logs, or - for standard input.", valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(help: "The least severity that counts: note, warning or violation.")
    var severity: Level = .warning

    @Option(
        help: ArgumentHelp(
            "A finding that is allowed, such as tcp.out-of-order, or a pattern such as tcp.*. Repeatable.", valueName: "id"))
    var allow: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Findings that were known before, as --write-baseline wrote them: they do not count. They are the same by id, host, path and \
            sentence, not by packet, time or port.
            """, valueName: "file"),
        completion: .file(extensions: ["json"]))
    var baseline: String?

    @Option(
        name: .customLong("write-baseline"),
        help: ArgumentHelp("Write the findings to this file, as a baseline of later runs. The exit status is 0 then.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var writeBaseline: String?

    @Option(help: "text for people, json, junit (JUnit XML) or sarif (SARIF 2.1.0) for programs.")
    var format: Format = .text

    @Option(help: ArgumentHelp("Write the report to this file instead of standard output.", valueName: "file"), completion: .file())
    var output: String?

    @OptionGroup
    var input: ReportOptions

    @OptionGroup(title: "Keys")
    var keys: KeyOptions

    func validate() throws {
        try checkInputs(files, of: "check")
        try checkPath(baseline, of: "--baseline")
        try checkPath(writeBaseline, of: "--write-baseline", isWritten: true)
        try checkPath(output, of: "--output", isWritten: true)
        if input.redaction.isWanted, baseline != nil || writeBaseline != nil {
            throw ValidationError("--redact cannot be combined with --baseline or --write-baseline: its marks change from run to run.")
        }
        if let output, output == writeBaseline { throw ValidationError("--output and --write-baseline take different files.") }
        let ids = FindingCatalogue.rows.map(\.id)
        for pattern in allow where !ids.contains(where: { WildcardPattern(pattern).matches(Array($0.utf8).rawBytes) }) {
            let nearest = pattern.contains("*") ? nil : NearestName.of(pattern, among: ids)
            throw ValidationError(
                "--allow \(pattern): there is no such finding." + (nearest.map { " Did you mean \($0)?" } ?? "")
                    + " `unmask findings` lists them all.")
        }
    }

    func run() throws {
        Interruption.watch(hasLogs: false)
        let keys = try keys.open(input.reading.memory)
        do {
            let known = try baseline.map { try read(baseline: $0) }
            let inputs = files + self.keys.files
            for path in [output, writeBaseline].compactMap({ $0 }) { try ReportTarget.check(path, inputs: inputs) }
            let target = try ReportTarget(output, inputs: inputs)
            let baselineTarget = try writeBaseline.map { path throws(OutputFileError) in try ReportTarget(path, inputs: inputs) }
            throw ExitCode(check(known, keys, to: target, baselineTarget))
        } catch let error as FindingBaseline.Problem {
            writeLine("unmask: --baseline \(baseline ?? ""): \(error)")
            throw ExitCode(2)
        } catch let error as OutputFileError {
            writeLine("unmask: \(error)")
            throw ExitCode(2)
        }
    }

    private func read(baseline path: String) throws(FindingBaseline.Problem) -> FindingBaseline {
        guard let bytes = WholeFile.read(path) else {
            throw FindingBaseline.Problem(description: "the file cannot be read, or is larger than 64 MiB")
        }
        return try FindingBaseline(bytes.rawBytes)
    }

    /// Reads all inputs and writes the report; returns the exit status.
    private func check(_ known: FindingBaseline?, _ keys: CaptureKeys, to target: ReportTarget, _ baselineTarget: ReportTarget?) -> Int32 {
        let (reading, plan) = (input.reading, input.hidden)
        let settings = CheckSettings(
            severity: severity.severity, allowed: allow.map { WildcardPattern($0) }, baseline: known, keepsConversations: format == .junit,
            mostBytes: reading.memory.bytes / 4)
        let stage = input.stage(over: files, keys, hiding: plan)
        var sink = CheckSink(events: SelectedEvents(CheckReport(settings), reading.selection, picking: stage, hiding: plan))
        var loop = InputLoop(files, reading.settings(payloadDemand: input.payloadDemand()), keys: keys)
        loop.read(into: &sink) { _ in true }
        let (isUnread, isLost) = (sink.isUnread, sink.events.tellLosses { writeLine($0) })
        let result = sink.finish()
        var isWritten = target.write(report(result))
        if let baselineTarget { isWritten = baselineTarget.write(result.baseline.text) && isWritten }
        let isMissing = loop.outcome.hasBegun && loop.tellMissing()
        if Interruption.stop.isStopped { return 130 }
        if isUnread { return 2 }
        if !isWritten || isMissing || isLost || result.problems > 0 { return 1 }
        return result.hasFailed && writeBaseline == nil ? 1 : 0
    }

    private func report(_ result: CheckResult) -> [UInt8] {
        switch format {
        case .text: result.text
        case .json: result.json(tool: toolName)
        case .junit: result.junit
        case .sarif: result.sarif(name: "unmask", version: Unmask.version)
        }
    }
}

/// Takes the events that are picked, and what is wrong with the inputs.
private struct CheckSink: InputSink, ~Copyable {
    var events: SelectedEvents<CheckReport>
    /// An input could not be read at all.
    private(set) var isUnread = false
    /// The name of the input that was opened last.
    private var opened: String?

    init(events: consuming SelectedEvents<CheckReport>) { self.events = events }

    var takesFrames: Bool { false }
    var heldBytes: Int { events.heldBytes }

    mutating func open(_ source: CaptureSource) {
        opened = source.name
        events.report.begin(source)
    }

    mutating func note(_ trouble: CaptureFileError) {
        switch trouble.kind {
        // What is wrong with one that was opened, as in the middle of a session file, is damage.
        case .unreadable, .notACapture, .unsupported: if trouble.input != opened { isUnread = true }
        case .cutShort, .damaged: break
        }
        events.report.note(problem: "\(trouble)", ofInput: trouble.input == "standard input" ? "-" : trouble.input)
    }

    mutating func name(_ name: RawSpan, of address: RawSpan) { events.name(name, of: address) }

    mutating func receive(_ event: borrowing ConversationEvent) { events.receive(event) }

    consuming func finish() -> CheckResult { events.taken().finish() }
}
