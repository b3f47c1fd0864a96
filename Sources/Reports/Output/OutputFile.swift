import Libc
import Synchronization

/// Why a file is not written to.
package struct OutputFileError: Error, CustomStringConvertible {
    package let path: String
    /// One sentence without a full stop.
    package let problem: String
    /// The user had enough of waiting; nothing is wrong with the file.
    package let isInterrupted: Bool
    /// Something else has the name that stays; other names are not concerned.
    package let isNameTaken: Bool

    package init(path: String, problem: String, isInterrupted: Bool = false, isNameTaken: Bool = false) {
        self.path = path
        self.problem = problem
        self.isInterrupted = isInterrupted
        self.isNameTaken = isNameTaken
    }

    package var description: String { "\(path): \(problem)" }
}

/// A file for what only its owner may read: a log, a recording, secrets of sessions.
///
/// ```
/// a new file               mode 0600
/// a file that is ours      made 0600, locked, then emptied or appended to
/// a file of somebody else  refused
/// a symbolic link          refused; /dev/stdout, /dev/stderr and /dev/fd/N are taken for the descriptor that they stand for
/// FIFO, device             as it is
/// ```
///
/// The lock (flock(2)) is advisory, and is the one that other runs of this program look at. It is held until `finish`, or until every
/// process that has inherited the descriptor is gone.
package final class OutputFile: Sendable {
    /// Where writing starts.
    package enum Start: Sendable {
        /// What was there is removed, but for what stands behind a descriptor that is named.
        case empty
        /// After what is there; each write goes to the end.
        case end
    }

    /// What is done about a FIFO that has no reader yet.
    package enum MissingReader {
        case refused
        /// It is looked for again and again.
        ///
        /// - Parameters:
        ///   - begins: called once, to say so.
        ///   - isGivenUp: whether the user has had enough.
        case awaited(begins: () -> Void, isGivenUp: () -> Bool)
    }

    package let path: String
    package let descriptor: Int32
    /// Whether it can be locked, cut and read again: a file on a disk.
    package let isRegular: Bool
    /// The path stands for a descriptor that somebody else has opened, whatever that is by now.
    package let isInherited: Bool
    /// Somebody else's descriptor stands for the same open file, and needs its lock.
    private let isShared: Bool
    private let isOpen = Atomic<Bool>(true)

    /// Tries to lock a file until a process that was killed has let go of it.
    private static let lockTries = 20
    private static let lockPause = 50_000_000
    /// Nanoseconds between two looks at whether a FIFO has a reader: nothing tells of one.
    private static let readerPause = 20_000_000

    /// Opens the file, and makes it if it is not there.
    ///
    /// - Parameters:
    ///   - reader: what is done about a FIFO that nobody reads.
    ///   - sharesDescriptor: whether the lines of another output may stand between the lines of this one: where the path stands for a descriptor, that
    ///     one is written to, with its lock and its place in the file, and what is there stays.
    package init(path: String, from start: Start, reader: MissingReader = .refused, sharesDescriptor: Bool = false) throws(OutputFileError)
    {
        let shared = sharesDescriptor ? DescriptorPath.copy(of: path) : nil
        isShared = shared != nil
        isInherited = shared != nil || DescriptorPath.number(of: path) != nil
        // At the end, wherever that is by then: whoever rotates a log by copying it cuts it off meanwhile.
        var flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND
        if !isInherited { flags |= O_NOFOLLOW }
        // An open(2) that waits for a reader could not say so.
        let descriptor: Int32
        if let shared { descriptor = shared } else { descriptor = try OutputFile.open(path, flags | O_NONBLOCK, reader) }
        self.path = path
        self.descriptor = descriptor
        var status = stat()
        isRegular = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        if shared == nil { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) }
        guard isRegular else { return }
        if let problem = isInherited ? nil : OutputFile.makePrivate(descriptor, status) {
            throw OutputFileError(path: path, problem: problem)
        }
        guard OutputFile.lock(descriptor) else { throw OutputFileError(path: path, problem: OutputFile.isInUse) }
        // Who has opened a descriptor for us has emptied the file, or wants what is in it.
        if start == .empty, !isInherited, ftruncate(descriptor, 0) != 0 {
            throw OutputFileError(path: path, problem: "the file cannot be emptied: \(OutputError.words(errno))")
        }
    }

    /// Opens without waiting, but for the reader of a FIFO where that is wanted.
    private static func open(_ path: String, _ flags: Int32, _ reader: MissingReader) throws(OutputFileError) -> Int32 {
        var hasBegun = false
        while true {
            let descriptor = systemOpen(path, flags, 0o600)
            if descriptor >= 0 { return descriptor }
            let code = errno
            if code == EINTR { continue }
            guard code == ENXIO, isFIFO(path), case .awaited(let begins, let isGivenUp) = reader else {
                throw OutputFileError(path: path, problem: problem(code, path))
            }
            if isGivenUp() { throw OutputFileError(path: path, problem: "interrupted; the FIFO has no reader", isInterrupted: true) }
            if !hasBegun { begins() }
            hasBegun = true
            var pause = timespec(tv_sec: 0, tv_nsec: readerPause)
            unsafe nanosleep(&pause, nil)
        }
    }

    private static func isFIFO(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    deinit { _ = leave() }

    /// Waits until the system has stored what was written, and closes the file. Nothing may be written afterwards.
    ///
    /// - Returns: Why what was written may not be there.
    package func finish() -> OutputError? {
        guard isOpen.load(ordering: .relaxed) else { return nil }
        var problem: Int32 = 0
        if isRegular, fsync(descriptor) != 0, errno != EINVAL, errno != EINTR { problem = errno }
        let closing = leave()
        if problem == 0 { problem = closing }
        return problem == 0 ? nil : OutputError(errno: problem)
    }

    /// Gives the lock back and closes; an errno.
    private func leave() -> Int32 {
        guard isOpen.exchange(false, ordering: .relaxed) else { return 0 }
        if isRegular, !isShared { OutputFile.unlock(descriptor) }
        return close(descriptor) == 0 || errno == EINTR ? 0 : errno
    }

    /// What a user is told where another process writes to the same file.
    package static let isInUse = "the file is in use: another unmask process, or another output of this one, writes to it"

    /// Locks a file for the one who has the descriptor, and whoever inherits it.
    ///
    /// - Returns: Whether nobody else has it locked. True for what cannot be locked.
    package static func lock(_ descriptor: Int32) -> Bool {
        for _ in 0..<lockTries {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK { return true }
            var pause = timespec(tv_sec: 0, tv_nsec: lockPause)
            unsafe nanosleep(&pause, nil)
        }
        return false
    }

    /// Gives back what `lock` took, also for those who have inherited the descriptor.
    package static func unlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    /// Takes everybody else's rights to a file that is ours; gives the reason why that is not so.
    private static func makePrivate(_ descriptor: Int32, _ status: stat) -> String? {
        guard status.st_uid == geteuid() else {
            return
                "the file belongs to another user (uid \(status.st_uid)), who could read what is written; remove it or choose another name"
        }
        guard status.st_mode & 0o077 != 0, fchmod(descriptor, 0o600) != 0 else { return nil }
        return "other users can read the file, and its mode cannot be changed: \(OutputError.words(errno))"
    }

    private static func problem(_ code: Int32, _ path: String) -> String {
        var status = stat()
        if code == ELOOP, unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
            return "the path is a symbolic link, which is not followed; name the file itself"
        }
        if code == ENXIO, isFIFO(path) {
            return "the FIFO has no reader; start its reader first"
        }
        let advice = code == ENOENT ? "; the folder has to exist" : ""
        return "cannot be opened for writing: \(OutputError.words(code))\(advice)"
    }
}

/// The system's `open`, under a name that does not collide with methods.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { unsafe open(path, flags, mode) }
