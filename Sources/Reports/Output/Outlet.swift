import Dissection
import Libc
import Synchronization

/// An open descriptor that output is written to, and what is done while its reader takes nothing.
///
/// A write(2) to a pipe that nobody reads waits for ever, and neither can be interrupted nor can it say so. So a patient outlet never
/// waits in write(2): it writes what is taken at once, waits for more in poll(2), reports on standard error that it does, and gives up
/// shortly after the program was asked to stop. A lossy outlet does not wait at all until then.
///
/// Writing is for one thread; the rest may be called from any.
package final class Outlet: Sendable {
    /// What is done while the reader takes nothing.
    package enum Patience: Sendable {
        /// Wait for it, as `cat` does.
        case silent
        /// Wait for it, and say so.
        case telling
        /// Do not wait: whoever writes keeps what was not taken, within bounds.
        case lossy
    }

    /// How bytes are handed over.
    private enum Way {
        /// With write(2) as it is: files, and outlets that wait silently.
        case plain
        /// Through a second descriptor on the same pipe or terminal, which does not wait. The flag of the first one is not for us to
        /// change: other programs share it.
        case reopened(Int32)
        /// send(2) takes the wish not to wait with each call.
        case socket
        /// In pieces that fit once poll(2) says that something does.
        case pieces
    }

    /// What one write came to.
    package enum Step: Equatable {
        case took(Int)
        /// The reader takes nothing at the moment.
        case isFull
        case failed(errno: Int32)
    }

    package let descriptor: Int32
    /// What a person calls it: `standard output`, or a path.
    package let name: String
    package let isLossy: Bool
    private let way: Way
    private let advice: String
    private let tell: @Sendable (String) -> Void
    private let isStopping: @Sendable () -> Bool
    private let isHurried: @Sendable () -> Bool
    private let stall = Mutex(OutletStall())
    private let waits = Atomic<Bool>(false)
    private let taken = Atomic<UInt64>(0)

    /// The largest piece that a pipe takes whole or not at all is 4,096 bytes on Linux and 512 elsewhere (PIPE_BUF).
    private static let piece = 512
    /// Milliseconds between two looks at whether to go on.
    private static let look: Int32 = 50

    /// - Parameters:
    ///   - descriptor: the caller owns it. SIGPIPE and SIGXFSZ are ignored.
    ///   - advice: what the user can do about a reader that takes nothing.
    ///   - tell: takes a line for the user, on the thread that writes.
    ///   - isStopping: whether the program was asked to come to its end: one second later a reader that takes nothing is given up.
    ///   - isHurried: whether it was asked again: a reader that takes nothing is given up at once.
    package init(
        descriptor: Int32, name: String = "standard output", patience: Patience = .silent, advice: String = "",
        tell: @escaping @Sendable (String) -> Void = { _ in }, isStopping: @escaping @Sendable () -> Bool = { false },
        isHurried: @escaping @Sendable () -> Bool = { false }
    ) {
        self.descriptor = descriptor
        self.name = name
        self.advice = advice
        self.tell = tell
        self.isStopping = isStopping
        self.isHurried = isHurried
        way = patience == .silent ? .plain : Outlet.way(to: descriptor)
        if case .plain = way { isLossy = false } else { isLossy = patience == .lossy }
    }

    deinit {
        if case .reopened(let second) = way { close(second) }
    }

    private static func way(to descriptor: Int32) -> Way {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return .plain }
        switch status.st_mode & S_IFMT {
        case S_IFSOCK: return .socket
        case S_IFIFO, S_IFCHR:
            #if os(Linux)
            let second = unsafe open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            return second >= 0 ? .reopened(second) : .pieces
            #else
            // What /dev/fd opens is the same open file, which would wait for nobody any more wherever else it is open.
            return .pieces
            #endif
        case _: return .plain
        }
    }

    /// Whether it waits for its reader at the moment.
    package var isWaiting: Bool { waits.load(ordering: .relaxed) }

    /// Bytes that it has taken so far.
    package var takenBytes: UInt64 { taken.load(ordering: .relaxed) }

    /// Whether whoever writes keeps what is not taken, instead of waiting. Once the program stops, even a lossy outlet waits for a
    /// moment, so that what was kept gets out.
    package var leavesAtOnce: Bool { isLossy && !isStopping() }

    /// Writes what is taken at once.
    package func write(_ bytes: RawSpan) -> Step {
        // The system reads `count` bytes from the beginning of the span, at most as many as it has, and keeps no pointer.
        unsafe bytes.withUnsafeBytes { unsafe write($0) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Step {
        guard let start = bytes.baseAddress else { return .took(0) }
        var count = bytes.count
        var result: Int
        repeat {
            switch way {
            case .plain: result = unsafe systemWrite(descriptor, start, count)
            case .reopened(let second): result = unsafe systemWrite(second, start, count)
            case .socket: result = unsafe send(descriptor, start, count, Outlet.withoutWaiting)
            case .pieces:
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                if unsafe poll(&ready, 1, 0) == 0 { return .isFull }
                count = min(count, Outlet.piece)
                result = unsafe systemWrite(descriptor, start, count)
            }
        } while result < 0 && errno == EINTR
        if result >= 0 {
            taken.wrappingAdd(UInt64(result), ordering: .relaxed)
            if isWaiting { goesOn() }
            return .took(result)
        }
        return errno == EAGAIN || errno == EWOULDBLOCK ? .isFull : .failed(errno: errno)
    }

    /// Waits a moment for the reader, and says so after a second.
    ///
    /// - Returns: Whether to try again; false where the reader is given up.
    package func waitForReader() -> Bool {
        if !isWaiting {
            waits.store(true, ordering: .relaxed)
            stall.withLock { $0.begin() }
        }
        let isOver = stall.withLock { $0.isOver(isStopping: isStopping(), isHurried: isHurried()) }
        if isOver { return false }
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&ready, 1, Outlet.look)
        if case .plain = way { return true }
        if let since = stall.withLock({ $0.whatToTell() }) {
            // A lossy outlet waits only while the program ends, when nothing is left to be done about it.
            let advice = isLossy || advice.isEmpty ? "" : "; \(advice)"
            tell("\(name) is blocked: its reader has taken nothing since \(since)\(advice)")
        }
        return true
    }

    private func goesOn() {
        waits.store(false, ordering: .relaxed)
        if let span = stall.withLock({ $0.end() }) { tell("\(name) is read again, after \(span)") }
    }

    #if canImport(Darwin)
    private static let withoutWaiting = MSG_DONTWAIT
    #else
    private static let withoutWaiting = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    #endif
}

/// The system's `write`, under a name that does not collide with methods.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int { unsafe write(descriptor, bytes, count) }
