import CaptureFiles
import Dissection
import Libc
import Reports

/// Reads one log of records to its end.
enum LogInput {
    /// Returns the exit status.
    static func read(
        _ log: inout RecordLog, _ source: CaptureSource, _ dissector: inout Dissector, _ progress: inout Progress, _ outputs: RunOutputs,
        into line: inout OutputLine
    ) -> Int32 {
        var teller = LogTeller(source, after: dissector.totals)
        var damage = DamageLines()
        var unknown: [String: Int] = [:]
        var status: Int32 = 0
        var untilLook = 0
        while true {
            do throws(CaptureFileError) {
                guard let outcome = try next(&log, &teller, &line) else { break }
                switch outcome {
                case .told: break  // The outputs have it.
                case .problem(let words): throw log.damage(words)
                case .unknownKind(let kind): unknown[unknown.count < 16 ? kind : "other", default: 0] += 1
                }
            } catch {
                progress.clear()
                damage.tell(error)
                status = 1
                if !error.canGoOn { break }
            }
            if untilLook == 0 {
                untilLook = 256
                if Interruption.stop.isStopped || line.isOver { break }
                if Interruption.wantsLogsReopened { line.move(outputs.reopenLogs()) }
                dissector.reservedBytes = log.heldBytes
                progress.show(bytes: log.inputBytes, packets: teller.totals.packets)
            }
            untilLook -= 1
        }
        damage.finish()
        for (kind, count) in unknown.sorted(by: { $0.key < $1.key }) {
            progress.clear()
            let records = count == 1 ? "1 record" : "\(count) records"
            writeLine("unmask: \(log.name): \(records) of the kind \"\(kind)\", which this version does not know, left out")
        }
        dissector.count(teller.totals)
        return status
    }

    /// Tells the next line; nil at the end.
    private static func next(
        _ log: inout RecordLog, _ teller: inout LogTeller, _ line: inout OutputLine
    ) throws(CaptureFileError) -> LogTeller.Outcome? {
        guard let bytes = try log.next() else { return nil }
        return teller.tell(bytes, into: &line) { $1.begin($0) }
    }

    /// Tells what comes of a log to a sink that takes events alone, to its end.
    ///
    /// Returns the exit status.
    ///
    /// - Parameter goesOn: looks at the sink after each line, and says whether it takes more.
    static func read<Sink: ConversationSink & ~Copyable>(
        _ log: inout RecordLog, _ source: CaptureSource, _ dissector: inout Dissector, into sink: inout Sink, goesOn: (inout Sink) -> Bool
    ) -> Int32 {
        var teller = LogTeller(source, after: dissector.totals)
        var damage = DamageLines()
        var status: Int32 = 0
        while !Interruption.stop.isStopped, goesOn(&sink) {
            do throws(CaptureFileError) {
                guard let outcome = try next(&log, &teller, &sink) else { break }
                if case .problem(let words) = outcome { throw log.damage(words) }
            } catch {
                damage.tell(error)
                status = 1
                if !error.canGoOn { break }
            }
        }
        damage.finish()
        dissector.count(teller.totals)
        return status
    }

    private static func next<Sink: ConversationSink & ~Copyable>(
        _ log: inout RecordLog, _ teller: inout LogTeller, _ sink: inout Sink
    ) throws(CaptureFileError) -> LogTeller.Outcome? {
        guard let bytes = try log.next() else { return nil }
        return teller.tell(bytes, into: &sink) { _, _ in }
    }
}
