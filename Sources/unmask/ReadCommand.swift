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
            let status = read(outputs, &packetFilter, shares)
            throw ExitCode(outputs.finish() ? status : max(1, status))
        } catch let error as OutputFileError {
            if error.isInterrupted { throw ExitCode(130) }
            writeLine("unmask: \(error)")
            throw ExitCode(1)
        }
    }

    /// Reads all inputs; returns the exit status.
    private func read(_ outputs: RunOutputs, _ packetFilter: inout PacketFilter?, _ shares: MemoryShares) -> Int32 {
        var line = outputs.plan.makeLine()
        let limits = shares.limits(showing: line.payloadDemand)
        var dissector = Dissector(
            limits: limits, payloadDemand: line.payloadDemand, decodeAs: output.reading.rules, seed: UInt64.random(in: .min ... .max))
        var teller = LogTeller(mostBytes: limits.totalBytes)
        var status: Int32 = 0
        var progress = Progress(isWanted: isatty(STDERR_FILENO) == 1 && (isatty(STDOUT_FILENO) == 0 || output.stats))
        var next: UInt64 = 1
        var hasBegun = false
        for path in readFiles + files where !Interruption.stop.isStopped && !line.isOver {
            do {
                let input = try CaptureInput(
                    path: path, firstPacketNumber: next, stop: Interruption.stop, windowBytes: shares.window,
                    longestLine: output.reading.longestLine)
                let source = CaptureSource(kind: .file, name: path, firstPacket: next, tool: toolName)
                switch consume input {
                case .capture(var reader):
                    hasBegun = true
                    line.begin(source)
                    progress.begin(path, size: reader.inputSize)
                    status = max(status, readAll(&reader, &dissector, &packetFilter, &progress, outputs, into: &line))
                    next = reader.nextPacketNumber
                case .log(var log):
                    if filter != nil {
                        writeLine(
                            "unmask: \(path): a log has no packets that -f could choose from; choose conversations with --conversation")
                        return 2
                    }
                    hasBegun = true
                    progress.begin(path, size: log.inputSize)
                    let logStatus = LogInput.read(
                        &log, source, &teller, &dissector, into: &line, begin: { $1.begin($0) }, clearLine: { progress.clear() }, lines: 256
                    ) { line, packets, inputBytes in
                        if Interruption.wantsLogsReopened { line.move(outputs.reopenLogs()) }
                        progress.show(bytes: inputBytes, packets: packets)
                        return !line.isOver
                    }
                    status = max(status, logStatus)
                    next = dissector.totals.packets + 1
                }
            } catch {
                // A wait for a pipe to open that was interrupted is no error of the input.
                if Interruption.stop.isStopped { break }
                var error = error
                // The bytes of such an argument are lost before they come here.
                if error.kind == .unreadable, path.contains("\u{FFFD}") {
                    error.advice = "a name that is not valid UTF-8 cannot be opened; rename the file, or give it as standard input with -"
                }
                // What was opened is an input, whatever is in it.
                if error.kind != .unreadable {
                    line.begin(CaptureSource(kind: .file, name: path, firstPacket: next, tool: toolName), for: .programs)
                }
                writeLine("unmask: \(error)")
                status = max(status, error.kind == .unreadable ? 2 : 1)
            }
        }
        progress.end()
        let isCutShort = line.isOver && next > 1
        dissector.finish(sink: &line)
        // Nothing could be read? For people the errors have said all there is to say; programs get their records whole.
        line.finish(teller.totals(with: dissector.totals), for: hasBegun ? .all : .programs)
        if hasBegun, output.reading.tellMissing(after: dissector.totals.conversations) { status = max(status, 1) }
        let losses = line.losses
        for loss in losses { writeLine("unmask: \(loss)" + (isCutShort ? ", and nothing was read after packet \(next - 1)" : "")) }
        if !losses.isEmpty { return 1 }
        if line.isOver { return 0 }
        return Interruption.stop.isStopped ? 130 : status
    }

    /// Reads one input to its end, or to where it cannot be read any more.
    private func readAll(
        _ reader: inout CaptureReader, _ dissector: inout Dissector, _ packetFilter: inout PacketFilter?, _ progress: inout Progress,
        _ outputs: RunOutputs, into line: inout OutputLine
    ) -> Int32 {
        var status: Int32 = 0
        var untilLook = 0
        var damage = DamageLines()
        var notes = CaptureNotes()
        defer {
            damage.finish()
            dissector.receive(packetsBeyondTime: reader.packetsBeyondTime, sink: &line)
        }
        while true {
            do throws(CaptureFileError) {
                guard let item = try reader.next() else { break }
                guard case .packet(let packet) = item else {
                    if case .name(let record) = item { line.name(record.name, of: record.address) }
                    notes.take(item, &dissector, sink: &line)
                    continue
                }
                if packetFilter != nil {
                    do {
                        guard try packetFilter?.accepts(packet) ?? true else { continue }
                    } catch {
                        progress.clear()
                        writeLine("unmask: \(error)")
                        return 2
                    }
                }
                dissector.receive(packet, sink: &line)
            } catch {
                progress.clear()
                damage.tell(error)
                status = 1
                if !error.canGoOn { break }
            }
            if untilLook == 0 {
                untilLook = 256
                if Interruption.stop.isStopped || line.isOver { break }
                if Interruption.wantsLogsReopened { line.move(outputs.reopenLogs()) }
                // What the reader takes comes off the share of the conversations.
                dissector.reservedBytes = reader.heldBytes
                progress.show(bytes: reader.inputBytes, packets: dissector.totals.packets)
            }
            untilLook -= 1
        }
        return status
    }
}
