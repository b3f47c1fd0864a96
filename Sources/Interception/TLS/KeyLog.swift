import NIOCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Appends the secrets of TLS sessions to a file, as `SSLKEYLOGFILE` has them (RFC 9850): a line a secret, for Wireshark and for `unmask read`.
///
/// Each line is one write to the kernel, whole or, on a full disk, not to be taken for whole: the next one begins on a line of its own. Nothing is
/// held back, so that the file says at each moment what can be deciphered.
package final class KeyLog: Sendable {
    fileprivate struct State {
        var descriptor: CInt
        var hasCutLine = false
        var hasFailed = false
    }

    /// The file as the user named it.
    package let path: String
    private let state: Mutex<State>
    private let tell: @Sendable (String) -> Void

    /// Opens the file to append to it; one that is made anew can be read by its owner alone.
    ///
    /// - Parameter tell: is called once, in words, when a line cannot be written; on any thread.
    /// - Throws: `TLSFileError`.
    package init(path: String, tell: @escaping @Sendable (String) -> Void) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TLSFileError(path: path, problem: String(cString: strerror(errno))) }
        self.path = path
        self.tell = tell
        state = Mutex(State(descriptor: descriptor))
    }

    deinit { _ = state.withLock { close($0.descriptor) } }

    /// Appends one line, its newline included.
    package func append(_ line: ByteBuffer) {
        let failure = state.withLock { $0.write(line) }
        if let failure { tell("\(path): \(failure); secrets of TLS sessions are missing from it") }
    }
}

extension KeyLog.State {
    /// Gives the reason of the first failure, in words.
    fileprivate mutating func write(_ line: ByteBuffer) -> String? {
        var bytes = line
        if hasCutLine {
            bytes = ByteBuffer(string: "\n")
            bytes.writeImmutableBuffer(line)
        }
        let count = bytes.readableBytes
        var written = 0
        var problem: CInt = 0
        // An interrupted write has written nothing.
        repeat {
            written = bytes.withUnsafeReadableBytes { Self.output(descriptor, $0) }
            problem = errno
        } while written < 0 && problem == EINTR
        if written == count {
            hasCutLine = false
            return nil
        }
        if written > 0 { hasCutLine = true }
        guard !hasFailed else { return nil }
        hasFailed = true
        return written < 0 ? String(cString: strerror(problem)) : "the disk took a part of a line"
    }

    private static func output(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Darwin)
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}
