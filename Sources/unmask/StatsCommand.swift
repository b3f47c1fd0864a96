import ArgumentParser
import CaptureFiles
import Dissection
import Reports
import Runs

struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Shows messages, bytes, sizes, latencies, pings, silences and findings of captures or logs.",
        discussion: """
            In total, by host and by conversation. Sizes, latencies and ping round trips are percentiles, at most 1.6 % too large. The latency is \
            the time from a request to its response. RATE draws messages, requests and responses over time. Rows that --memory has no room \
            for are summed up as others.

              unmask stats talk.pcapng
              unmask stats --by host proxy.ndjson
              unmask stats --host api.example.org --since +60s talk.pcapng
              unmask stats --format json talk.pcapng | jq '.hosts[] | [.host, .latency.p99]'
            """)

    enum Scope: String, ExpressibleByArgument, CaseIterable {
        case conversation, host, total

        var scope: StatisticsResult.Scope {
            switch self {
            case .conversation: .conversation
            case .host: .host
            case .total: .total
            }
        }
    }

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    @Argument(help: ArgumentHelp("Capture files or logs, or - for standard input.", valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(help: "Only these rows: conversation, host or total. (default: all three, of many rows those with most bytes)")
    var by: Scope?

    @Option(help: "text for people, json for one object.")
    var format: Format = .text

    @OptionGroup
    var input: ReportOptions

    @OptionGroup(title: "Keys")
    var keys: KeyOptions

    func validate() throws {
        try checkInputs(files, of: "stats")
    }

    func run() throws {
        Interruption.watch(hasLogs: false)
        let (reading, plan) = (input.reading, input.hidden)
        let keys = try keys.open(reading.memory)
        let report = StatisticsReport(mostBytes: reading.memory.bytes / 4, keepsConversations: by == nil || by == .conversation)
        let stage = input.stage(over: files, keys, hiding: plan)
        var sink = SelectedEvents(report, reading.selection, picking: stage, hiding: plan)
        var loop = InputLoop(files, reading.settings(payloadDemand: input.payloadDemand()), keys: keys)
        loop.read(into: &sink) { _ in true }
        _ = sink.tellLosses { writeLine($0) }
        let result = sink.taken().finish()
        guard loop.outcome.hasBegun else { throw ExitCode(loop.outcome.status) }
        let scopes = by.map { [$0.scope] } ?? [.total, .host, .conversation]
        let text = format == .json ? result.json(scopes, tool: toolName) : result.text(scopes, width: TerminalSize.width)
        var isWhole = false
        do throws(OutputFileError) { isWhole = try ReportTarget(nil, inputs: []).write(text) } catch { writeLine("unmask: \(error)") }
        if loop.tellMissing() { isWhole = false }
        throw ExitCode(Interruption.stop.isStopped ? 130 : isWhole ? loop.outcome.status : max(1, loop.outcome.status))
    }
}
