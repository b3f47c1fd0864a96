import Dissection
import Reports

/// What a recorder does with what it is told.
package struct RecorderSettings: Sendable {
    /// What is printed.
    package enum Report: Sendable {
        case records(RecordSettings)
        case text(TextSettings)
        /// The totals alone, of one conversation or of all.
        case stats(conversation: UInt64?)
        case none
    }

    package var report: Report
    /// The descriptor that the report is written to; the caller owns it.
    package var output: Int32
    /// Where a log of records goes beside the report; the caller owns it, and finishes it after the recorder.
    package var log: OutputFile?
    /// What the log has of each conversation.
    package var logSettings = RecordSettings()
    /// Where the pcapng recording goes; the caller owns it, and finishes it after the recorder.
    package var recording: OutputFile?
    /// Whether the reader of a pipe, socket or terminal is never waited for: what it does not take in time is left out and counted. The
    /// report is left out like that too where there is a log, which has all of it.
    package var isLossy = false
    package var limits = Limits()
    /// What to take conversations for, by port, instead of recognising them.
    package var rules: [DecodeRule] = []
    /// The name and version of the program.
    package var tool: String
    /// The addresses that the proxy listens at, as the `capture` record names them.
    package var sourceName: String
    /// Bytes that wait to be recorded, those that are being recorded included; over it `hasRoom` is false.
    package var queueBytes = 16 << 20
    /// Events that wait, in the same way.
    package var queueEvents = 65_536
    /// Whether the program was asked to come to its end: output that is blocked is given up a second later.
    package var isStopping: @Sendable () -> Bool = { false }
    /// Whether it was asked again: output that is blocked is given up at once.
    package var isHurried: @Sendable () -> Bool = { false }
    /// Takes a line for the person who runs the proxy: what cannot be written, and why. Called on the recorder's thread.
    package var tell: @Sendable (String) -> Void
    /// The reader of the report went away (`| head`), and nothing more will be printed. Called once, on the recorder's thread.
    package var readerGone: @Sendable () -> Void

    package init(
        report: Report, output: Int32 = 1, recording: OutputFile? = nil, tool: String, sourceName: String,
        tell: @escaping @Sendable (String) -> Void, readerGone: @escaping @Sendable () -> Void = {}
    ) {
        self.report = report
        self.output = output
        self.recording = recording
        self.tool = tool
        self.sourceName = sourceName
        self.tell = tell
        self.readerGone = readerGone
    }
}
