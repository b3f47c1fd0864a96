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
    ///   - blocks: text: a block for each conversation at its end, instead of lines as they come.
    ///   - write: the pcapng file to write as well.
    ///   - readerGone: called when nobody reads standard output any more.
    /// - Throws: `OutputError` where that file cannot be created.
    func makeRecorder(
        for entrances: [Proxy.Entrance], blocks: Bool, write: String?, readerGone: @escaping @Sendable () -> Void
    ) throws -> Recorder {
        let report: RecorderSettings.Report =
            switch format {
            case .ndjson, .json: .records(recordSettings)
            case .text where stats: .stats(conversation: conversation)
            case .text: .text(textSettings(follow: !blocks))
            }
        var recording = RecorderSettings(
            report: report, output: STDOUT_FILENO, recording: write.map { .path($0) }, tool: toolName,
            sourceName: entrances.map(\.address).joined(separator: ", "), tell: { writeLine("unmask: \($0)") }, readerGone: readerGone)
        let shares = memoryShares(hasQueue: true)
        recording.limits = limits(within: shares)
        recording.queueBytes = shares.queue
        recording.rules = rules
        return try Recorder(recording)
    }
}
