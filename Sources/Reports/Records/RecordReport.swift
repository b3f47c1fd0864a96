import Dissection

/// The log for programs (docs/log-format.md): one JSON object for each event, as NDJSON or as one array.
///
/// A record goes straight into the output's buffer; nothing is kept between two events but the text of the last second.
public struct RecordReport: LineSink, ~Copyable {
    /// The version of the format that these records are in.
    public static let formatVersion = 1

    private var output: Output
    private let settings: RecordSettings
    private let payloads: DecodingStage
    private let heartbeats: HeartbeatStage
    private var timeText = RecordTime()
    private var isFirst = true
    /// What stands before in the file is of another run, and nothing of this one is there yet.
    private var isAppended: Bool
    private var source: CaptureSource?
    /// Payloads are decoded whatever a filter asks for.
    private let decodesAll: Bool
    /// What a filter picks of it; nil where all is written.
    private var selection: OutputSelection?
    /// A record that is kept until it is known whether it is written.
    private var aside = OutputBuffer(capacity: 64)

    public init(_ output: consuming Output, settings: RecordSettings = RecordSettings()) {
        self.init(output, settings: settings, decoding: nil)
    }

    init(_ output: consuming Output, settings: RecordSettings, decoding: DecodingStage?) {
        let selection = OutputSelection(settings.filter, decoding)
        // What a heartbeat is, formats say. No closure, such as the right side of ||, takes a property of self before all are there: in
        // optimised code of Swift 6.3 it destroys the ones that are not.
        let reads = settings.hidesHeartbeats || selection?.filter.wantsDecoded == true
        let isGiven = !settings.payloads.rows.isEmpty
        payloads = .of(decoding, reads: reads || isGiven, isGiven ? settings.payloads : .standard)
        heartbeats = payloads.heartbeats()
        decodesAll = settings.hidesHeartbeats || !settings.payloads.rows.isEmpty
        isAppended = settings.isAppended
        self.selection = selection
        self.settings = settings
        self.output = output
    }

    public var outputError: OutputError? { output.error }

    public var unwrittenRecords: UInt64 { output.unwrittenRecords }

    public var isHeldUp: Bool { output.isHeldUp }

    public mutating func retry() -> (error: OutputError, lostRecords: UInt64)? { output.retry() }

    public var takesFrames: Bool { settings.showsFrames }

    public var heldBytes: Int { payloads.heldBytes + heartbeats.heldBytes + (selection?.heldBytes ?? 0) }

    package var keptLoss: UInt64 { selection?.lost ?? 0 }

    package var searchesGivenUp: UInt64 { selection?.filter.givenUp ?? 0 }

    public mutating func begin(_ source: CaptureSource) { begin(source, isContinued: false) }

    private mutating func begin(_ source: CaptureSource, isContinued: Bool) {
        self.source = source
        beginRecord()
        output.buffer.appendCapture(source, isAppended: isAppended, isContinued: isContinued)
        isAppended = false
        endRecord()
    }

    public mutating func receive(_ event: borrowing ConversationEvent) {
        if event.conversation != 0 {
            if settings.totalsAlone { return }
            if let wanted = settings.conversations, !wanted.contains(event.conversation) { return }
        }
        if event.isFrame, !takesFrames { return }
        if output.isUseless { return output.leaveOut() }
        if selection != nil, event.conversation != 0 { return receiveSelected(event) }
        if !payloads.isIdle { return receiveDecoded(event) }
        beginRecord()
        let content = RecordContent(bytes: event.content, policy: settings.payload, redaction: event.redaction)
        output.buffer.appendRecord(event, content, &timeText)
        endRecord()
    }

