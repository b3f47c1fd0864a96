import ArgumentParser
import CaptureFiles
import Decryption
import Dissection
import Libc
import LiveCapture
import Query
import Reports
import Runs

/// Captures and logs that are read one after another into the outputs: what `unmask read` and `unmask list` do.
struct FileReading {
    /// Captures, logs, and `-` for standard input.
    let paths: [String]
    /// A BPF expression.
    let filter: String?
    let output: OutputOptions
    let keys: KeyOptions
    /// The order of the list, where that is what is shown.
    var list: ListSettings.Order?
    /// What becomes of the packets, where they are recorded.
    var recording: PacketRecordOptions?

    /// Reads, and ends the program with the status of it.
    func run() throws {
        Interruption.watch(hasLogs: !output.logs.isEmpty)
        // From a pipe each record has to come as soon as it is known.
        let readsPipe = paths.contains("-") && StandardInput.mayGoOn
        let isLive = output.follow || isatty(STDOUT_FILENO) == 1 || readsPipe
        var wish = RunWish(source: .files, follows: output.follow, drain: isLive ? .everyRecord : .whenFull)
        wish.inputs = paths + self.keys.files
        wish.list = list
        (wish.write, wish.recording) = (recording?.write, recording?.parts)
        let shares = output.reading.shares()
        // Both readings have the same marks.
        wish.redaction = output.redaction.plan(output.payloads)
        var packetFilter: PacketFilter?
        do {
            // Before any file is emptied.
            if let filter { packetFilter = try PacketFilter(filter) }
        } catch {
            writeLine("unmask: \(error)")
            throw ExitCode(2)
        }
        if let path = recording?.inputWithoutPackets(paths, longestLine: output.reading.longestLine) {
            writeLine("unmask: \(path): \(InputLoop.hasNoPackets)")
            throw ExitCode(2)
        }
        // Somebody may write keys while a pipe brings packets.
        let keys = try keys.open(output.reading.memory, grows: readsPipe)
        do {
            var wanted = output
            // A name with a slip in it empties no log.
            if paths.allSatisfy({ CaptureReader.cannotOpen($0) }) { wanted.logs = [] }
            (wish.found, wish.packets) = find(shares, keys, hiding: wish.redaction)
            let outputs = try wanted.open(wish, shares)
            var line = outputs.plan.makeLine()
            let status = pass(keys, payloadDemand: line.payloadDemand, tells: true) { line in
                if Interruption.wantsLogsReopened { line.move(outputs.reopenLogs()) }
            }.read(into: &line, packetFilter.take())
            throw ExitCode(outputs.finish() ? status : max(1, status))
        } catch let error as OutputFileError {
            if error.isInterrupted { throw ExitCode(130) }
            writeLine("unmask: \(error)")
            throw ExitCode(1)
        }
    }

    /// One reading of all inputs.
    ///
    /// - Parameter tells: whether the user is told what is wrong with the inputs: a first reading leaves that to the second.
    private func pass(
        _ keys: CaptureKeys, payloadDemand: Int, tells: Bool, look: @escaping (inout OutputLine) -> Void = { _ in }
    ) -> FilePass {
        var settings = output.reading.settings(payloadDemand: payloadDemand, tells: tells)
        settings.window = list == nil ? output.messageWindow : nil
        let progress = Progress(isWanted: isatty(STDERR_FILENO) == 1 && (isatty(STDOUT_FILENO) == 0 || output.stats))
        return FilePass(paths, settings, keys: keys, progress: progress, tellLoss: { writeLine($0) }, look: look)
    }

    /// Reads the inputs a first time, where the filters have to know the end of a conversation before its first event is shown, and where packets are
    /// recorded: what is found later may name one that came before. Pipes can be read once: what came of a conversation is kept then until it is known. A
    /// list is written at the end anyway.
    private func find(_ shares: MemoryShares, _ keys: CaptureKeys, hiding redaction: RedactionPlan?) -> (ConversationSet?, PickedPackets?) {
        let nowhere = Outlet(descriptor: -1, name: "nowhere")
        // Regular files alone can be.
        guard list == nil, paths.allSatisfy({ $0 != "-" && FileIdentity(path: $0) != nil }) else { return (nil, nil) }
        let found = FoundConversations(mostBytes: shares.waitingLines)
        // What the second reading will ask for, so that both are told the same.
        var shown = OutputPlan(output.demandingForms(follow: output.follow, shares).map { .init($0, as: .log, to: nowhere) })
        shown.redaction = redaction
        let demand = shown.payloadDemand
        var plan = OutputPlan()
        let survey = output.survey(into: found, payloadDemand: demand)
        if let survey { plan.targets.append(.init(survey, as: .log, to: nowhere)) }
        var packets: PickedPackets?
        if let recording, !recording.decrypted || output.picksSome {
            let picked = PickedPackets(mostBytes: shares.waitingLines)
            packets = picked
            var settings = output.recordingSettings(shares)
            settings.soughtBytes = demand
            plan.targets.append(.init(PacketSurveyForm(settings, into: picked), as: .log, to: nowhere))
        }
        if plan.targets.isEmpty { return (nil, nil) }
        plan.isIgnored = output.isIgnored
        // What is hidden is not found either.
        plan.redaction = redaction
        var line = plan.makeLine()
        _ = pass(keys, payloadDemand: line.payloadDemand, tells: false).read(
            into: &line, filter.flatMap { try? PacketFilter($0) })
        if found.set.isCut || packets?.isCut == true {
            writeLine("unmask: more conversations match than --memory has room for; some are left out")
        }
        if let lost = packets?.lostComments, lost > 0 {
            writeLine("unmask: -w: \(lost) findings are not written as comments; more --memory has room for more")
        }
        return (survey == nil ? nil : found.set, packets)
    }
}
