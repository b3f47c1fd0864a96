import Libc

/// Standard input, as far as a reader of captures has to know it.
package enum StandardInput {
    /// Whether more may come for hours: it is a pipe, a socket or a terminal, and not a file.
    package static var mayGoOn: Bool {
        var status = stat()
        return unsafe fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }
}
