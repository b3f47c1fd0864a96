import NIOCore
import NIOPosix

/// Where the store is read: on one thread, as each has a connection of its own to the store; or at once by the caller (`DetachedConsole`).
struct Worker: Sendable {
    private let pool: NIOThreadPool?

    /// Has no thread: the work is done when the call returns.
    static let caller = Worker(pool: nil)

    /// Has a thread, until `shutDown`.
    static func thread() -> Worker {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        return Worker(pool: pool)
    }

    func submit(_ work: @escaping @Sendable () -> Void) {
        guard let pool else { return work() }
        pool.submit { if $0 == .active { work() } }
    }

    func run<Result: Sendable>(for loop: any EventLoop, _ work: @escaping @Sendable () throws -> Result) -> EventLoopFuture<Result> {
        guard let pool else { return loop.makeCompletedFuture(withResultOf: work) }
        return pool.runIfActive(eventLoop: loop, work)
    }

    /// - Parameter done: called once the thread has ended.
    func shutDown(_ done: @escaping @Sendable () -> Void) {
        guard let pool else { return done() }
        pool.shutdownGracefully { _ in done() }
    }
}
