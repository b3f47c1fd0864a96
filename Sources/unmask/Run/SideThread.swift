#if os(Linux)
import Libc
import Synchronization

/// A thread for work that has to be done in surroundings of its own, such as another network namespace, which on Linux belong to a thread. What
/// it starts is in the same surroundings.
final class SideThread: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private let work = Mutex<(@Sendable () -> Void)?>(nil)
    private let wanted = Signal()
    private let done = Signal()
    private let turn = Mutex<Void>(())

    /// Starts it; it waits for work until the process ends.
    ///
    /// - Throws: `Failure` where the system has no thread left.
    init() throws(Failure) {
        var thread = pthread_t()
        let status = pthread_create(&thread, nil, { SideThread.body($0) }, Unmanaged.passRetained(self).toOpaque())
        guard status == 0 else { throw Failure(description: "cannot start a thread: \(String(cString: strerror(status)))") }
    }

    /// Has it do something, and waits until that is done. May be called on any other thread.
    func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let outcome = Outcome<Value>()
        turn.withLock { _ in
            work.withLock { $0 = { outcome.value.withLock { $0 = Result(catching: body) } } }
            wanted.raise()
            done.wait()
        }
        guard let result = outcome.value.withLock({ $0 }) else { throw Failure(description: "the thread has ended") }
        return try result.get()
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Result<Value, any Error>?>(nil)
    }

    private static func body(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        pthread_detach(pthread_self())
        // Signals are for the thread that waits for them.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        let thread = Unmanaged<SideThread>.fromOpaque(argument).takeRetainedValue()
        while true {
            thread.wanted.wait()
            thread.work.withLock { $0.take() }?()
            thread.done.raise()
        }
    }

    /// Raised by one thread, waited for by another (sem_overview(7)).
    private final class Signal: Sendable {
        private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

        init() {
            semaphore = .allocate(capacity: 1)
            sem_init(semaphore, 0, 0)
        }

        deinit { semaphore.deallocate() }

        func raise() { sem_post(semaphore) }
        func wait() { while sem_wait(semaphore) != 0 && errno == EINTR {} }
    }
}
#endif
