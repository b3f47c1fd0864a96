#if os(Linux)
import CaptureFiles
import CertificateAuthority
import Decryption
import Dissection
import Interception
import Libc
import LiveCapture
import Reports
import Runs

/// One run of `unmask run --watch`: a program in a control group of its own, the packets of that group, and the keys that the program writes.
struct WatchRun {
    let wish: RunWish
    let output: OutputOptions
    let console: ConsoleOptions
    /// The program and its arguments.
    let words: [String]
    /// What has Java write its keys, if the user has named it.
    let agent: JavaAgent?
    /// Seconds that open connections get when the program has ended.
    let grace: Double

    /// Nanoseconds that a packet waits before it is read: the time that a program takes to write the keys for it.
    private static let delay: Int64 = 20_000_000
    /// How long nothing has to come, after the program, for open connections to be taken as over.
    private static let quiet = Duration.milliseconds(200)

    /// Gives the exit status.
    func run() -> Int32 {
        RunBeginning.run(words, hasLogs: !output.logs.isEmpty, explain: Self.words(of:)) { program, folder, files in
            try run(program, in: folder, files: files)
        }
    }

    /// What is said of an error of the capture.
    private static func words(of error: any Error) -> String? {
        guard let error = error as? LiveCaptureError else { return nil }
        guard error.kind == .notPermitted else { return "--watch: \(error)" }
        return "--watch needs root: sudo unmask run --watch -- …; without root, unmask run shows programs that follow proxy settings "
            + "(\(error))"
    }

    private func run(_ program: String, in folder: borrowing RunFolder, files: Int) throws -> Int32 {
        let group = try ControlGroup()
        folder.hasGroup(group.path)
        let path = group.path
        defer {
            if !(ControlGroup.isPopulated(path) && folder.stays()), !ControlGroup.remove(path) {
                writeLine("unmask: the control group \(path) could not be removed")
            }
        }
        var wish = wish
        wish.console = try console.open(for: [words[0]], saving: output.logs)
        defer { wish.console?.shutDown() }
        var live = try ProgramCapture.begin(group, without: wish.console?.ownEnds ?? [])
        let variable = { AuthorityFolder.environment($0) }
        let keyLog = try WatchedKeyLog(in: folder, variable: variable)
        let shares = output.reading.shares()
        let outputs = try output.open(wish, shares)
        let environment = RunVariables(
            keyLog: keyLog, preload: KeyPreload.place(for: folder), agent: agent, variable: variable
        ).environment()
        let arguments = CommandProcess.givenWords(last: words.count)
        let command = try group.start { try CommandProcess.start(program, arguments, environment: environment, files: files) }
        folder.isUsed(by: command.identifier)
        SignalRelay.begin(command.identifier)
        let programs = WatchedPrograms { ControlGroup.processes(of: path) }
        var sink = WatchedEvents(outputs.plan.makeLine(), programs, hasJavaAgent: agent != nil) { writeLine($0) }
        let status = watch(command, &live, keyLog, outputs, shares, &sink)
        outputs.ending.stop()
        for shortfall in sink.line.shortfalls { writeLine("unmask: \(shortfall)") }
        for loss in sink.line.losses { writeLine("unmask: \(loss)") }
        if let console = wish.console {
            console.finish()
            RunConsole.linger(after: name)
            console.shutDown()
            outputs.settleSessions()
        }
        _ = outputs.finish()
        return status
    }

    /// Reads packets until the program has ended and its connections too.
    ///
    /// - Returns: The program's status.
    private func watch(
        _ command: CommandProcess, _ live: inout ProgramCapture, _ keyLog: WatchedKeyLog, _ outputs: RunOutputs, _ shares: MemoryShares,
        _ sink: inout WatchedEvents
    ) -> Int32 {
        let demand = sink.line.payloadDemand
        let keys = keyLog.keys(limit: output.reading.memory.bytes / 16)
        let tails = sink.line.takesWire ? keyLog.tails() : []
        var dissector = Dissector(
            limits: shares.limits(showing: demand), payloadDemand: demand, layers: keys.layers, decodeAs: output.reading.rules,
            seed: UInt64.random(in: .min ... .max))
        dissector.notesSegments = sink.line.takesWire
        sink.line.begin(
            CaptureSource(
                kind: .interface, name: ProgramCapture.name, firstPacket: 1, tool: toolName, linkType: ProgramCapture.linkType))
        sink.line.flush()
        var (status, ended, lastPacket) = (Int32?.none, ContinuousClock.now, ContinuousClock.now)
        var isCapturing = true
        while true {
            if status == nil, let now = command.status() {
                (status, ended, lastPacket) = (now, .now, .now)
                SignalRelay.end()
            }
            let isOver = status != nil
            if Interruption.wantsLogsReopened { sink.line.move(outputs.reopenLogs()) }
            if isCapturing {
                do throws(LiveCaptureError) {
                    try live.takeIn(waitingMilliseconds: live.isEmpty ? isOver ? 10 : 100 : 20)
                } catch {
                    writeLine("unmask: --watch: \(error)")
                    isCapturing = false
                }
            } else if !isOver {
                usleep(100_000)
            }
            if !live.isEmpty {
                lastPacket = .now
                if !isOver { sink.lookAtPrograms() }
            }
            for tail in tails {
                let lines = tail.lines()
                if !lines.isEmpty { sink.line.witness(RelayedEvent(.secrets, at: 0, .now, bytes: lines.span.bytes)) }
            }
            let moment = Timestamp(nanoseconds: Timestamp.now.nanoseconds - (isOver ? 0 : Self.delay))
            while live.advance(before: moment) {
                let packet = live.current
                dissector.receive(packet, sink: &sink)
                if sink.line.takesWire { sink.line.witness(packet, of: dissector.owner(of: packet)) }
            }
            if live.isEmpty { dissector.passTime(until: .now, sink: &sink) }
            sink.line.flush()
            dissector.reservedBytes = keys.heldBytes + live.heldBytes
            if isOver, live.isEmpty, isDone(sink.open, since: ended, quietSince: lastPacket) { break }
        }
        let statistics = live.statistics
        dissector.receive(droppedBySystem: statistics.droppedBySystem ?? 0, byInterface: 0, sink: &sink)
        dissector.finish(sink: &sink)
        sink.line.witness(statistics)
        sink.line.finish(dissector.totals)
        if dissector.totals.conversations == 0 { writeLine("unmask: \(name) made no TCP connection") }
        // Less is what any busy machine does to a program.
        if live.held > .milliseconds(10) {
            let (seconds, fraction) = live.held.components
            let milliseconds = seconds * 1_000 + fraction / 1_000_000_000_000_000
            writeLine("unmask: \(name) stood still for \(milliseconds) ms in all while its packets were read, so that none is dropped")
        }
        if sink.sealed > 1 { writeLine("unmask: TLS of \(sink.sealed) conversations is not decrypted") }
        return status ?? 255
    }

    /// Whether nothing is to be expected any more of a program that has ended.
    private func isDone(_ open: UInt64, since ended: ContinuousClock.Instant, quietSince last: ContinuousClock.Instant) -> Bool {
        let now = ContinuousClock.now
        return open == 0 && now - last > .milliseconds(30) || now - last > Self.quiet || now - ended > .seconds(grace)
            || Interruption.hurry.isStopped
    }

    private var name: String { words[0].split(separator: "/").last.map(String.init) ?? words[0] }
}
#endif
