import CaptureFiles
import Libc
import Query
import Reports
import Sessions

/// The outputs of a run, open: the one place where `read`, `capture`, `proxy`, `run` and `demo` get theirs.
final class RunOutputs {
    /// Where conversations come from, which decides what is done while a reader takes nothing.
    enum Source {
        /// Files wait as long as it takes.
        case files
        /// While packets wait in the kernel, it drops what it cannot hold.
        case interface
        /// While the queue is full, conversations wait; with `isLossy` they do not.
        case proxy(isLossy: Bool)
    }

    /// Where conversations are shown.
    enum Place {
        case standardOutput
        case standardError
        /// Only the logs and the recording have them.
        case nowhere
    }

    /// What is asked for beside the options that every command has.
    struct Wish {
        var source: Source
        var shown = Place.standardOutput
        /// Text as lines that come as things happen, rather than as blocks.
        var follows = false
        /// Text begins by saying what is read; the command has not said it.
        var announcesSource = true
        /// Of what is shown, only the last line: what the run amounted to.
        var showsTotalsOnly = false
        /// The pcapng file.
        var write: String?
        /// It has what went over the wires of a proxy rather than what was said.
        var isSealed = false
        /// What of the packets goes into it, where they are captured ones.
        var recording: PacketRecordOptions?
        /// Each record leaves at once: somebody may be waiting for it.
        var drain = Output.Drain.everyRecord
        /// Files that are read, which no output may overwrite.
        var inputs: [String] = []
        /// The conversations that a first reading of the inputs has found.
        var found: ConversationSet?
        /// What is hidden, where another reading has to have the same marks.
        var redaction: RedactionPlan?
        /// What it has found of the packets.
        var packets: PickedPackets?
        /// The order of a list of the conversations, where that is what is shown.
        var list: ListSettings.Order?
    }

    private struct Log {
        let target: LogTarget
        /// Its place in the plan.
        let index: Int
        var file: OutputFile
        /// The file has records of another run before those of this one.
        var isAppended = false
        /// What writes to it, of a session file.
        var session: SessionFile?
        /// It was removed, and could not be opened anew when that was asked for: what it has nobody will find.
        var isAstray = false

        /// Such as `1 record`, of what is in the file. Whoever reads an open database beside SQLite takes its locks away.
        var counted: String { session == nil ? target.row.counted(lines: file.lineCount) : "the session" }

        /// Says that what was written is gone.
        func tellRemoved() { writeLine("unmask: \(file.path): \(counted) went to a file that is not there any more") }
    }

    private(set) var plan: OutputPlan
    /// Raised when writing has to come to its end.
    let ending = StopFlag()
    /// Raised when a log went to a file that nobody will find.
    private let hasLost = StopFlag()
    private let wish: Wish
    private var logs: [Log] = []
    private let recording: OutputFile?

