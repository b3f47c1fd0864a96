import Reports

/// The files of a proxy run, beside standard output.
struct RecordingPlan {
    /// The pcapng file.
    var write: String?
    /// The file of records.
    var log: String?
    /// Leave out what a slow reader does not take, instead of waiting for it.
    var isLossy = false
    /// Text: a block for each conversation at its end, instead of lines as they come.
    var blocks = false
}

/// The files of a proxy run, open.
struct RecordingFiles: Sendable {
    let write: OutputFile?
    let log: OutputFile?

    /// Opens them; those that are there are emptied.
    init(_ plan: RecordingPlan) throws(OutputFileError) {
        write = try plan.write.map { path throws(OutputFileError) in try OutputFile(path: path, from: .empty) }
        log = try plan.log.map { path throws(OutputFileError) in try OutputFile(path: path, from: .empty) }
    }

    /// What a guard has to look after.
    var charges: [KillGuard.Charge] {
        var charges: [KillGuard.Charge] = []
        if let log, log.isRegular { charges.append(.init(form: .records, descriptor: log.descriptor)) }
        if let write, write.isRegular { charges.append(.init(form: .blocks, descriptor: write.descriptor)) }
        return charges
    }

    /// Waits until the system has stored them.
    ///
    /// - Returns: Whether it has; otherwise it was said what is missing.
    func finish() -> Bool {
        var isComplete = true
        for file in [log, write].compactMap(\.self) {
            guard let problem = file.finish() else { continue }
            writeLine("unmask: \(file.path): the end may be missing: \(problem.message)")
            isComplete = false
        }
        return isComplete
    }
}
