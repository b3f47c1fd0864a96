import NIOCore
import Synchronization

/// A client whose conversation does not run yet.
protocol WaitingClient: AnyObject {
    var loop: any EventLoop { get }
    /// The proxy is stopped before the conversation runs.
    func stop()
}

/// The clients whose conversations do not run yet, or not any more while they may go on to another: for the end of the proxy.
final class WaitingClients: Sendable {
    private let sessions = Mutex<[ObjectIdentifier: NIOLoopBound<any WaitingClient>]>([:])

    /// To be called on the session's event loop.
    func add(_ session: any WaitingClient) {
        let bound = NIOLoopBound<any WaitingClient>(session, eventLoop: session.loop)
        sessions.withLock { $0[ObjectIdentifier(session)] = bound }
    }

    func remove(_ session: any WaitingClient) {
        let removed = sessions.withLock { $0.removeValue(forKey: ObjectIdentifier(session)) }
        // Outside of the lock, should it be the last who knows the session.
        withExtendedLifetime(removed) {}
    }

    var count: Int { sessions.withLock { $0.count } }

    /// Ends all of them, each with its record.
    func stopAll() {
        for session in sessions.withLock({ Array($0.values) }) {
            session.eventLoop.execute { session.value.stop() }
        }
    }
}
