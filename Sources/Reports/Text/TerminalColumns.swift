import Synchronization

/// How wide a terminal is, which changes while a program runs.
public final class TerminalColumns: Sendable {
    private let value: Atomic<Int>

    /// - Parameter columns: 0 where the width is not known, and nothing is cut.
    public init(_ columns: Int) { value = Atomic(columns) }

    /// The columns now; nil where nothing is cut. Setting them is safe in a signal handler.
    public var columns: Int? {
        get {
            let columns = value.load(ordering: .relaxed)
            return columns > 0 ? columns : nil
        }
        set { value.store(newValue ?? 0, ordering: .relaxed) }
    }
}
