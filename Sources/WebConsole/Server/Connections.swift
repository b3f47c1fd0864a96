import NIOCore
import Synchronization

/// The connections of a console: at most so many, of which those that have shown the token stay.
///
/// A client that opens a thousand connections to the port pushes out its own, and not the pages of the user.
final class Connections: Sendable {
    private struct State {
        /// The oldest first.
        var strangers: [any Channel] = []
        var known: [ObjectIdentifier: any Channel] = [:]
    }

    private let state = Mutex(State())
    private let most: Int

    init(most: Int) { self.most = most }

    /// Takes a connection in.
    ///
    /// - Returns: Whether there is room for it.
    func admit(_ channel: any Channel) -> Bool {
        let (isIn, evicted) = state.withLock { state -> (Bool, (any Channel)?) in
            guard state.strangers.count + state.known.count >= most else {
                state.strangers.append(channel)
                return (true, nil)
            }
            guard !state.strangers.isEmpty else { return (false, nil) }
            let oldest = state.strangers.removeFirst()
            state.strangers.append(channel)
            return (true, oldest)
        }
        evicted?.close(promise: nil)
        return isIn
    }

    /// It has shown the token.
    func trust(_ channel: any Channel) {
        state.withLock { state in
            guard let place = state.strangers.firstIndex(where: { $0 === channel }) else { return }
            state.strangers.remove(at: place)
            state.known[ObjectIdentifier(channel)] = channel
        }
    }

    func remove(_ channel: any Channel) {
        state.withLock { state in
            state.strangers.removeAll { $0 === channel }
            state.known[ObjectIdentifier(channel)] = nil
        }
    }

    /// Closes all of them.
    func closeAll() {
        let all = state.withLock { $0.strangers + $0.known.values }
        for channel in all { channel.close(promise: nil) }
    }
}
