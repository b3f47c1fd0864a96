import ArgumentParser
import CaptureFiles
import Decryption
import Dissection
import Reports
import Runs

struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compares two recordings of the same talk: what was added, lost, reordered, changed or slower.",
        discussion: """
            Conversations are aligned by host (without its port), path and order, and in them requests, responses, messages, Close frames and raw \
            data by order and content; ids, times and other numbers may differ, and are then shown as changes. Pings and pongs are left out. Exit \
            status: 0 when there are no differences, 1 when there are, 2 on errors, 130 when interrupted. See docs/diff.md.

              unmask diff good.pcapng bad.pcapng
              unmask diff --ignore '$.id' --ignore '$..time' first.ndjson second.ndjson
              unmask diff --path '/api/*' good.pcapng bad.pcapng
              unmask diff --slower 2 before.pcapng after.pcapng
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    @Argument(help: ArgumentHelp("The first capture file or log, or - for standard input.", valueName: "first"), completion: .file())
    var first: String

    @Argument(help: ArgumentHelp("The second one.", valueName: "second"), completion: .file())
    var second: String

    @Option(
        help: ArgumentHelp(
            """
            Leave out a JSON path: $.id is the member id of the outermost object, $..id is id at any depth, and * stands for any characters, \
            such as $.items[*].id. Repeatable.
            """, valueName: "path"))
    var ignore: [String] = []

    @Option(
        name: .customLong("ignore-header"),
        help: ArgumentHelp(
            "Leave out a header field, beside Date, cookies, ids of requests and others that docs/diff.md lists. Repeatable.",
            valueName: "name"))
    var ignoreHeader: [String] = []

    @Option(
        name: .customLong("compare-header"),
        help: ArgumentHelp(
            "Compare a header field that is left out otherwise, such as Cookie or ETag; * for all of them. Repeatable.",
            valueName: "name"))
    var compareHeader: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Also compare latencies: of responses, and of messages that follow one of the other side. One counts when it is longer by this factor, \
            and by 10 ms.
            """, valueName: "factor"))
    var slower: Double?

    @Option(help: "text for people, json for one object.")
    var format: Format = .text

    @OptionGroup
    var input: ReportOptions

    @OptionGroup(title: "Keys")
    var keys: KeyOptions

    func validate() throws {
        if first == "-", second == "-" { throw ValidationError("Standard input can be read once.") }
        for path in [first, second] { try checkPath(path, of: "diff") }
        if let slower, !(slower >= 1 && slower <= 1_000_000) { throw ValidationError("--slower takes a factor from 1 to 1000000.") }
        let unusual = compareHeader.first { $0 != "*" && !ComparisonSettings.usualFields.contains($0.lowercased()) }
        if let unusual {
            throw ValidationError(
                "--compare-header \(unusual): this header is compared anyway; docs/diff.md lists those that are left out.")
        }
        for path in ignore where path.isEmpty { throw ValidationError("--ignore takes a JSON path, and that is empty.") }
    }

    func run() throws {
        Interruption.watch(hasLogs: false)
        let settings = ComparisonSettings(
            ignoredPaths: ignore, ignoredFields: ComparisonSettings.fields(ignoring: ignoreHeader, comparing: compareHeader),
            slower: slower)
        let (oldKeys, newKeys) = (try keys.open(input.reading.memory), try keys.open(input.reading.memory))
        // One plan for both, so that the same secret has the same mark.
        let plan = input.hidden
        guard let old = record(first, settings, oldKeys, plan), let new = record(second, settings, newKeys, plan) else {
            throw ExitCode(Interruption.stop.isStopped ? 130 : 2)
        }
        let comparison = RecordingComparison(old, new, settings)
        for hint in settings.ignoredPaths.hints { writeLine("unmask: \(hint)") }
        let report = format == .json ? comparison.json(tool: toolName) : comparison.text(width: TerminalSize.width)
        do throws(OutputFileError) {
            guard try ReportTarget(nil, inputs: []).write(report) else {
                throw OutputFileError(path: "standard output", problem: "incomplete")
            }
        } catch {
            throw ExitCode(2)
        }
        throw ExitCode(comparison.differs ? 1 : 0)
    }

    /// Reads one recording; nil where it cannot be read whole, which was said.
    private func record(_ path: String, _ settings: ComparisonSettings, _ keys: CaptureKeys, _ plan: RedactionPlan?) -> Recording? {
        let reading = input.reading
        let stage = input.stage(over: [path], keys, hiding: plan)
        var sink = SelectedEvents(
            ConversationRecorder(settings, mostBytes: reading.memory.bytes / 4), reading.selection, picking: stage, hiding: plan)
        var loop = InputLoop([path], reading.settings(payloadDemand: input.payloadDemand(atLeast: Self.payloadDemand)), keys: keys)
        loop.read(into: &sink) { _ in true }
        _ = sink.tellLosses { writeLine($0) }
        let recording = sink.taken().finish()
        guard loop.outcome.status == 0, !Interruption.stop.isStopped, !loop.tellMissing() else { return nil }
        return recording
    }

    /// Bytes of a message that are looked at.
    private static let payloadDemand = 1 << 20
}
