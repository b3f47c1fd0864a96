import ArgumentParser
import CaptureFiles
import Dissection
import Interception
import LiveCapture
import Reports

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

struct CaptureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Watches a network interface and prints the conversations as they happen.",
        discussion: """
            Listening needs the right to capture: run as root, or give it to the program once with setcap. Ctrl-C ends it \
            and prints the totals.

              unmask capture -i lo -f 'tcp port 8080'
              unmask capture -i eth0 -w talk.pcapng
            """)

    @Option(name: [.customShort("i"), .customLong("interface")], help: "The interface to watch; any for all of them.")
    var interface: String?

    @Option(name: [.customShort("f"), .customLong("filter")], help: "Only packets that a BPF expression accepts.")
    var filter: String?

    @Option(
        name: [.customShort("w"), .customLong("write")], help: ArgumentHelp("Also write the packets to a pcapng file.", valueName: "file"))
    var write: String?

    @Option(name: [.customShort("c"), .customLong("count")], help: "Stop after so many packets.")
    var count: UInt64?

    @Option(help: ArgumentHelp("Stop after so many seconds.", valueName: "seconds"))
    var duration: Double?

    @Flag(help: "Ask the network card for packets that are not for this machine.")
    var promiscuous = false

    @Flag(name: [.customShort("D"), .customLong("list-interfaces")], help: "List the interfaces and stop.")
    var listInterfaces = false

    @Flag(help: "Text: a block for each conversation at its end, instead of lines as they come.")
    var blocks = false

    @OptionGroup(title: "Output")
    var output: OutputOptions

    func validate() throws {
        if interface == nil, !listInterfaces {
            throw ValidationError("Name an interface with -i; -D lists them.")
        }
        if let duration, !(0...OutputOptions.longestTime ~= duration) {
            throw ValidationError("--duration takes seconds from 0 to \(Int(OutputOptions.longestTime)).")
        }
        if count == 0 { throw ValidationError("-c takes a number of packets from 1.") }
        if write == "-", !output.stats { throw ValidationError("-w - takes standard output, where the conversations go.") }
        if blocks && output.follow { throw ValidationError("--blocks and --follow exclude each other.") }
    }

    func run() throws {
        if listInterfaces {
            do {
                for interface in try NetworkInterface.all() {
                    let detail = interface.detail.map { "  \($0)" } ?? ""
                    let line = "\(interface.name)\(interface.isUp ? "" : "  (down)")\(interface.isLoopback ? "  (loopback)" : "")\(detail)"
                    print(line.visible)
                }
            } catch {
                writeLine("unmask: \(error)")
                throw ExitCode(1)
            }
            return
        }
        Interruption.watch(isOrderly: true)
        // While its reader takes nothing, packets wait in the kernel, which drops what it cannot hold, and counts it.
        let outlet = Outlet(
            descriptor: STDOUT_FILENO, patience: .telling, advice: "the kernel drops the packets that it cannot hold",
            tell: { writeLine("unmask: \($0)") }, isStopping: { Interruption.stop.isStopped }, isHurried: { Interruption.hurry.isStopped })
        let status: Int32
        switch output.format {
        case .ndjson, .json:
            var report = RecordReport(Output(outlet, drain: .everyRecord), settings: output.recordSettings)
            status = capture(into: &report)
        case .text where output.stats:
            var report = StatsReport(Output(outlet), conversation: output.conversation)
            status = capture(into: &report)
        case .text:
            var report = TextReport(Output(outlet, drain: .everyRecord), settings: output.textSettings(follow: !blocks))
            status = capture(into: &report)
        }
        throw ExitCode(status)
    }

    private func capture<Report: ReportSink & ~Copyable>(into report: inout Report) -> Int32 {
        do {
            let standardOutput = try StandardOutputFile.take()
            defer { standardOutput?.release() }
            var live = try LiveInterface(name: interface ?? "", isPromiscuous: promiscuous, filter: filter)
            var recording: Recording?
            if let write { recording = try Recording(path: write, interface: live.name, linkType: live.linkType) }
            var dissector = Dissector(
                limits: output.limits(within: output.shares), decodeAs: output.rules, seed: UInt64.random(in: .min ... .max))
            report.begin(CaptureSource(kind: .interface, name: live.name, firstPacket: 1, tool: toolName))
            report.flush()
            writeLine("unmask: listening on \(live.name), Ctrl-C ends it")
            let begun = ContinuousClock.now
            var failure: LiveCaptureError?
            while !Interruption.stop.isStopped, report.outputError == nil, recording?.error == nil,
                dissector.totals.packets < count ?? .max
            {
                if let duration, ContinuousClock.now - begun > .seconds(duration) { break }
                do throws(LiveCaptureError) {
                    guard let packet = try live.next() else {
                        // A quiet moment: what was read is written.
                        recording?.flush()
                        continue
                    }
                    recording?.add(packet)
                    dissector.receive(packet, sink: &report)
                } catch {
                    failure = error
                    break
                }
            }
            if let failure { writeLine("unmask: \(failure)") }
            dissector.finish(sink: &report)
            report.finish(dissector.totals)
            let counted = live.statistics()
            let isRecorded = recording?.finish(counted) ?? true
            tell(counted, packets: dissector.totals.packets)
            guard let error = report.outputError, error != .readerGone else { return isRecorded && failure == nil ? 0 : 1 }
            output.tellLoss(error, report.unwrittenRecords)
            return 1
        } catch let error as LiveCaptureError {
            writeLine("unmask: \(error)")
            return error.kind == .noSuchInterface || error.kind == .badFilter ? 2 : 1
        } catch {
            writeLine("unmask: \(error)")
            return 1
        }
    }

    private func tell(_ counted: InterfaceStatistics?, packets: UInt64) {
        guard let counted else { return }
        let dropped = counted.droppedBySystem ?? 0
        let refused = counted.droppedByInterface ?? 0
        var line = "unmask: \(packets) packets captured, \(dropped) dropped by the kernel"
        if refused > 0 { line += ", \(refused) dropped by the interface" }
        if dropped > 0 { line += "; a filter (-f) or --payload preview leaves it less to do" }
        writeLine(line)
    }
}