    /// Opens the files; those that are there are emptied, but for logs that are appended to.
    ///
    /// - Throws: `OutputFileError`.
    init(_ options: OutputOptions, _ wish: Wish, _ shares: MemoryShares) throws(OutputFileError) {
        if wish.shown == .standardOutput { try RunOutputs.checkStandardOutput(options, wish) }
        self.wish = wish
        var keepsTrying = false
        if case .proxy = wish.source { keepsTrying = true }
        plan = OutputPlan(keepsTrying: keepsTrying)
        plan.isIgnored = options.isIgnored
        plan.redaction = wish.redaction ?? options.redaction.plan()
        options.redaction.tell(write: wish.write)
        let inputs = Set(wish.inputs.compactMap { $0 == "-" ? FileIdentity(STDIN_FILENO) : FileIdentity(path: $0) })
        func open(_ path: String, from start: OutputFile.Start = .empty, sharesDescriptor: Bool = false) throws(OutputFileError)
            -> OutputFile
        {
            if let file = FileIdentity(path: path), inputs.contains(file) {
                throw OutputFileError(path: path, problem: "this file is read; writing to it would destroy it")
            }
            let reader = OutputFile.MissingReader.awaited(
                begins: { writeLine("unmask: \(path): waiting until something reads this FIFO; Ctrl-C ends it") },
                isGivenUp: { Interruption.stop.isStopped })
            return try OutputFile(path: path, from: start, reader: reader, sharesDescriptor: sharesDescriptor)
        }
        // The shell has opened it: `>> FILE`.
        if wish.shown == .standardOutput || wish.write == "-", let shown = FileIdentity(STDOUT_FILENO), inputs.contains(shown) {
            throw OutputFileError(
                path: "standard output", problem: "it goes to a file that is read; writing to it would destroy it. Name another file")
        }
        recording = try wish.write.flatMap { path throws(OutputFileError) in path == "-" ? nil : try open(path) }
        // Where standard output takes the recording, the totals go to the other one, and nothing else is shown.
        let place = wish.write != "-" ? wish.shown : options.stats ? .standardError : .nowhere
        for target in options.logs {
            let index = (place == .nowhere ? 0 : 1) + logs.count
            if target.row.name == OutputRow.session.name {
                let file = try open(target.path, from: .end)
                let session = try RunOutputs.session(file, appends: options.append)
                logs.append(Log(target: target, index: index, file: file, isAppended: session.isAppended, session: session))
                continue
            }
            let file = try open(target.path, from: options.append ? .end : .empty, sharesDescriptor: true)
            let isAppended = options.append ? try RunOutputs.prepare(file, target.row) : false
            logs.append(Log(target: target, index: index, file: file, isAppended: isAppended))
        }
        if place != .nowhere {
            let shown =
                place == .standardOutput
                ? outlet(STDOUT_FILENO, "standard output", as: .shown)
                : outlet(STDERR_FILENO, "standard error", as: wish.write == "-" ? .log : .shown)
            var plain = wish.list.map { options.listForm($0, shares) } ?? options.shownForm(follow: wish.follows, shares)
            if var settings = plain as? TextSettings {
                settings.announcesSource = wish.announcesSource && !wish.showsTotalsOnly
                if wish.showsTotalsOnly { (settings.conversations, settings.follows) = (.nothing, true) }
                plain = settings
            }
            let form = options.form(plain, picking: options.picked, knowing: wish.found, shares)
            plan.targets.append(.init(form, as: .shown, to: shown, drain: wish.drain))
        }
        for log in logs {
            var form = options.logForm(log.target.row, follow: wish.follows, shares)
            form = options.logForm(form, of: log.target.row, knowing: wish.found, shares)
            if log.isAppended, var settings = form as? RecordSettings {
                settings.isAppended = true
                form = settings
            }
            if let session = log.session, var settings = form as? SessionSettings {
                settings.isAppended = log.isAppended
                settings.makeStore = { session.makeStore() }
                form = settings
            }
            plan.targets.append(.init(form, as: .log, to: outlet(log.file.descriptor, log.file.path, as: .log), drain: wish.drain))
        }
        guard wish.write != nil else { return }
        var form: any OutputForm = RelayedPacketsForm(isSealed: wish.isSealed)
        if let recording = wish.recording {
            var settings = options.recordingSettings(shares)
            (settings.found, settings.keepsSecrets) = (wish.packets, !recording.withoutSecrets)
            form = CapturedPacketsForm(settings, isDecrypted: recording.decrypted)
        }
        plan.targets.append(
            .init(
                form, as: .recording,
                to: outlet(recording?.descriptor ?? STDOUT_FILENO, recording?.path ?? "standard output", as: .recording)))
    }

    /// Opens a session file, of which the file is held and locked.
    private static func session(_ file: OutputFile, appends: Bool) throws(OutputFileError) -> SessionFile {
        guard file.isRegular, !file.isInherited else {
            throw OutputFileError(path: file.path, problem: "a session file has to be a regular file with a name of its own")
        }
        do {
            return try SessionFile(path: file.path, appends: appends)
        } catch {
            throw OutputFileError(path: file.path, problem: error.problem)
        }
    }

    /// Makes the end of a log whole that is appended to, and says what that took.
    ///
    /// - Returns: Whether there is anything in it.
    private static func prepare(_ file: OutputFile, _ row: OutputRow) throws(OutputFileError) -> Bool {
        let found = try LogContinuation.prepare(file, as: row.cut == .lines ? .text : .records)
        if found.cutBytes > 0 {
            writeLine("unmask: \(file.path): half a record at its end, \(found.cutBytes) B of a run that was killed, was cut off")
        }
        if found.isEnded { writeLine("unmask: \(file.path): the last line was not ended; a line feed was added") }
        return found.hasContent
    }

