import Synchronization

/// Calls those who wait for something to grow, on the thread on which it has grown.
package final class Growth: Sendable {
    private let waiting = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])

    package init() {}

    var isAwaited: Bool { waiting.withLock { !$0.isEmpty } }

    /// Has something called for an object each time, until `leave`.
    func wait(_ object: AnyObject, _ call: @escaping @Sendable () -> Void) { waiting.withLock { $0[ObjectIdentifier(object)] = call } }

    func leave(_ object: AnyObject) { waiting.withLock { $0[ObjectIdentifier(object)] = nil } }

    /// There is more.
    package func report() {
        let calls = waiting.withLock { Array($0.values) }
        for call in calls { call() }
    }
}
