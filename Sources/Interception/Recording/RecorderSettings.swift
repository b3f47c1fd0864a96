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

    /// Where the pcapng recording goes.
    package enum Recording: Sendable {
        /// A file that is created, or emptied, and that only its owner may read.
        case path(String)
        /// An open descriptor, which the caller owns.
        case descriptor(Int32)
    }

    package var report: Report
    /// Where the report goes; the caller owns it.
    package var output: Int32
    package var recording: Recording?
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
    /// Takes a line for the person who runs the proxy: what cannot be written, and why. Called on the recorder's thread.
    package var tell: @Sendable (String) -> Void
    /// The reader of the report went away (`| head`), and nothing more will be printed. Called once, on the recorder's thread.
    package var readerGone: @Sendable () -> Void

    package init(
        report: Report, output: Int32 = 1, recording: Recording? = nil, tool: String, sourceName: String,
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
