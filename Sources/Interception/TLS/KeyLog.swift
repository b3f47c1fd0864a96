import Libc
import NIOCore
import Reports
import Synchronization

/// Takes a line of a key log (RFC 9850), its newline included.
package typealias SecretSink = @Sendable (ByteBuffer) -> Void

/// Appends the secrets of TLS sessions to a file, as `SSLKEYLOGFILE` has them (RFC 9850): a line a secret, for Wireshark and for `unmask read`.
///
/// Each line is one write to the kernel, whole or, on a full disk, not to be taken for whole: the next one begins on a line of its own. Nothing is
/// held back, so that the file says at each moment what can be deciphered. Lines come from the threads that relay, and those wait for nobody: what
/// the reader of a FIFO or a terminal does not take at once is lost, and counted.
package final class KeyLog: Sendable {
    fileprivate struct State {
        var descriptor: CInt
        /// A write to a disk does not wait for a reader.
        let isRegular: Bool
        var hasCutLine = false
        var lostLines: UInt64 = 0
    }

    private let file: OutputFile
    private let state: Mutex<State>
    private let tell: @Sendable (String) -> Void

    /// Opens the file to append to it. It can be read by its owner alone, and nobody else writes to it (`OutputFile`).
    ///
    /// - Parameter tell: is called once, in words, when a line cannot be written; on any thread.
    /// - Throws: `TLSFileError`.
    package init(path: String, tell: @escaping @Sendable (String) -> Void) throws {
        do { file = try OutputFile(path: path, from: .end) } catch {
            throw TLSFileError(path: path, problem: error.problem)
        }
        self.tell = tell
        state = Mutex(State(descriptor: file.descriptor, isRegular: file.isRegular))
    }

    /// The file as the user named it.
    package var path: String { file.path }

    /// Waits until the system has stored the file, and says what is missing from it. Nothing is appended after this.
    ///
    /// - Returns: Whether all is there.
    package func finish() -> Bool {
        let lost = state.withLock { state in
            // What comes from now on has nowhere to go.
            state.descriptor = -1
            return state.lostLines
        }
        let problem = file.finish()
        if let problem { tell("\(path): the end may be missing: \(problem.message)") }
        if lost > 0 { tell("\(path): \(lost) \(lost == 1 ? "secret" : "secrets") could not be written") }
        return lost == 0 && problem == nil
    }

    /// Appends one line, its newline included.
    package func append(_ line: ByteBuffer) {
        let failure = state.withLock { $0.write(line) }
        if let failure { tell("\(path): \(failure); secrets of TLS sessions are missing from it") }
    }
}

extension KeyLog.State {
    /// Gives the reason of the first failure, in words.
    fileprivate mutating func write(_ line: ByteBuffer) -> String? {
        guard descriptor >= 0 else { return nil }
        var bytes = line
        if hasCutLine {
            bytes = ByteBuffer(string: "\n")
            bytes.writeImmutableBuffer(line)
        }
        let count = bytes.readableBytes
        guard isRegular || takesLine() else { return lost("its reader does not take what is written") }
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
        return lost(written < 0 ? String(cString: strerror(problem)) : "the disk took a part of a line")
    }

    /// Gives the reason back where it is the first.
    private mutating func lost(_ reason: String) -> String? {
        lostLines &+= 1
        return lostLines == 1 ? reason : nil
    }

    /// Whether a write would not wait: a pipe that takes anything takes PIPE_BUF bytes, which a line does not reach. One without a reader
    /// says so to the write.
    private func takesLine() -> Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&ready, 1, 0) > 0
    }

    private static func output(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
        Libc.write(descriptor, bytes.baseAddress, bytes.count)
    }
}
