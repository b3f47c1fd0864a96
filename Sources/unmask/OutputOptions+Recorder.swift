import CaptureFiles
import Interception
import Reports
import Runs

extension OutputOptions {
    /// What records a proxy's conversations, as the options say.
    ///
    /// - Parameter readerGone: called when nobody reads standard output any more.
    /// - Throws: `RecorderError`.
    func makeRecorder(
        for entrances: [Proxy.Entrance], outputs: RunOutputs, within shares: MemoryShares, trouble: SessionTrouble? = nil,
        readerGone: @escaping @Sendable () -> Void
    ) throws(RecorderError) -> Recorder {
        let ending = outputs.ending
        var recording = RecorderSettings(
            outputs: outputs.plan, tool: toolName, sourceName: entrances.map(\.address).joined(separator: ", "),
            isEnding: { ending.stop() },
            tell: { line in
                trouble?.take(line)
                writeLine("unmask: \(line)")
            }, readerGone: readerGone)
        recording.limits = shares.limits(showing: outputs.plan.payloadDemand)
        recording.queueBytes = shares.queue
        recording.rules = reading.rules
        return try Recorder(recording)
    }
}
