import Libc
import Reports

/// Standard output, where a shell has redirected it to a file.
struct StandardOutputFile {
    /// Where the next byte goes: what is before was written by others.
    let start: Int64

    /// Looks at standard output and locks it.
    ///
    /// - Returns: nil where it is no file.
    /// - Throws: `OutputFileError` where another process writes to the file.
    static func take() throws(OutputFileError) -> StandardOutputFile? {
        guard FileIdentity(STDOUT_FILENO) != nil else { return nil }
        guard OutputFile.lock(STDOUT_FILENO) else {
            throw OutputFileError(path: "standard output", problem: OutputFile.isInUse)
        }
        let appends = fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND != 0
        let start = lseek(STDOUT_FILENO, 0, appends ? SEEK_END : SEEK_CUR)
        return StandardOutputFile(start: Int64(max(0, start)))
    }

    /// Gives the lock back, also for those who have inherited the descriptor.
    func release() { OutputFile.unlock(STDOUT_FILENO) }
}
