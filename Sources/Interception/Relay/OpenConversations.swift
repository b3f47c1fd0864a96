import Dissection
import NIOCore
import Synchronization

/// The conversations that run, for the end of the proxy.
final class OpenConversations: Sendable {
    private struct State {
        var relays: [UInt64: NIOLoopBound<Relay>] = [:]
        var whenEmpty: EventLoopPromise<Void>?
    }

    private let state = Mutex(State())

    /// Takes note of a relay until its conversation is over. To be called on its event loop.
    func add(_ relay: Relay, on loop: any EventLoop) {
        let number = relay.conversation
        let bound = NIOLoopBound(relay, eventLoop: loop)
        state.withLock { $0.relays[number] = bound }
        relay.onEnd = { [unowned self] in remove(number) }
    }

    private func remove(_ number: UInt64) {
        let waiting: EventLoopPromise<Void>? = state.withLock { state in
            state.relays[number] = nil
            guard state.relays.isEmpty else { return nil }
            defer { state.whenEmpty = nil }
            return state.whenEmpty
        }
        waiting?.succeed()
    }

    var count: Int { state.withLock { $0.relays.count } }

    /// Succeeds when no conversation is open.
    func whenEmpty(on loop: any EventLoop) -> EventLoopFuture<Void> {
        let promise = loop.makePromise(of: Void.self)
        let isEmpty = state.withLock { state in
            if state.relays.isEmpty { return true }
            state.whenEmpty = promise
            return false
        }
        if isEmpty { promise.succeed() }
        return promise.futureResult
    }

    /// Ends every conversation.
    func stopAll(_ how: Closing.Manner, reason: String) {
        for relay in state.withLock({ Array($0.relays.values) }) {
            relay.eventLoop.execute { relay.value.stop(how, reason: reason) }
        }
    }
}
