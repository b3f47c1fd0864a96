/// Tells the person who runs a proxy what cannot be written, once, and says when it is time to try again.
package struct OutputTrouble: ~Copyable {
    /// One thing that is written, and what is wrong with it.
    private struct State {
        /// Such as `the records`.
        let subject: String
        /// `is` or `are`.
        let verb: String
        var target: OutputPlan.Target
        var error: OutputError?
        /// The moment of the last line about a reader that is slow, which may come and go many times a second.
        var lastBlocked: Int64?
        /// Whether it was told that it cannot be written, so that it has to be told that it can be again.
        var isTold = false

        /// Takes note of an error or its end, and tells what is new.
        mutating func look(at new: OutputError?, _ leftOut: UInt64, lastTry: inout Int64, _ tell: (String) -> Void) {
            guard new != error else { return }
            let now = MonotonicTime.nanoseconds
            if error == nil { lastTry = now }
            defer { error = new }
            switch (error, new) {
            case (nil, .blocked):
                if let lastBlocked, now - lastBlocked < OutputTrouble.slowPause { return }
                lastBlocked = now
                isTold = true
                guard target.outlet.isLossy else { return }
                tell("\(target.outlet.name) is not read fast enough; \(target.form.unit.several) that do not fit are left out and counted")
            case (nil, let problem?):
                isTold = true
                tell("\(subject) cannot be written: \(problem.message); the conversations go on, and writing is tried again")
            case (_?, nil):
                guard isTold else { return }
                isTold = false
                tell("\(subject) \(verb) written again; \(target.counted(leftOut)) left out")
            case (_, _): return
            }
        }
    }

    private var states: [State] = []
    private var lastTry: Int64 = 0
    private let tell: @Sendable (String) -> Void
    private let readerGone: @Sendable () -> Void

    /// Between two tries.
    private static let pause: Int64 = 1_000_000_000
    /// Between two lines about a slow reader.
    private static let slowPause: Int64 = 10_000_000_000

    /// - Parameters:
    ///   - tell: takes a line for the user.
    ///   - readerGone: called once when nobody reads what is shown any more.
    package init(
        _ plan: OutputPlan, tell: @escaping @Sendable (String) -> Void, readerGone: @escaping @Sendable () -> Void
    ) {
        self.tell = tell
        self.readerGone = readerGone
        let hasOneLog = plan.targets.count { $0.role == .log } < 2
        for target in plan.targets {
            switch target.role {
            case .shown:
                let (noun, verb) = target.form.subject
                states.append(State(subject: noun, verb: verb, target: target))
            case .log: states.append(State(subject: hasOneLog ? "the log" : "the log \(target.outlet.name)", verb: "is", target: target))
            case .recording: states.append(State(subject: "the recording", verb: "is", target: target))
            }
        }
    }

    /// Whether something cannot be written and it is time to try again; it counts as tried.
    package var isDue: Bool {
        mutating get {
            guard states.contains(where: { $0.error != nil }) else { return false }
            let now = MonotonicTime.nanoseconds
            // Whether a reader takes something again costs little to find out.
            guard states.contains(where: { $0.error == .blocked }) || now - lastTry >= OutputTrouble.pause else { return false }
            lastTry = now
            return true
        }
    }

    /// An output goes on in another place.
    package mutating func move(_ index: Int, to outlet: Outlet) { states[index].target.outlet = outlet }

    /// Makes the next try due.
    package mutating func retryNow() { lastTry = 0 }

    /// Looks at what writing came to, and tells what is new.
    ///
    /// - Parameter leftOut: of each output that can be written to again, what was left out.
    package mutating func look(at line: borrowing OutputLine, leftOut: [UInt64]? = nil) {
        for index in states.indices {
            let error = line.error(of: index)
            // Who closes standard output has seen enough.
            if states[index].target.role == .shown, error == .readerGone {
                if states[index].error != .readerGone { readerGone() }
                states[index].error = .readerGone
            } else {
                states[index].look(at: error, leftOut?[index] ?? 0, lastTry: &lastTry, tell)
            }
        }
    }

    /// Tells at the end what was never written.
    ///
    /// - Returns: Whether something is missing that the user has not agreed to lose.
    package func tellLoss(_ line: borrowing OutputLine) -> Bool {
        var isComplete = true
        for shortfall in line.shortfalls { tell(shortfall) }
        for (index, state) in states.enumerated() {
            let loss = line.unwritten(by: index)
            guard loss > 0, state.target.role != .shown || state.error != .readerGone else { continue }
            let (outlet, lost) = (state.target.outlet, state.target.counted(loss))
            // Only a slow reader is what the user has agreed to lose records to.
            if outlet.isLossy, state.error == nil || state.error == .blocked {
                tell("\(lost) left out, because \(outlet.name) was not read fast enough")
            } else {
                tell("\(lost) could not be written to \(outlet.name)")
                isComplete = false
            }
        }
        return !isComplete
    }
}
