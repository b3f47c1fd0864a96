import Dissection
import Reports

/// What a recorder does with what it is told.
package struct RecorderSettings: Sendable {
    /// What is written, and where; whoever opened the files finishes them after the recorder.
    package var outputs: OutputPlan
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
    /// Called when the recorder is told to finish, so that outlets which are blocked are given up soon.
    package var isEnding: @Sendable () -> Void
    /// Takes a line for the person who runs the proxy: what cannot be written, and why. Called on the recorder's thread.
    package var tell: @Sendable (String) -> Void
    /// The reader of what is shown went away (`| head`), and nothing more will be printed. Called once, on the recorder's thread.
    package var readerGone: @Sendable () -> Void

    package init(
        outputs: OutputPlan, tool: String, sourceName: String, isEnding: @escaping @Sendable () -> Void = {},
        tell: @escaping @Sendable (String) -> Void, readerGone: @escaping @Sendable () -> Void = {}
    ) {
        self.outputs = outputs
        self.tool = tool
        self.sourceName = sourceName
        self.isEnding = isEnding
        self.tell = tell
        self.readerGone = readerGone
    }
}
