import Libc

/// Why output could not be written.
public enum OutputError: Error, Hashable, Sendable {
    /// The reader of a pipe or socket went away (EPIPE): a quiet end, as `unmask … | head` wants it.
    case readerGone
    /// The reader of a pipe, socket or terminal is there and takes nothing, and is not waited for any longer.
    case blocked
    /// Another failure of write(2), with its errno.
    case failed(errno: Int32)

    init(errno code: Int32) {
        self = code == EPIPE ? .readerGone : .failed(errno: code)
    }

    /// The error in the system's words, such as `No space left on device`.
    public var message: String {
        switch self {
        case .readerGone: OutputError.words(EPIPE)
        case .blocked: "its reader takes nothing"
        case .failed(let code): OutputError.words(code)
        }
    }

    /// What the system calls an error.
    static func words(_ code: Int32) -> String {
        // The text is the system's own, and is copied at once.
        unsafe String(cString: strerror(code))
    }
}
