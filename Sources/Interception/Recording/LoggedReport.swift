import Dissection
import Reports

/// A report, and beside it the log of records, if there is one. Each has its own output and its own trouble.
struct LoggedReport<Shown: ReportSink & ~Copyable>: ConversationSink, ~Copyable {
    /// Who gets the events.
    enum Audience {
        case both, shown, log
    }

    var shown: Shown
    var log: RecordReport?
    var audience = Audience.both

    init(_ shown: consuming Shown, log: consuming RecordReport?) {
        self.shown = shown
        self.log = log
    }

    var takesFrames: Bool {
        if shown.takesFrames { return true }
        return switch log {
        case .some(let log): log.takesFrames
        case .none: false
        }
    }

    /// Whether one of them waits for another try.
    var isHeldUp: Bool {
        if shown.isHeldUp { return true }
        return switch log {
        case .some(let log): log.isHeldUp
        case .none: false
        }
    }

    /// Why nothing more can be written to the log.
    var logError: OutputError? {
        switch log {
        case .some(let log): log.outputError
        case .none: nil
        }
    }

    /// What was not written to the log so far.
    var unloggedRecords: UInt64 {
        switch log {
        case .some(let log): log.unwrittenRecords
        case .none: 0
        }
    }

    mutating func begin(_ source: CaptureSource) {
        log?.begin(source)
        shown.begin(source)
    }

    @inline(__always)
    mutating func receive(_ event: borrowing ConversationEvent) {
        if audience != .shown { log?.receive(event) }
        if audience != .log { shown.receive(event) }
    }

    mutating func finish(_ totals: Totals) {
        log?.finish(totals)
        shown.finish(totals)
    }

    /// The log first: what is shown has happened, also for whoever kills the program as soon as it is.
    mutating func flush() {
        log?.flush()
        shown.flush()
    }
}