/// The pcapng file that a live capture is written to.
private struct Recording: ~Copyable {
    private var encoder: PcapNGEncoder
    private let target: OutputFile?
    private let name: String
    private var file: RecordingFile

    /// - Parameter path: `-` for standard output.
    /// - Throws: `OutputFileError`.
    init(path: String, interface: String, linkType: LinkType) throws {
        var encoder = PcapNGEncoder(application: toolName)
        _ = encoder.addInterface(linkType: linkType, snapshotLength: UInt32(LiveInterface.snapshotLength), name: interface)
        self.encoder = encoder
        let opened = path == "-" ? nil : try OutputFile(path: path, from: .empty)
        target = opened
        name = opened?.path ?? "standard output"
        file = RecordingFile(
            Outlet(
                descriptor: opened?.descriptor ?? STDOUT_FILENO, name: name, patience: .telling,
                advice: "the kernel drops the packets that it cannot hold", tell: { writeLine("unmask: \($0)") },
                isStopping: { Interruption.stop.isStopped }, isHurried: { Interruption.hurry.isStopped }))
    }

    /// Why nothing more can be written.
    var error: OutputError? { file.error }

    mutating func add(_ packet: borrowing CapturedPacket) {
        encoder.addPacket(packet.bytes, interface: 0, time: packet.time, originalLength: packet.originalLength)
        if encoder.buffer.count > 64 << 10 { flush() }
    }

    /// Writes what was added, in whole blocks.
    mutating func flush() {
        if file.error == nil { file.write(&encoder.buffer) }
    }

    /// Ends the file, and says what is missing from it.
    ///
    /// - Returns: Whether all of it is there.
    mutating func finish(_ counted: InterfaceStatistics?) -> Bool {
        flush()
        // Packets are counted apart from the block that counts them.
        let lost = RecordingFile.packets(in: encoder.buffer)
        if let counted, file.error == nil { encoder.addStatistics(counted, time: Timestamp(nanoseconds: 0)) }
        flush()
        let problem = file.error ?? target?.finish()
        guard let problem else { return true }
        writeLine("unmask: \(name): \(problem.message); \(lost) \(lost == 1 ? "packet" : "packets") could not be written")
        return false
    }
}