    /// Writes a record with what its payload says, unless it is a heartbeat that is left out.
    private mutating func receiveDecoded(_ event: borrowing ConversationEvent) {
        let decoded = payloads.read(event)
        if heartbeats.take(event, decoded), settings.hidesHeartbeats { return }
        let end = event.kind == .closed ? heartbeats.lastEnd : nil
        beginRecord()
        RecordReport.append(event, decoded, end, payloads.unanswered, settings, to: &output.buffer, &timeText)
        endRecord()
    }

    /// Writes a record that the filter picks, after those that were kept until it came.
    private mutating func receiveSelected(_ event: borrowing ConversationEvent) {
        var decoded: DecodedPayload?
        var end: HeartbeatReader.End?
        if decodesAll {
            decoded = payloads.read(event)
            let isHeartbeat = heartbeats.take(event, decoded)
            selection?.judge(event, decoded)
            if isHeartbeat, settings.hidesHeartbeats { return }
            if event.kind == .closed { end = heartbeats.lastEnd }
        } else {
            if !payloads.isIdle, let filter = selection?.filter { decoded = payloads.read(event, for: filter) }
            selection?.judge(event, decoded)
        }
        switch selection?.verdict {
        case .show?:
            if selection?.hasNothingBefore(event.conversation) == false {
                for unit in selection?.release(event.conversation).units ?? [] {
                    beginRecord()
                    output.buffer.append(unit.bytes.rawBytes)
                    endRecord()
                }
            }
            beginRecord()
            RecordReport.append(event, decoded, end, payloads.unanswered, settings, to: &output.buffer, &timeText)
            endRecord()
        case .keep?, .keepAsMessage?:
            RecordReport.append(event, decoded, end, payloads.unanswered, settings, to: &aside, &timeText)
            let record = aside.bytes.copy
            aside.dropFirst(aside.count)
            selection?.putAside(record, lines: 1, of: event.conversation)
        case .leaveOut?, nil: break
        }
        if event.kind == .closed { selection?.forget(event.conversation) }
    }

    /// - Parameters:
    ///   - end: what is said of heartbeats at the end of a conversation.
    ///   - unanswered: the calls of it that had no answer.
    private static func append(
        _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?, _ end: HeartbeatReader.End?,
        _ unanswered: UnansweredCalls, _ settings: RecordSettings, to buffer: inout OutputBuffer, _ timeText: inout RecordTime
    ) {
        let content = RecordContent(bytes: event.content, policy: settings.payload, redaction: event.redaction)
        buffer.appendRecord(event, content, &timeText)
        let isDecoding = !settings.payloads.rows.isEmpty
        if isDecoding, let decoded { buffer.addToLastRecord(decoded) }
        guard let end else { return }
        buffer.append(isDecoding ? end.heartbeats : [], hidden: settings.hidesHeartbeats ? end.beats : 0)
        if isDecoding, case .closed(let closing) = event.fact {
            buffer.append(unanswered.total > 0 ? unanswered : nil, at: closing.endedAt ?? event.place.time)
        }
    }

    public mutating func finish(_ totals: Totals) {
        beginRecord()
        output.buffer.appendEnd(totals)
        endRecord()
        endArray()
        output.flush()
    }

    package mutating func move(to outlet: Outlet) {
        endArray()
        output.move(to: outlet)
        isFirst = true
        isAppended = false
        if let source { begin(source, isContinued: true) }
        output.tellMove()
    }

    private mutating func endArray() {
        if settings.layout == .array, !isFirst { output.buffer.append("\n]\n") }
    }

    public mutating func flush() { output.flush() }

    /// What was written since the last call, for an output that stays in memory.
    public mutating func takeBytes() -> [UInt8] { output.take() }

    @inline(__always)
    private mutating func beginRecord() {
        guard settings.layout == .array else { return }
        if isFirst { output.addForeignBreak() }
        output.buffer.append(isFirst ? "[\n" : ",\n")
        isFirst = false
    }

    @inline(__always)
    private mutating func endRecord() {
        if settings.layout == .lines { output.buffer.append(0x0a) }
        output.endRecord()
    }
}
