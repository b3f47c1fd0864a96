import ArgumentParser
import CaptureFiles
import Dissection
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
        Interruption.watch()
        let status: Int32
        switch output.format {
        case .ndjson, .json:
            var report = RecordReport(Output(descriptor: STDOUT_FILENO, drain: .everyRecord), settings: output.recordSettings)
            status = capture(into: &report)
        case .text where output.stats:
            var report = StatsReport(Output(descriptor: STDOUT_FILENO), conversation: output.conversation)
            status = capture(into: &report)
        case .text:
            var report = TextReport(
                Output(descriptor: STDOUT_FILENO, drain: .everyRecord), settings: output.textSettings(follow: !blocks))
            status = capture(into: &report)
        }
        throw ExitCode(status)
    }

    private func capture<Report: ReportSink & ~Copyable>(into report: inout Report) -> Int32 {
        do {
            var live = try LiveInterface(name: interface ?? "", isPromiscuous: promiscuous, filter: filter)
            var recording = try write.map { path throws(CaptureFileError) in
                try Recording(path: path, interface: live.name, linkType: live.linkType)
            }
            var dissector = Dissector(
                limits: output.limits(within: output.shares), decodeAs: output.rules, seed: UInt64.random(in: .min ... .max))
            report.begin(CaptureSource(kind: .interface, name: live.name, firstPacket: 1, tool: toolName))
            report.flush()
            writeLine("unmask: listening on \(live.name), Ctrl-C ends it")
            let begun = ContinuousClock.now
            while !Interruption.stop.isStopped, report.outputError == nil, dissector.totals.packets < count ?? .max {
                if let duration, ContinuousClock.now - begun > .seconds(duration) { break }
                guard let packet = try live.next() else {
                    // A quiet moment: what was read is written.
                    try recording?.flush()
                    continue
                }
                try recording?.add(packet)
                dissector.receive(packet, sink: &report)
            }
            dissector.finish(sink: &report)
            report.finish(dissector.totals)
            let counted = live.statistics()
            try recording?.finish(counted)
            tell(counted, packets: dissector.totals.packets)
            if case .failed = report.outputError {
                writeLine("unmask: standard output: \(report.outputError?.message ?? "cannot be written")")
                return 1
            }
            return 0
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
struct Recording: ~Copyable {
    private var encoder: PcapNGEncoder
    private var file: CaptureFileOutput

    init(path: String, interface: String, linkType: LinkType) throws(CaptureFileError) {
        var encoder = PcapNGEncoder(application: toolName)
        _ = encoder.addInterface(linkType: linkType, snapshotLength: UInt32(LiveInterface.snapshotLength), name: interface)
        self.encoder = encoder
        file = try CaptureFileOutput(path: path)
    }

    mutating func add(_ packet: borrowing CapturedPacket) throws(CaptureFileError) {
        encoder.addPacket(packet.bytes, interface: 0, time: packet.time, originalLength: packet.originalLength)
        if encoder.buffer.count > 64 << 10 { try flush() }
    }

    /// Writes what was added, in whole blocks.
    mutating func flush() throws(CaptureFileError) {
        guard !encoder.buffer.isEmpty else { return }
        try file.write(encoder.buffer)
        encoder.buffer.removeAll(keepingCapacity: true)
    }

    mutating func finish(_ counted: InterfaceStatistics?) throws(CaptureFileError) {
        if let counted { encoder.addStatistics(counted, time: Timestamp(nanoseconds: 0)) }
        try flush()
    }
}
