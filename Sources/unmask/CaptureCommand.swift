import ArgumentParser
import CaptureFiles
import Decryption
import Dissection
import Interception
import Libc
import LiveCapture
import Reports
import Runs

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

    @OptionGroup
    var recording: PacketRecordOptions

    @OptionGroup
    var console: ConsoleOptions

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

    @OptionGroup(title: "Keys")
    var keys: KeyOptions

    func validate() throws {
        if interface == nil, !listInterfaces {
            throw ValidationError("Name an interface with -i; -D lists them.")
        }
        if let duration, !(0...OutputOptions.longestTime ~= duration) {
            throw ValidationError("--duration takes seconds from 0 to \(Int(OutputOptions.longestTime)).")
        }
        if count == 0 { throw ValidationError("-c takes a number of packets from 1.") }
        try recording.check(with: output)
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
        throw ExitCode(capture(try keys.open(output.reading.memory, grows: true)))
    }

    private func capture(_ keys: CaptureKeys) -> Int32 {
        Interruption.watch(isOrderly: true, hasLogs: !output.logs.isEmpty)
        do {
            try StandardOutputFile.lock()
            defer { StandardOutputFile.release() }
            var live = try LiveInterface(name: interface ?? "", isPromiscuous: promiscuous, filter: filter)
            let shares = output.reading.shares()
            var wish = RunWish(source: .interface, follows: !blocks, write: recording.write, recording: recording.parts)
            wish.inputs = self.keys.files
            wish.console = try console.open(for: [live.name], saving: output.logs)
            defer { wish.console?.shutDown() }
            if let own = wish.console?.ownPackets {
                let wanted = filter.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : "(\($0)) and " } ?? ""
                try live.restrict(to: "\(wanted)not (\(own))")
            }
            let outputs = try output.open(wish, shares)
            var line = outputs.plan.makeLine()
            let (packets, failure) = listen(to: &live, keys, outputs, shares, &line)
            outputs.ending.stop()
            if let failure { writeLine("unmask: \(failure)") }
            tell(live.statistics(), packets: packets)
            for shortfall in line.shortfalls { writeLine("unmask: \(shortfall)") }
            for loss in line.losses { writeLine("unmask: \(loss)") }
            if let console = wish.console {
                console.finish(problem: failure.map { "\($0)" })
                RunConsole.lingerUntilStopped()
                console.shutDown()
                outputs.settleSessions()
            }
            return outputs.finish() && line.losses.isEmpty && failure == nil ? 0 : 1
        } catch let error as LiveCaptureError {
            writeLine("unmask: \(error)")
            return error.kind == .noSuchInterface || error.kind == .badFilter ? 2 : 1
        } catch {
            if let error = error as? OutputFileError, error.isInterrupted { return 130 }
            writeLine("unmask: \(error)")
            return 1
        }
    }

    /// Takes packets until it is enough.
    ///
    /// - Returns: How many it were, and what ended it before its time.
    private func listen(
        to live: inout LiveInterface, _ keys: CaptureKeys, _ outputs: RunOutputs, _ shares: MemoryShares, _ line: inout OutputLine
    ) -> (packets: UInt64, failure: LiveCaptureError?) {
        var dissector = Dissector(
            limits: shares.limits(showing: line.payloadDemand), payloadDemand: line.payloadDemand, layers: keys.layers,
            decodeAs: output.reading.rules, seed: UInt64.random(in: .min ... .max))
        dissector.notesSegments = line.takesWire
        line.begin(
            CaptureSource(
                kind: .interface, name: live.name, firstPacket: 1, tool: toolName, linkType: live.linkType,
                snapshotLength: UInt32(LiveInterface.snapshotLength)))
        line.flush()
        writeLine("unmask: listening on \(live.name), Ctrl-C ends it")
        let begun = ContinuousClock.now
        var failure: LiveCaptureError?
        while !Interruption.stop.isStopped, !line.isOver, dissector.totals.packets < count ?? .max {
            if let duration, ContinuousClock.now - begun > .seconds(duration) { break }
            if Interruption.wantsLogsReopened { line.move(outputs.reopenLogs()) }
            do throws(LiveCaptureError) {
                guard let packet = try live.next() else {
                    // A quiet moment: what waits for its time is over, and what was read is written.
                    dissector.passTime(until: .now, sink: &line)
                    line.flush()
                    dissector.reservedBytes = keys.heldBytes
                    continue
                }
                dissector.receive(packet, sink: &line)
                if line.takesWire { line.witness(packet, of: dissector.owner(of: packet)) }
            } catch {
                failure = error
                break
            }
        }
        dissector.finish(sink: &line)
        if let counted = live.statistics() { line.witness(counted) }
        line.finish(dissector.totals)
        return (dissector.totals.packets, failure)
    }

    private func tell(_ counted: InterfaceStatistics?, packets: UInt64) {
        guard let counted else { return }
        let count = CapturedCount(
            packets: packets, droppedByKernel: counted.droppedBySystem ?? 0, droppedByInterface: counted.droppedByInterface ?? 0)
        writeLine("unmask: \(count)")
    }
}
