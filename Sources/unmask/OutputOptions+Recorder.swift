import CaptureFiles
import Interception
import Reports

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension OutputOptions {
    /// What records a proxy's conversations, as the options say.
    ///
    /// - Parameters:
    ///   - plan: what was asked for beside standard output.
    ///   - files: the files that it names.
    ///   - readerGone: called when nobody reads standard output any more.
    /// - Throws: `RecorderError`.
    func makeRecorder(
        for entrances: [Proxy.Entrance], plan: RecordingPlan, files: RecordingFiles, readerGone: @escaping @Sendable () -> Void
    ) throws -> Recorder {
        let report: RecorderSettings.Report =
            switch format {
            case .ndjson, .json: .records(recordSettings)
            case .text where stats: .stats(conversation: conversation)
            case .text: .text(textSettings(follow: !plan.blocks))
            }
        var recording = RecorderSettings(
            report: report, output: STDOUT_FILENO, recording: files.write, tool: toolName,
            sourceName: entrances.map(\.address).joined(separator: ", "), tell: { writeLine("unmask: \($0)") }, readerGone: readerGone)
        recording.log = files.log
        recording.logSettings = logSettings
        recording.isLossy = plan.isLossy
        recording.isStopping = { Interruption.stop.isStopped }
        recording.isHurried = { Interruption.hurry.isStopped }
        let policies = plan.log == nil ? shownPolicies : shownPolicies + [logSettings.payload]
        let shares = memoryShares(for: policies, ofProxy: true)
        recording.limits = limits(within: shares, for: policies)
        recording.queueBytes = shares.queue
        recording.rules = rules
        return try Recorder(recording)
    }
}
