import Dissection
import NIOCore
import Reports
import Synchronization

/// What the recording thread does: takes events, has them dissected and reported, and writes them to the recording.
struct RecordWriter<Report: ReportSink & ~Copyable>: ~Copyable {
    private var report: LoggedReport<Report>
    private var dissector: LiveDissector
    private var places = NumberedPlaces()
    private var packets: PacketRecording?
    private var trouble: OutputTrouble
    private var lastTime = Timestamp(nanoseconds: 0)

    /// Traffic after which memory may lie about.
    private static var worthGivingBack: Int { 1 << 20 }

    /// What waits for its reader is tried again after so many nanoseconds, also where nothing more comes.
    private static var restlessness: Int64 { 100_000_000 }

    init(_ settings: RecorderSettings, _ outlets: RecorderOutlets, report: consuming Report, packets: consuming PacketRecording?) {
        var log: RecordReport?
        if let outlet = outlets.log { log = RecordReport(Output(outlet, keepsTrying: true), settings: settings.logSettings) }
        self.report = LoggedReport(report, log: log)
        self.packets = packets
        dissector = LiveDissector(limits: settings.limits, decodeAs: settings.rules)
        trouble = OutputTrouble(settings, outlets)
        // Whoever looks at the recording from now on finds one, be it without packets.
        self.packets?.flush()
        self.report.begin(CaptureSource(kind: .proxy, name: settings.sourceName, tool: settings.tool))
        self.report.flush()
    }

    /// Records until the queue is finished, then ends the report.
    ///
    /// - Returns: Whether something is missing that the user has not agreed to lose.
    mutating func run(_ queue: RecorderQueue) -> Bool {
        var batch = EventBatch()
        // What has passed since memory was given back; every event stands for the objects of its conversation.
        var passed = 0
        let giveBack = {
            guard passed > RecordWriter.worthGivingBack else { return }
            passed = 0
            Heap.giveBack()
        }
        while queue.take(&batch, within: isHeldUp ? RecordWriter.restlessness : nil, whenQuiet: giveBack) {
            passed += batch.bytes + batch.events.count * 256
            record(batch) { queue.progress.wrappingAdd(1, ordering: .relaxed) }
            flush()
            batch.removeAll()
            queue.recorded()
        }
        return finish()
    }

    /// Whether something waits for another try to write it.
    private var isHeldUp: Bool {
        if report.isHeldUp { return true }
        return switch packets {
        case .some(let packets): packets.isHeldUp
        case .none: false
        }
    }

    @inline(__always)
    private mutating func record(_ batch: borrowing EventBatch, each: () -> Void) {
        batch.small.withUnsafeBytes { small in
            for event in batch.events {
                lastTime = Timestamp(nanoseconds: event.time)
                each()
                switch event.kind {
                case .small:
                    take(UnsafeRawBufferPointer(rebasing: small[event.position..<event.position + Int(event.count)]), event)
                case .held:
                    batch.held[event.position].withUnsafeReadableBytes { take($0, event) }
                case .finished:
                    guard let place = places[event.conversation] else { continue }
                    packets?.finish(event.side, at: place, lastTime)
                    end(event, at: place, dissector.receive(.finished, from: event.side, at: place, lastTime, sink: &report))
                case .reset:
                    guard let place = places[event.conversation] else { continue }
                    packets?.reset(event.side, at: place, lastTime)
                    end(event, at: place, dissector.receive(.reset, from: event.side, at: place, lastTime, sink: &report))
                case .note:
                    take(batch.notes[event.position], event)
                }
            }
        }
    }

    @inline(__always)
    private mutating func take(_ run: UnsafeRawBufferPointer, _ event: EventBatch.Event) {
        guard !run.isEmpty, let place = places[event.conversation] else { return }
        packets?.add(run.bytes, from: event.side, at: place, lastTime)
        end(event, at: place, dissector.receive(.bytes(run.bytes), from: event.side, at: place, lastTime, sink: &report))
    }

