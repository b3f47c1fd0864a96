import Interception
import Libc
import Reports
import Runs
import Synchronization

/// What every run of a program begins and ends with: signals, the program's path, the folder of the run, and the exit status of an error.
enum RunBeginning {
    /// The exit status where the program was never started, and not for its own fault: as env, timeout and others have it.
    private static let cannotBegin: Int32 = 125

    /// Gives the exit status.
    ///
    /// - Parameters:
    ///   - words: the program and its arguments.
    ///   - explain: the sentence for an error that the kind of run knows; nil for any other.
    ///   - body: the run, with the program's path, the folder, and the limit of open files before this program raised it.
    static func run(
        _ words: [String], hasLogs: Bool, explain: (any Error) -> String? = { _ in nil },
        _ body: (String, borrowing RunFolder, Int) throws -> Int32
    ) -> Int32 {
        TerminalSize.shown.store(STDERR_FILENO, ordering: .relaxed)
        SignalRelay.watch(hasLogs: hasLogs)
        let files = FileLimit.current
        do {
            let program = try CommandProcess.path(of: words[0])
            let folder = try RunFolder()
            let outcome: Result<Int32, any Error>
            do { outcome = .success(try body(program, folder, files)) } catch { outcome = .failure(error) }
            folder.remove()
            return try outcome.get()
        } catch let failure as CommandProcess.Failure {
            writeLine("unmask: \(failure)")
            return failure.status
        } catch {
            if let error = error as? OutputFileError, error.isInterrupted { return 130 }
            writeLine("unmask: \(explain(error) ?? "\(error)")")
            return cannotBegin
        }
    }
}
