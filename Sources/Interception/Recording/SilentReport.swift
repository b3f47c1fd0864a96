import Dissection
import Reports

/// A report for who wants only the recording.
struct SilentReport: ReportSink, ~Copyable {
    var takesFrames: Bool { false }
    var outputError: OutputError? { nil }
    mutating func begin(_ source: CaptureSource) {}
    mutating func receive(_ event: borrowing ConversationEvent) {}
    mutating func finish(_ totals: Totals) {}
    mutating func flush() {}
    var unwrittenRecords: UInt64 { 0 }
    var isHeldUp: Bool { false }
    mutating func retry() -> (error: OutputError, lostRecords: UInt64)? { nil }
}
