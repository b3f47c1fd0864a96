import CaptureFiles
import Libc
import LiveCapture
import Reports

/// One reading of all inputs.
struct FilePass {
    let paths: [String]
    let output: OutputOptions
    let keys: CaptureKeys
    /// Whether the user is told what is wrong with the inputs: a first reading leaves that to the second.
    let tells: Bool
    /// Whether a list of the conversations is what is shown.
    var isList = false
    /// Opens logs anew that were moved away.
    let reopenLogs: () -> [OutputMove]

    /// Reads all inputs; returns the exit status.
    func read(into line: inout OutputLine, _ packetFilter: consuming PacketFilter?) -> Int32 {
        let progress = Progress(isWanted: isatty(STDERR_FILENO) == 1 && (isatty(STDOUT_FILENO) == 0 || output.stats))
        var loop = InputLoop(
            paths, output.reading, keys: keys, payloadDemand: line.payloadDemand, filter: packetFilter, progress: progress, tells: tells,
            window: isList ? nil : output.messageWindow)
        loop.read(into: &line) { line in
            if tells, Interruption.wantsLogsReopened { line.move(reopenLogs()) }
            return !line.isOver
        }
        if loop.outcome.isRefused { return loop.outcome.status }
        let isCutShort = line.isOver && loop.outcome.next > 1
        // Nothing could be read? For people the errors have said all there is to say; programs get their records whole.
        line.finish(loop.totals, for: loop.outcome.hasBegun ? .all : .programs)
        if tells { for shortfall in line.shortfalls { writeLine("unmask: \(shortfall)") } }
        var status = loop.outcome.status
        if tells, loop.outcome.hasBegun, output.reading.tellMissing(after: loop.conversations) { status = max(status, 1) }
        let losses = line.losses
        let end = isCutShort ? ", and nothing was read after packet \(loop.outcome.next - 1)" : ""
        for loss in losses { writeLine("unmask: \(loss)\(end)") }
        if !losses.isEmpty { return 1 }
        if line.isOver { return 0 }
        return Interruption.stop.isStopped ? 130 : status
    }
}
