import NIOCore
import Synchronization

/// The clients whose conversations do not run yet, or not any more while they may go on to another: for the end of the proxy.
final class WaitingClients: Sendable {
    private let sessions = Mutex<[ObjectIdentifier: NIOLoopBound<ClientSession>]>([:])

    /// To be called on the session's event loop.
    func add(_ session: ClientSession) {
        let bound = NIOLoopBound(session, eventLoop: session.loop)
        sessions.withLock { $0[ObjectIdentifier(session)] = bound }
    }

    func remove(_ session: ClientSession) {
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
