import Dissection
import Libc

/// A key log file that may grow while it is read: each call reads what was appended since the one before.
///
/// A file that is replaced or begins anew (it is shorter than what was read) is read from its beginning; secrets that are known stay known.
///
/// Bounded, so that a device or a wrong name (`--keys /dev/zero`) does not keep its reader: see `KeyLogBounds`.
package struct KeyLogFile: ~Copyable {
    /// Why a file is not read.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        /// The call that failed, and `errno`.
        case system(call: String, code: CInt)
        /// The bytes are not those of a key log, or are more than one has.
        case unfit(KeyLogBounds.Excess)

        package var description: String {
            switch self {
            // The system's words.
            case .system(_, let code): unsafe String(cString: strerror(code))
            case .unfit(let excess): excess.description
            }
        }
    }

    private let path: String
    private var descriptor: CInt
    private var offset: Int64 = 0
    private var bounds = KeyLogBounds()
    private var identity: (device: UInt64, number: UInt64) = (0, 0)
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// Opens the file; a FIFO without a writer does not make it wait.
    package init(path: String) throws(Failure) {
        self.path = path
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(call: "open", code: errno) }
        identity = Self.identity(of: descriptor) ?? (0, 0)
    }

    deinit { close(descriptor) }

    /// Reads on to the end that the file has now, and gives it to the secrets.
    ///
    /// - Parameters:
    ///   - limit: bytes that one call reads at most.
    ///   - waits: whether to wait for the writer of a FIFO, which may not have begun (`--keys <(…)`).
    /// - Returns: The number of bytes read.
    @discardableResult
    package mutating func read(into secrets: KeyLogSecrets, limit: Int = .max, waits: Bool = false) throws(Failure) -> Int {
        var total = 0
        beginAnewIfShortened(secrets)
        bounds.begin(secrets.counts)
        while total < limit {
            // The kernel writes at most what the buffer takes.
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Libc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN {
                    if waits, isReadable() { continue }
                    break
                }
                throw .system(call: "read", code: errno)
            }
            if count == 0 {
                // What was appended before the file was replaced has been read.
                guard isReopened(secrets) else { break }
                continue
            }
            offset += Int64(count)
            total += count
            secrets.receive(buffer.rawBytes.extracting(0..<count))
            var checked = bounds
            let excess = checked.excess(after: buffer.rawBytes.extracting(0..<count), secrets.counts)
            bounds = checked
            if let excess { throw .unfit(excess) }
        }
        return total
    }

    /// Milliseconds that the writer of a FIFO may be silent: as long as a connection waits for its keys. A program that keeps it open does not
    /// keep its reader.
    private static let longestSilence: CInt = 2_000

    /// Waits for more bytes, or for the end; false where neither came, or a signal came first.
    private func isReadable() -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, Self.longestSilence) > 0
    }

    private mutating func beginAnewIfShortened(_ secrets: KeyLogSecrets) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int64(status.st_size) < offset else { return }
        secrets.finish()
        (offset, bounds) = (0, KeyLogBounds())
        lseek(descriptor, 0, SEEK_SET)
    }

    /// Opens the file that has the name now, where it is another one.
    private mutating func isReopened(_ secrets: KeyLogSecrets) -> Bool {
        let fresh = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard fresh >= 0 else { return false }
        guard let found = Self.identity(of: fresh), found != identity else {
            close(fresh)
            return false
        }
        secrets.finish()
        close(descriptor)
        descriptor = fresh
        identity = found
        (offset, bounds) = (0, KeyLogBounds())
        return true
    }

    /// Whether what is read of a file is gone for others who read it: it is there, and a pipe or the like.
    package static func isForOneReader(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    private static func identity(of descriptor: CInt) -> (device: UInt64, number: UInt64)? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return (UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino))
    }
}
