import Reports

/// Tells the person who runs the proxy what cannot be written, once, and says when it is time to try again.
struct OutputTrouble {
    /// One thing that is written, and what is wrong with it.
    private struct Target {
        /// Such as `the records`.
        let subject: String
        /// `is` or `are`.
        let verb: String
        /// What is counted, such as `records`.
        let unit: String
        /// Where it is written to.
        let outlet: Outlet?
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
                guard let outlet, outlet.isLossy else { return }
                tell("\(outlet.name) is not read fast enough; \(unit) that do not fit are left out and counted")
            case (nil, let problem?):
                isTold = true
                tell("\(subject) cannot be written: \(problem.message); the conversations go on, and writing is tried again")
            case (_?, nil):
                guard isTold else { return }
                isTold = false
                tell("\(subject) \(verb) written again; \(OutputTrouble.count(leftOut, unit)) left out")
            case (_, _): return
            }
        }
    }

    /// How much of each was not written.
    struct Losses {
        var output: UInt64 = 0
        var log: UInt64 = 0
        var recording: UInt64 = 0
    }

    /// What keeps each from being written.
    struct Errors {
        var output: OutputError?
        var log: OutputError?
        var recording: OutputError?
    }

    private let settings: RecorderSettings
    private var output: Target
    private var log: Target
    private var recording: Target
    private var lastTry: Int64 = 0

    /// Between two tries.
    private static let pause: Int64 = 1_000_000_000
    /// Between two lines about a slow reader.
    private static let slowPause: Int64 = 10_000_000_000

    init(_ settings: RecorderSettings, _ outlets: RecorderOutlets) {
        self.settings = settings
        switch settings.report {
        case .text, .stats: output = Target(subject: "the text", verb: "is", unit: "lines", outlet: outlets.output)
        case .records, .none: output = Target(subject: "the records", verb: "are", unit: "records", outlet: outlets.output)
        }
        log = Target(subject: "the log", verb: "is", unit: "records", outlet: outlets.log)
        recording = Target(subject: "the recording", verb: "is", unit: "packets", outlet: outlets.recording)
    }

    /// Whether something cannot be written and it is time to try again; it counts as tried.
    var isDue: Bool {
        mutating get {
            let errors = [output.error, log.error, recording.error]
            guard errors.contains(where: { $0 != nil }) else { return false }
            let now = MonotonicTime.nanoseconds
            // Whether a reader takes something again costs little to find out.
            guard errors.contains(.blocked) || now - lastTry >= OutputTrouble.pause else { return false }
            lastTry = now
            return true
        }
    }

    /// Makes the next try due.
    mutating func retryNow() { lastTry = 0 }

    /// Looks at what writing came to, and tells what is new.
    ///
    /// - Parameter leftOut: what was left out where writing works again.
    mutating func look(at errors: Errors, leftOut: Losses = Losses()) {
        // Who closes standard output has seen enough.
        if errors.output == .readerGone {
            if output.error != .readerGone { settings.readerGone() }
            output.error = .readerGone
        } else {
            output.look(at: errors.output, leftOut.output, lastTry: &lastTry, settings.tell)
        }
        log.look(at: errors.log, leftOut.log, lastTry: &lastTry, settings.tell)
        recording.look(at: errors.recording, leftOut.recording, lastTry: &lastTry, settings.tell)
    }

    /// Tells at the end what was never written.
    ///
    /// - Returns: Whether something is missing that the user has not agreed to lose.
    func tellLoss(_ losses: Losses) -> Bool {
        var isComplete = true
        let lostOutput = output.error == .readerGone ? 0 : losses.output
        for (target, loss) in [(output, lostOutput), (log, losses.log), (recording, losses.recording)] {
            guard loss > 0, let outlet = target.outlet else { continue }
            let lost = OutputTrouble.count(loss, target.unit)
            // Only a slow reader is what the user has agreed to lose records to.
            if outlet.isLossy, target.error == nil || target.error == .blocked {
                settings.tell("\(lost) left out, because \(outlet.name) was not read fast enough")
            } else {
                settings.tell("\(lost) could not be written to \(outlet.name)")
                isComplete = false
            }
        }
        return !isComplete
    }

    /// Such as `1 record` or `2 records`.
    private static func count(_ number: UInt64, _ unit: String) -> String { number == 1 ? "1 \(unit.dropLast())" : "\(number) \(unit)" }
}
