import NIOCore
import Synchronization

/// The clock that the WebSockets of a console share: however many they are, the event loop wakes up for one.
///
/// All of them are of one event loop.
final class LiveTicks: Sendable {
    private struct State {
        var calls: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var task: RepeatedTask?
    }

    private let state = Mutex(State())
    static let interval = TimeAmount.milliseconds(200)

    /// Has something called for an object at each tick, on the event loop, until `leave`.
    func join(_ object: AnyObject, on loop: any EventLoop, _ call: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.calls[ObjectIdentifier(object)] = call
            guard state.task == nil else { return }
            state.task = loop.scheduleRepeatedTask(initialDelay: Self.interval, delay: Self.interval) { [weak self] _ in self?.tick() }
        }
    }

    func leave(_ object: AnyObject) {
        state.withLock { state in
            guard state.calls.removeValue(forKey: ObjectIdentifier(object)) != nil, state.calls.isEmpty else { return }
            state.task?.cancel()
            state.task = nil
        }
    }

    private func tick() {
        let calls = state.withLock { Array($0.calls.values) }
        for call in calls { call() }
    }
}
