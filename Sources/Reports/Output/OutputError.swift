#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Why output could not be written.
public enum OutputError: Error, Hashable, Sendable {
    /// The reader of a pipe or socket went away (EPIPE): a quiet end, as `unmask … | head` wants it.
    case readerGone
    /// Another failure of write(2), with its errno.
    case failed(errno: Int32)

    init(errno code: Int32) {
        self = code == EPIPE ? .readerGone : .failed(errno: code)
    }

    /// The error in the system's words, such as `No space left on device`.
    public var message: String {
        switch self {
        case .readerGone: String(cString: strerror(EPIPE))
        case .failed(let code): String(cString: strerror(code))
        }
    }
}

/// Writes all of the bytes to a descriptor, waiting where it does not take them at once.
///
/// - Returns: The error that kept the rest from being written.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> OutputError? {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if written >= 0 {
            rest = rest.dropFirst(written)
        } else if errno == EAGAIN || errno == EWOULDBLOCK {
            var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&ready, 1, 1_000)
        } else if errno != EINTR {
            return OutputError(errno: errno)
        }
    }
    return nil
}
