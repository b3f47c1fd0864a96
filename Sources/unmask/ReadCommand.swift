import ArgumentParser
import CaptureFiles
import Dissection
import Libc
import LiveCapture
import Reports

struct ReadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Prints the conversations in capture files.",
        discussion: """
            Reads pcap, pcapng, snoop and Microsoft Network Monitor files, plain or compressed with gzip or zstd; - is standard input. \
            Several files are one run: \
            packets and conversations are numbered on. A log that unmask wrote (ndjson or json) is an input like a capture.

              unmask read talk.pcapng
              unmask read --format ndjson talk.pcapng | jq 'select(.kind == "message")'
              tcpdump -i lo -U -w - | unmask read --follow -
              unmask read --conversation 3 proxy.ndjson
            """)

    @Argument(help: ArgumentHelp("Capture files or logs, or - for standard input.", valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(
        name: .customShort("r"), help: ArgumentHelp("Capture file (the same as -r of tshark and tcpdump). Repeatable.", valueName: "file"))
    var readFiles: [String] = []

    @Option(name: [.customShort("f"), .customLong("filter")], help: "Only packets that a BPF expression accepts, such as 'tcp port 8080'.")
    var filter: String?

    @OptionGroup(title: "Output")
    var output: OutputOptions

    func validate() throws {
        if files.isEmpty && readFiles.isEmpty {
            throw ValidationError("Name a capture file, or - for standard input.")
        }
        if (readFiles + files).count(where: { $0 == "-" }) > 1 {
            throw ValidationError("Standard input can be read once.")
        }
        for path in readFiles + files where !path.isEmpty { try checkPath(path, of: "read") }
        try output.checkLogs(beside: nil)
    }

    func run() throws {
        Interruption.watch(hasLogs: !output.logs.isEmpty)
        // From a pipe each record has to come as soon as it is known.
        let readsPipe = (readFiles + files).contains("-") && StandardInput.mayGoOn
        let isLive = output.follow || isatty(STDOUT_FILENO) == 1 || readsPipe
        let wish = RunOutputs.Wish(
            source: .files, follows: output.follow, drain: isLive ? .everyRecord : .whenFull, inputs: readFiles + files)
        let shares = output.reading.shares()
        var packetFilter: PacketFilter?
        do {
            // Before any file is emptied.
            if let filter { packetFilter = try PacketFilter(filter) }
        } catch {
            writeLine("unmask: \(error)")
            throw ExitCode(2)
        }
        do {
            var wanted = output
            // A name with a slip in it empties no log.
            if (readFiles + files).allSatisfy({ CaptureReader.cannotOpen($0) }) { wanted.logs = [] }
            let outputs = try RunOutputs(wanted, wish, shares)
            let status = read(outputs, packetFilter.take())
            throw ExitCode(outputs.finish() ? status : max(1, status))
        } catch let error as OutputFileError {
            if error.isInterrupted { throw ExitCode(130) }
            writeLine("unmask: \(error)")
            throw ExitCode(1)
        }
    }

    /// Reads all inputs; returns the exit status.
    private func read(_ outputs: RunOutputs, _ packetFilter: consuming PacketFilter?) -> Int32 {
        var line = outputs.plan.makeLine()
        let progress = Progress(isWanted: isatty(STDERR_FILENO) == 1 && (isatty(STDOUT_FILENO) == 0 || output.stats))
        var loop = InputLoop(
            readFiles + files, output.reading, payloadDemand: line.payloadDemand, filter: packetFilter, progress: progress)
        loop.read(into: &line) { line in
            if Interruption.wantsLogsReopened { line.move(outputs.reopenLogs()) }
            return !line.isOver
        }
        if loop.outcome.isRefused { return loop.outcome.status }
        let isCutShort = line.isOver && loop.outcome.next > 1
        // Nothing could be read? For people the errors have said all there is to say; programs get their records whole.
        line.finish(loop.totals, for: loop.outcome.hasBegun ? .all : .programs)
        var status = loop.outcome.status
        if loop.outcome.hasBegun, output.reading.tellMissing(after: loop.conversations) { status = max(status, 1) }
        let losses = line.losses
        let end = isCutShort ? ", and nothing was read after packet \(loop.outcome.next - 1)" : ""
        for loss in losses { writeLine("unmask: \(loss)\(end)") }
        if !losses.isEmpty { return 1 }
        if line.isOver { return 0 }
        return Interruption.stop.isStopped ? 130 : status
    }
}
