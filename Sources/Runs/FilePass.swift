import CaptureFiles
import Decryption
import LiveCapture
import Reports

/// One reading of files into the outputs of a run.
package struct FilePass {
    private let paths: [String]
    private let settings: InputSettings
    private let keys: CaptureKeys
    private let progress: Progress
    /// Says what is missing of what was written.
    private let tellLoss: (String) -> Void
    /// What is done now and then, such as opening logs anew that were moved away.
    private let look: (inout OutputLine) -> Void

    /// - Parameters:
    ///   - tellLoss: takes a line for the user about what could not be written, also of a reading that tells nothing of its inputs.
    ///   - look: called now and then.
    package init(
        _ paths: [String], _ settings: InputSettings, keys: CaptureKeys, progress: Progress, tellLoss: @escaping (String) -> Void,
        look: @escaping (inout OutputLine) -> Void = { _ in }
    ) {
        (self.paths, self.settings, self.keys, self.progress) = (paths, settings, keys, progress)
        (self.tellLoss, self.look) = (tellLoss, look)
    }

    /// Reads all of them. Returns the exit status.
    package func read(into line: inout OutputLine, _ packetFilter: consuming PacketFilter?) -> Int32 {
        var loop = InputLoop(paths, settings, keys: keys, filter: packetFilter, progress: progress)
        loop.read(into: &line) { line in
            look(&line)
            return !line.isOver
        }
        if loop.outcome.isRefused { return loop.outcome.status }
        let isCutShort = line.isOver && loop.outcome.next > 1
        // Nothing could be read? For people the errors have said all there is to say; programs get their records whole.
        line.finish(loop.totals, for: loop.outcome.hasBegun ? .all : .programs)
        for shortfall in line.shortfalls { settings.tell("unmask: \(shortfall)") }
        var status = loop.outcome.status
        if loop.outcome.hasBegun, loop.tellMissing() { status = max(status, 1) }
        let losses = line.losses
        let end = isCutShort ? ", and nothing was read after packet \(loop.outcome.next - 1)" : ""
        for loss in losses { tellLoss("unmask: \(loss)\(end)") }
        if !losses.isEmpty { return 1 }
        if line.isOver { return 0 }
        return settings.stop.isStopped ? 130 : status
    }
}
