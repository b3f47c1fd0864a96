import CaptureFiles
import Dissection
import Reports

/// Reads one log of records, or what holds one, to its end.
enum LogInput {
    /// Tells what comes of a log to a sink.
    ///
    /// - Parameters:
    ///   - source: what to call it where it does not say itself what it was made of.
    ///   - begin: takes what the log was made of, for sinks that are told of that.
    ///   - damaged: takes what is wrong with a line, after the user was told.
    ///   - clearLine: makes room on standard error for a line.
    ///   - settings: how many lines are read between two looks, and whom to tell what is wrong.
    ///   - look: looks at the sink now and then, and says whether it takes more.
    /// - Returns: The exit status.
    static func read<Lines: RecordLines & ~Copyable, Sink: ConversationSink & ~Copyable>(
        _ log: inout Lines, _ source: CaptureSource, _ teller: inout LogTeller, _ dissector: inout Dissector, into sink: inout Sink,
        begin: (CaptureSource, inout Sink) -> Void = { _, _ in }, damaged: (CaptureFileError, inout Sink) -> Void = { _, _ in },
        clearLine: () -> Void = {}, _ settings: InputSettings,
        look: (inout Sink, _ packets: UInt64, _ inputBytes: UInt64) -> Bool
    ) -> Int32 {
        teller.begin(source, after: dissector.totals)
        var damage = DamageLines(settings.tell)
        var unknown: [String: Int] = [:]
        var status: Int32 = 0
        var untilLook = 0
        var entries = HARRecords()
        while true {
            do throws(CaptureFileError) {
                guard let outcome = try tellNext(of: &log, &teller, &entries, into: &sink, begin: begin, settings, look: look) else {
                    break
                }
                switch outcome {
                case .told: break  // The sink has it.
                case .problem(let words): throw log.damage(words)
                case .loss(let words): throw log.loss(words)
                case .unknownKind(let kind): unknown[unknown.count < 16 ? kind : "other", default: 0] += 1
                }
            } catch {
                clearLine()
                damage.tell(error)
                damaged(error, &sink)
                status = 1
                if !error.canGoOn { break }
            }
            if untilLook == 0 {
                untilLook = settings.pause
                teller.reservedBytes = log.heldBytes + dissector.heldBytes
                if settings.stop.isStopped || !look(&sink, teller.toldPackets, log.inputBytes) { break }
            }
            untilLook -= 1
        }
        damage.finish()
        for (kind, count) in unknown.sorted(by: { $0.key < $1.key }) {
            clearLine()
            let records = count == 1 ? "1 record" : "\(count) records"
            settings.tell("unmask: \(log.name): \(records) of the kind \"\(kind)\", which this version does not know, left out")
        }
        dissector.count(teller.finish())
        if teller.isOutOfOrder {
            clearLine()
            settings.tell("unmask: \(log.name): the log goes on in a file that was read before it; name the oldest file first")
        }
        return status
    }

    /// Tells the next line, which is lent for as long; nil at the end.
    ///
    /// An entry of an archive has any number of records, between which is looked as between lines.
    private static func tellNext<Lines: RecordLines & ~Copyable, Sink: ConversationSink & ~Copyable>(
        of log: inout Lines, _ teller: inout LogTeller, _ entries: inout HARRecords, into sink: inout Sink,
        begin: (CaptureSource, inout Sink) -> Void, _ settings: InputSettings,
        look: (inout Sink, _ packets: UInt64, _ inputBytes: UInt64) -> Bool
    ) throws(CaptureFileError) -> LogTeller.Outcome? {
        let isArchive = log.isArchive
        let inputBytes = log.inputBytes
        guard let line = try log.next() else { return nil }
        guard isArchive else { return teller.tell(line, into: &sink, begin: begin) }
        var untilLook = settings.pause
        return entries.tell(line) { record in
            if untilLook == 0 {
                untilLook = settings.pause
                if settings.stop.isStopped || !look(&sink, teller.toldPackets, inputBytes) { return nil }
            }
            untilLook -= 1
            return teller.tell(record, into: &sink, begin: begin)
        }
    }
}