    /// Looks at whether there is a standard output, before any file is emptied. Where a shell has closed it (`>&-`) and the conversations go to a
    /// file, they need not go there as well.
    private static func checkStandardOutput(_ options: OutputOptions, _ wish: Wish) throws(OutputFileError) {
        guard !GivenDescriptors.hasStandardOutput else { return }
        guard !options.logs.isEmpty || wish.write.map({ $0 != "-" }) ?? false else {
            throw OutputFileError(
                path: "standard output", problem: "it is closed, and nothing else takes the records; let it be open, or add --log FILE")
        }
        let nowhere = systemOpen("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        _ = dup2(nowhere, STDOUT_FILENO)
        close(nowhere)
    }

    private func outlet(_ descriptor: Int32, _ name: String, as role: OutputPlan.Role) -> Outlet {
        var patience = Outlet.Patience.telling
        var advice = "the kernel drops the packets that it cannot hold"
        switch wish.source {
        case .files: patience = .silent
        case .interface: break
        case .proxy(let isLossy):
            let isShown = role == .shown
            // A log has all of it, so that nobody has to wait for the terminal.
            if isLossy || (isShown && !logs.isEmpty) { patience = .lossy }
            advice = "conversations stall when the queue is full. Let it be read, or start the proxy with "
            if isShown { advice += "--log FILE, which writes the records to a file, or " }
            advice += "--lossy, which leaves out and counts what does not fit"
        }
        let ending = ending
        return Outlet(
            descriptor: descriptor, name: name, patience: patience, advice: advice, tell: { writeLine("unmask: \($0)") },
            isStopping: { ending.isStopped || Interruption.stop.isStopped }, isHurried: { Interruption.hurry.isStopped })
    }

    /// What a guard has to look after: files whose end a kill may cut.
    var charges: [KillGuard.Charge] {
        var charges: [KillGuard.Charge] = []
        for log in logs where log.file.isRegular {
            guard let form = log.target.row.cut else { continue }
            charges.append(.init(form: form, descriptor: log.file.descriptor))
        }
        if let recording, recording.isRegular { charges.append(.init(form: .blocks, descriptor: recording.descriptor)) }
        return charges
    }

    /// Opens the logs anew whose files were moved away or removed, as logrotate does before it sends SIGHUP. What cannot be opened goes on
    /// where it is, and the user is told.
    ///
    /// - Returns: What has to be moved, for the thread that writes.
    func reopenLogs() -> [OutputMove] {
        var moves: [OutputMove] = []
        // A session is one file from beginning to end.
        for index in logs.indices where logs[index].file.isRegular && logs[index].session == nil {
            let (old, path) = (logs[index], logs[index].target.path)
            if let now = FileIdentity(path: path), now == FileIdentity(old.file.descriptor) { continue }
            do {
                let file = try OutputFile(path: path, from: .end)
                (logs[index].file, logs[index].isAstray) = (file, false)
                let outlet = outlet(file.descriptor, file.path, as: .log)
                plan.targets[logs[index].index].outlet = outlet
                moves.append(
                    OutputMove(index: logs[index].index, to: outlet) { [hasLost] in
                        if old.isAstray {
                            old.tellRemoved()
                            hasLost.stop()
                        }
                        _ = RunOutputs.isStored(old.file)
                    })
            } catch {
                logs[index].isAstray = old.file.isRemoved
                let removed = logs[index].isAstray ? ", which is not there any more: what is written to it will be lost" : ""
                writeLine("unmask: \(error); the log goes on in the file that it has\(removed); the next SIGHUP tries again")
            }
        }
        return moves
    }

    /// Waits until the system has stored the files.
    ///
    /// - Returns: Whether it has; otherwise it was said what is missing.
    func finish() -> Bool {
        var isComplete = !hasLost.isStopped
        for log in logs where log.file.isRemoved {
            log.tellRemoved()
            isComplete = false
        }
        for file in logs.map(\.file) + [recording].compactMap(\.self) where !RunOutputs.isStored(file) { isComplete = false }
        return isComplete
    }

    private static func isStored(_ file: OutputFile) -> Bool {
        guard let problem = file.finish() else { return true }
        writeLine("unmask: \(file.path): the end may be missing: \(problem.message)")
        return false
    }
}

/// The system's `open`, under a name that does not collide with methods.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
