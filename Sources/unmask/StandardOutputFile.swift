import Libc
import Reports

/// Standard output, where a shell has redirected it to a file.
enum StandardOutputFile {
    /// Locks standard output where it is a file.
    ///
    /// - Throws: where another process writes to the file.
    static func lock() throws(OutputFileError) {
        guard FileIdentity(STDOUT_FILENO) != nil, !OutputFile.lock(STDOUT_FILENO) else { return }
        throw OutputFileError(path: "standard output", problem: OutputFile.isInUse)
    }

    /// Gives the lock back, also for those who have inherited the descriptor.
    static func release() { OutputFile.unlock(STDOUT_FILENO) }
}
