import Synchronization

/// A flag that a signal handler or another thread raises and that reading and live capture look at.
///
/// `stop()` does one atomic store, which is safe inside a signal handler.
public final class StopFlag: Sendable {
    private let raised = Atomic<Bool>(false)

    public init() {}

    /// Asks those that look at the flag to come to an end. Stays in force.
    public func stop() { raised.store(true, ordering: .relaxed) }

    /// Whether `stop()` was called.
    public var isStopped: Bool { raised.load(ordering: .relaxed) }
}