    private mutating func take(_ note: Note, _ event: EventBatch.Event) {
        if case .begin(let beginning) = note {
            let text = OpeningText(beginning, number: event.conversation)
            let place = dissector.begin(
                text.opening, content: text.content.rawBytes, number: event.conversation, at: lastTime, sink: &report)
            places.insert(event.conversation, place: place)
            packets?.begin(text.opening, beginning, number: event.conversation, at: place, lastTime)
            return
        }
        guard let place = places[event.conversation] else {
            // What concerns the proxy as a whole.
            if case .finding(let row, let detail) = note, event.conversation == 0 { tell(row, detail) }
            return
        }
        switch note {
        case .begin: return
        case .secured(let summary):
            let text = TLSText(summary)
            packets?.comment(text.comment, at: place)
            dissector.tell(text.facts, content: text.content.rawBytes, at: place, lastTime, sink: &report)
        case .finding(let row, let detail):
            packets?.comment("\(row.id): \(detail)", at: place)
            dissector.tell(Finding(row), content: Array(detail.utf8).rawBytes, at: place, lastTime, sink: &report)
        case .close(let how, let closer, let reason):
            if let reason, let row = how.proxyRow {
                dissector.tell(Finding(row), content: Array(reason.utf8).rawBytes, at: place, lastTime, sink: &report)
            }
            packets?.close(how, by: closer, reason: reason, at: place, lastTime)
            dissector.close(how, by: closer, at: place, lastTime, sink: &report)
            places.remove(event.conversation)
        }
    }

    /// Forgets a conversation that goes on no more.
    @inline(__always)
    private mutating func end(_ event: EventBatch.Event, at place: Int32, _ goesOn: Bool) {
        if !goesOn { places.remove(event.conversation) }
    }

    /// Tells a finding about the proxy itself.
    private mutating func tell(_ row: FindingRow, a: UInt64 = 0, _ detail: String) {
        dissector.tell(Finding(row, a: a), content: Array(detail.utf8).rawBytes, at: lastTime, sink: &report)
    }

    // MARK: - Writing

    /// Writes what the batch has come to; where something could not be written before, tries again now and then.
    private mutating func flush() {
        let leftOut = trouble.isDue ? retry() : OutputTrouble.Losses()
        // The recording first: what the log says has happened is in it, also for whoever kills the program as soon as it is said.
        packets?.flush()
        report.flush()
        trouble.look(at: errors, leftOut: leftOut)
    }

    /// Tries once more to write what could not be written, and says in each what is missing there.
    ///
    /// - Returns: What was left out of those that can be written again.
    private mutating func retry() -> OutputTrouble.Losses {
        var leftOut = OutputTrouble.Losses()
        if let told = report.shown.retry() {
            leftOut.output = told.lostRecords
            report.audience = .shown
            if told.lostRecords > 0 { tell(.proxyRecordsLost, a: told.lostRecords, told.error.message) }
        }
        if let told = report.log?.retry() {
            leftOut.log = told.lostRecords
            report.audience = .log
            if told.lostRecords > 0 { tell(.proxyRecordsLost, a: told.lostRecords, told.error.message) }
        }
        report.audience = .both
        if let told = packets?.retry(at: lastTime) {
            leftOut.recording = told.lostPackets
            if told.lostPackets > 0 { tell(.proxyPacketsLost, a: told.lostPackets, told.error.message) }
        }
        return leftOut
    }

    private var errors: OutputTrouble.Errors {
        .init(output: report.shown.outputError, log: report.logError, recording: packetsError)
    }

    private var packetsError: OutputError? {
        switch packets {
        case .some(let packets): packets.error
        case .none: nil
        }
    }

    private var unwrittenPackets: UInt64 {
        switch packets {
        case .some(let packets): packets.unwrittenPackets
        case .none: 0
        }
    }

    private var losses: OutputTrouble.Losses {
        .init(output: report.shown.unwrittenRecords, log: report.unloggedRecords, recording: unwrittenPackets)
    }

    private mutating func finish() -> Bool {
        // In the recording they stay open: nothing on the wire ended them.
        dissector.finish(sink: &report)
        trouble.retryNow()
        flush()
        packets?.finish(at: lastTime)
        report.finish(dissector.totals)
        trouble.look(at: errors)
        return trouble.tellLoss(losses)
    }
}

extension Closing.Manner {
    /// The finding that says why the proxy ended a conversation in this manner.
    fileprivate var proxyRow: FindingRow? {
        switch self {
        case .connectFailed: .proxyConnectFailed
        case .tlsFailed: .proxyTLSFailed
        case .timeout: .proxyTimedOut
        case .limit: .proxyLimitReached
        case .shutdown: .proxyShutDown
        case .closeFrame, .fin, .reset, .endOfCapture, .evicted, .refused: nil
        }
    }
}
