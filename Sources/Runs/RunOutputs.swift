import CaptureFiles
import Libc
import Reports
import Sessions

/// The outputs of a run, open: the one place where runs get theirs.
package final class RunOutputs {
    /// Where conversations come from, which decides what is done while a reader takes nothing.
    package enum Source {
        /// Files wait as long as it takes.
        case files
        /// While packets wait in the kernel, it drops what it cannot hold.
        case interface
        /// While the queue is full, conversations wait; with `isLossy` they do not.
        case proxy(isLossy: Bool)
    }

    /// Where conversations are shown.
    package enum Place {
        case standardOutput
        case standardError
        /// Only the logs and the recording have them.
        case nowhere
    }

    /// A file that takes an output beside what is shown.
    package struct LogFile {
        package var row: OutputRow
        package var path: String
        package var form: any OutputForm
        /// Its names go while the run is at it, and all of it with the run: nothing is told of that.
        package var isTemporary = false

        package init(_ row: OutputRow, path: String, form: any OutputForm) {
            (self.row, self.path, self.form) = (row, path, form)
        }
    }

    /// What is to be opened.
    package struct Request {
        package var source: Source
        package var place = Place.standardOutput
        /// What is shown.
        package var shown: any OutputForm
        package var logs: [LogFile] = []
        /// Logs go on at the end of their files.
        package var appends = false
        /// The pcapng file, and what it has.
        package var write: (path: String, form: any OutputForm)?
        /// Only the totals are shown: they may stand on standard error where standard output has the packets.
        package var showsTotals = false
        package var drain = Output.Drain.everyRecord
        /// Files that are read, which no output may overwrite.
        package var inputs: [String] = []
        /// Whether conversations with a server are left out.
        package var isIgnored: (@Sendable (_ host: String, _ port: UInt16) -> Bool)?
        package var redaction: RedactionPlan?
        /// A shell has not closed standard output (`>&-`).
        package var hasStandardOutput = true
        /// Ends the run, and the second time the wait for what is slow to read.
        package var (stop, hurry) = (StopFlag(), StopFlag())
        /// Called when records were stored in a session file, on the thread that writes.
        package var sessionHasGrown: @Sendable () -> Void = {}
        /// Takes what was stored last in the session file at a path.
        package var sessionTail: (path: String, tail: SessionTail)?
        /// Takes a line for the user.
        package var tell: @Sendable (String) -> Void = { _ in }

        package init(_ source: Source, shown: any OutputForm) { (self.source, self.shown) = (source, shown) }
    }

    private struct Log {
        let row: OutputRow
        /// Its place in the plan.
        let index: Int
        var file: OutputFile
        /// The file has records of another run before those of this one.
        var isAppended = false
        /// What writes to it, of a session file.
        var session: SessionFile?
        var isTemporary = false
        /// It was removed, and could not be opened anew when that was asked for: what it has nobody will find.
        var isAstray = false

        /// Such as `1 record`, of what is in the file. Whoever reads an open database beside SQLite takes its locks away.
        var counted: String { session == nil ? row.counted(lines: file.lineCount) : "the session" }

        /// Says that what was written is gone.
        func tellRemoved(_ tell: (String) -> Void) { tell("unmask: \(file.path): \(counted) went to a file that is not there any more") }
    }

    package private(set) var plan: OutputPlan
    /// Raised when writing has to come to its end.
    package let ending = StopFlag()
    /// Raised when a log went to a file that nobody will find.
    private let hasLost = StopFlag()
    private let request: Request
    private var logs: [Log] = []
    private let recording: OutputFile?

    /// Opens the files; those that are there are emptied, but for logs that are appended to.
    ///
    /// - Throws: `OutputFileError`.
    package init(_ request: Request) throws(OutputFileError) {
        if request.place == .standardOutput { try RunOutputs.checkStandardOutput(request) }
        self.request = request
        var keepsTrying = false
        if case .proxy = request.source { keepsTrying = true }
        plan = OutputPlan(keepsTrying: keepsTrying)
        (plan.isIgnored, plan.redaction) = (request.isIgnored, request.redaction)
        let inputs = Set(request.inputs.compactMap { $0 == "-" ? FileIdentity(STDIN_FILENO) : FileIdentity(path: $0) })
        let shown = request.place == .standardOutput || request.write?.path == "-" ? FileIdentity(STDOUT_FILENO) : nil
        // Before any of them is emptied.
        for path in [request.write?.path].compactMap({ $0 }) + request.logs.map(\.path) where path != "-" {
            guard let file = FileIdentity(path: path) else { continue }
            if inputs.contains(file) { throw OutputFileError(path: path, problem: "this file is read; writing to it would destroy it") }
            // The shell has opened it for what is shown. What names the descriptor means to share it.
            if file == shown, DescriptorPath.number(of: path) == nil { throw OutputFileError(path: path, problem: OutputFile.isInUse) }
        }
        func open(_ path: String, from start: OutputFile.Start = .empty, sharesDescriptor: Bool = false) throws(OutputFileError)
            -> OutputFile
        {
            let reader = OutputFile.MissingReader.awaited(
                begins: { request.tell("unmask: \(path): waiting until something reads this FIFO; Ctrl-C ends it") },
                isGivenUp: { request.stop.isStopped })
            return try OutputFile(path: path, from: start, reader: reader, sharesDescriptor: sharesDescriptor)
        }
        // The shell has opened it: `>> FILE`.
        if let shown, inputs.contains(shown) {
            throw OutputFileError(
                path: "standard output", problem: "it goes to a file that is read; writing to it would destroy it. Name another file")
        }
        recording = try request.write.flatMap { write throws(OutputFileError) in write.path == "-" ? nil : try open(write.path) }
        // Where standard output takes the recording, the totals go to the other one, and nothing else is shown.
        let place = request.write?.path != "-" ? request.place : request.showsTotals ? .standardError : .nowhere
        for log in request.logs {
            let index = (place == .nowhere ? 0 : 1) + logs.count
            if log.form is SessionSettings {
                try RunOutputs.checkSession(log.path)
                let file = try open(log.path, from: .end)
                let session = try RunOutputs.session(file, appends: request.appends)
                logs.append(
                    Log(
                        row: log.row, index: index, file: file, isAppended: session.isAppended, session: session,
                        isTemporary: log.isTemporary))
                continue
            }
            let file = try open(log.path, from: request.appends ? .end : .empty, sharesDescriptor: true)
            let isAppended = request.appends ? try prepare(file, log.row) : false
            logs.append(Log(row: log.row, index: index, file: file, isAppended: isAppended))
        }
        if place != .nowhere {
            let shown =
                place == .standardOutput
                ? outlet(STDOUT_FILENO, "standard output", as: .shown)
                : outlet(STDERR_FILENO, "standard error", as: request.write?.path == "-" ? .log : .shown)
            plan.targets.append(.init(request.shown, as: .shown, to: shown, drain: request.drain))
        }
        for (log, asked) in zip(logs, request.logs) {
            var form = asked.form
            if log.isAppended, var settings = form as? RecordSettings {
                settings.isAppended = true
                form = settings
            }
            if let session = log.session, var settings = form as? SessionSettings {
                settings.isAppended = log.isAppended
                let tail = request.sessionTail.flatMap { $0.path == asked.path ? $0.tail : nil }
                settings.makeStore = { [stored = request.sessionHasGrown] in session.makeStore(tail: tail, stored: stored) }
                form = settings
            }
            plan.targets.append(.init(form, as: .log, to: outlet(log.file.descriptor, log.file.path, as: .log), drain: request.drain))
        }
        guard let write = request.write else { return }
        plan.targets.append(
            .init(
                write.form, as: .recording,
                to: outlet(recording?.descriptor ?? STDOUT_FILENO, recording?.path ?? "standard output", as: .recording)))
    }

    /// Refuses what is no session file before it is opened, which would take the rights of others to it.
    private static func checkSession(_ path: String) throws(OutputFileError) {
        guard FileIdentity(path: path) != nil else { return }
        do { try SessionFile.check(path) } catch { throw OutputFileError(path: path, problem: error.problem) }
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
    private func prepare(_ file: OutputFile, _ row: OutputRow) throws(OutputFileError) -> Bool {
        let found = try LogContinuation.prepare(file, as: row.isText ? .text : .records)
        if found.cutBytes > 0 {
            request.tell("unmask: \(file.path): half a record at its end, \(found.cutBytes) B of a run that was killed, was cut off")
        }
        if found.isEnded { request.tell("unmask: \(file.path): the last line was not ended; a line feed was added") }
        return found.hasContent
    }

    /// Looks at whether there is a standard output, before any file is emptied. Where a shell has closed it (`>&-`) and the conversations go to a
    /// file, they need not go there as well.
    private static func checkStandardOutput(_ request: Request) throws(OutputFileError) {
        guard !request.hasStandardOutput else { return }
        guard request.logs.contains(where: { !$0.isTemporary }) || request.write.map({ $0.path != "-" }) ?? false else {
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
        switch request.source {
        case .files: patience = .silent
        case .interface: break
        case .proxy(let isLossy):
            let isShown = role == .shown
            // A log has all of it, so that nobody has to wait for the terminal.
            if isLossy || (isShown && logs.contains { !$0.isTemporary }) { patience = .lossy }
            advice = "conversations stall when the queue is full. Let it be read, or start the proxy with "
            if isShown { advice += "--log FILE, which writes the records to a file, or " }
            advice += "--lossy, which leaves out and counts what does not fit"
        }
        let ending = ending
        return Outlet(
            descriptor: descriptor, name: name, patience: patience, advice: advice,
            tell: { [tell = request.tell] in tell("unmask: \($0)") },
            isStopping: { [stop = request.stop] in ending.isStopped || stop.isStopped },
            isHurried: { [hurry = request.hurry] in hurry.isStopped })
    }

    /// Opens the logs anew whose files were moved away or removed, as logrotate does before it sends SIGHUP. What cannot be opened goes on
    /// where it is, and the user is told.
    ///
    /// - Returns: What has to be moved, for the thread that writes.
    package func reopenLogs() -> [OutputMove] {
        var moves: [OutputMove] = []
        // A session is one file from beginning to end.
        for index in logs.indices where logs[index].file.isRegular && logs[index].session == nil {
            let (old, path) = (logs[index], logs[index].file.path)
            if let now = FileIdentity(path: path), now == FileIdentity(old.file.descriptor) { continue }
            do {
                let file = try OutputFile(path: path, from: .end)
                (logs[index].file, logs[index].isAstray) = (file, false)
                let outlet = outlet(file.descriptor, file.path, as: .log)
                plan.targets[logs[index].index].outlet = outlet
                moves.append(
                    OutputMove(index: logs[index].index, to: outlet) { [hasLost, tell = request.tell] in
                        if old.isAstray {
                            old.tellRemoved(tell)
                            hasLost.stop()
                        }
                        _ = RunOutputs.isStored(old.file, tell)
                    })
            } catch {
                logs[index].isAstray = old.file.isRemoved
                let removed = logs[index].isAstray ? ", which is not there any more: what is written to it will be lost" : ""
                request.tell("unmask: \(error); the log goes on in the file that it has\(removed); the next SIGHUP tries again")
            }
        }
        return moves
    }

    /// Makes session files whole by themselves that something of this process was still reading when their run ended.
    package func settleSessions() { for log in logs where !log.isTemporary { log.session?.makeStore().finish() } }

    /// Waits until the system has stored the files.
    ///
    /// - Returns: Whether it has; otherwise it was said what is missing.
    package func finish() -> Bool {
        var isComplete = !hasLost.isStopped
        for log in logs where log.file.isRemoved && !log.isTemporary {
            log.tellRemoved(request.tell)
            isComplete = false
        }
        for file in logs.filter({ !$0.isTemporary }).map(\.file) + [recording].compactMap(\.self)
        where !RunOutputs.isStored(file, request.tell) { isComplete = false }
        return isComplete
    }

    private static func isStored(_ file: OutputFile, _ tell: (String) -> Void) -> Bool {
        guard let problem = file.finish() else { return true }
        tell("unmask: \(file.path): the end may be missing: \(problem.message)")
        return false
    }
}

/// The system's `open`, under a name that does not collide with methods.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
