import Libc

extension CaptureReader {
    /// Whether an input cannot be opened as far as its name tells, looked at before anything is done that cannot be undone.
    ///
    /// Nothing is taken from it: whoever writes into a FIFO would notice that it was opened and left.
    package static func cannotOpen(_ path: String) -> Bool {
        guard path != "-" else { return false }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return true }
        guard status.st_mode & S_IFMT == S_IFREG else { return unsafe access(path, R_OK) != 0 || status.st_mode & S_IFMT == S_IFDIR }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return true }
        close(descriptor)
        return false
    }
}
