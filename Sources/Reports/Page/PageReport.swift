import Dissection

/// The conversations as one HTML page to send: the lines of the text, each of which opens to its payload and what that says. It needs no network and no
/// script. Whatever peers say is text in it.
package struct PageReport: LineSink, ~Copyable {
    private var output: Output
    private let settings: PageSettings
    private var text: TextReport
    private let payloads: DecodingStage
    /// The stage is its own: nothing else counts its events.
    private let ownsStage: Bool
    private var selection: OutputSelection?
    private var source: CaptureSource?
    private var hasHead = false
    /// What is made of one event.
    private var unit = OutputBuffer(capacity: 4_096)

    /// Columns of a line.
    private static let columns = 200
    private static let mostTitle = 200

    package init(_ output: consuming Output, settings: PageSettings, decoding: DecodingStage? = nil) {
        var ofText = TextSettings(
            usesColor: true, width: Self.columns, payload: settings.payload == .none ? .none : .preview, follows: true,
            showsFrames: settings.showsFrames, showsHeaders: true, conversations: settings.conversations, zone: settings.zone)
        ofText.payloads = settings.payloads
        ofText.hidesHeartbeats = settings.hidesHeartbeats
        (ofText.announcesSource, ofText.separatesUnits) = (false, true)
        // Both ask about the same payloads.
        let stage = decoding ?? DecodingStage(settings.payloads, isShared: true)
        let selection = OutputSelection(settings.filter, decoding)
        let reads = settings.payload != .none || selection?.filter.wantsDecoded == true
        payloads = .of(stage, reads: reads, settings.payloads)
        ownsStage = decoding == nil
        self.selection = selection
        self.output = output
        self.settings = settings
        text = TextReport(Output(), settings: ofText, decoding: stage)
    }

    package var takesFrames: Bool { settings.showsFrames }
    package var heldBytes: Int { text.heldBytes + (selection?.heldBytes ?? 0) }
    package var outputError: OutputError? { output.error }
    package var unwrittenRecords: UInt64 { output.unwrittenRecords }
    package var isHeldUp: Bool { output.isHeldUp }
    package var keptLoss: UInt64 { selection?.lost ?? 0 }
    package var searchesGivenUp: UInt64 { selection?.filter.givenUp ?? 0 }
    package mutating func retry() -> (error: OutputError, lostRecords: UInt64)? { output.retry() }
    package mutating func flush() { output.flush() }

    /// What was written since the last call, for an output that stays in memory.
    package mutating func takeBytes() -> [UInt8] { output.take() }

    package mutating func begin(_ source: CaptureSource) {
        self.source = source
        text.begin(source)
        if !hasHead { writeHead() }
    }

    package mutating func receive(_ event: borrowing ConversationEvent) {
        let number = event.conversation
        if number != 0, let wanted = settings.conversations, !wanted.contains(number) { return }
        if event.isFrame, !takesFrames { return }
        if output.isUseless { return output.leaveOut() }
        if !hasHead { writeHead() }
        if ownsStage { payloads.next() }
        let before = text.payloadLines
        text.receive(event)
        text.flush()
        let decoded = payloads.isIdle ? nil : payloads.payload(of: event)
        if number != 0 { selection?.judge(event, decoded) }
        compose(event, decoded, hasLine: text.payloadLines != before)
        if event.kind == .closed { selection?.judgeEnd(of: number) }
        write(number)
        if event.kind == .closed { selection?.forget(number) }
    }

    package mutating func finish(_ totals: Totals) {
        if !hasHead { writeHead() }
        text.finish(totals)
        compose()
        write(0)
        writeFoot("")
        output.flush()
    }

    /// Ends a page of some conversations of a run, which the totals of the run would not be about.
    ///
    /// - Parameter words: What is missing in it, for people.
    package mutating func finish(saying words: String) {
        if !hasHead { writeHead() }
        writeFoot(words.html)
        output.flush()
    }

    package mutating func move(to outlet: Outlet) {
        writeFoot("")
        output.move(to: outlet)
        writeHead()
        output.tellMove()
    }

    // MARK: - What is made of an event

    private mutating func compose(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?, hasLine: Bool) {
        var block = OutputBuffer(capacity: 1_024)
        appendPayload(of: event, decoded, to: &block)
        if hasLine { return compose(above: block) }
        compose()
        // A part of a long body, of which the text has a line at its end.
        guard event.kind == .body, case .body(let part) = event.fact, !(part.part == 1 && part.final), part.element == nil, block.count > 0
        else { return }
        unit.append("<details><summary><span class=\"faint\">")
        unit.append(utf8: "part \(part.part) of the body from the \(event.from == .client ? "client" : "server")")
        unit.append("</span></summary>\n")
        unit.append(block)
        unit.append("</details>\n")
    }

    /// Makes rows of the lines that the text has now.
    ///
    /// - Parameter block: What opens under the last of them.
    private mutating func compose(above block: borrowing OutputBuffer = OutputBuffer(capacity: 64)) {
        let rows = text.takeBytes().split(separator: TextReport.unitSeparator)
        for (index, row) in rows.enumerated() {
            let lines = row.split(separator: 0x0a, maxSplits: 1)
            guard let first = lines.first else { continue }
            let below = lines.count > 1 ? Array(lines[1]) : []
            let isLast = index == rows.count - 1
            let opens = !below.isEmpty || isLast && block.count > 0
            unit.append(opens ? "<details><summary>" : "<p>")
            unit.append(inked: Array(first).rawBytes)
            unit.append(opens ? "</summary>\n" : "</p>\n")
            guard opens else { continue }
            if !below.isEmpty {
                unit.append("<pre>")
                unit.append(inked: below.rawBytes)
                unit.append("</pre>\n")
            }
            if isLast { unit.append(block) }
            unit.append("</details>\n")
        }
    }

    private func appendPayload(of event: borrowing ConversationEvent, _ decoded: DecodedPayload?, to block: inout OutputBuffer) {
        guard settings.payload != .none, event.content.byteCount > 0 else { return }
        let claim: PayloadForm.Claim
        switch event.kind {
        case .message: claim = if case .message(let message) = event.fact, message.opcode == 1 { .text } else { .binary }
        case .body: claim = .none
        case .data, .ping, .pong: claim = .binary
        case _: return
        }
        let content = RecordContent(bytes: event.content, policy: settings.payload, redaction: event.redaction)
        let (range, length) = event.fact.payload(in: content)
        let isInWords = decoded.map { !$0.summary.isEmpty && !$0.hasStopped } ?? false
        block.append(block: content.part(range).prefix(settings.payload.limit), length: length, claim: claim, isInWords: isInWords)
        if let decoded, !decoded.entries.isEmpty { block.append(says: decoded) }
    }

    // MARK: - What is written

    /// Writes what was made of an event, or keeps it until it is known whether it is written.
    private mutating func write(_ number: UInt64) {
        defer { unit.truncate(to: 0) }
        let verdict = number == 0 ? .show : selection?.verdict ?? .show
        switch verdict {
        case .leaveOut: return
        case .keep, .keepAsMessage:
            guard unit.count > 0 else { return }
            let bytes = unit.bytes.copy
            selection?.putAside(bytes, lines: Self.lines(unit), of: number)
        case .show:
            for before in number == 0 ? [] : selection?.release(number).units ?? [] {
                output.buffer.append(before.bytes.rawBytes)
                output.endRecord(lines: before.lines)
            }
            guard unit.count > 0 else { return }
            output.buffer.append(unit)
            output.endRecord(lines: Self.lines(unit))
        }
    }

    private static func lines(_ buffer: borrowing OutputBuffer) -> UInt64 { UInt64(buffer.bytes.count(of: 0x0a)) }

    private mutating func writeHead() {
        hasHead = true
        let name = source?.name.split(separator: "/").last.map { String($0) } ?? "conversations"
        var words = source?.tool ?? "unmask"
        if !settings.note.isEmpty { words += ": \(settings.note)" }
        writeFrame(PageMarkup.head(title: String(name.prefix(Self.mostTitle)).html, made: "<p>\(words.html)</p>"))
    }

    private mutating func writeFoot(_ ending: String) { writeFrame(PageMarkup.foot(ending: ending)) }

    private mutating func writeFrame(_ text: String) {
        for byte in text.utf8 where byte == 0x0a { output.addForeignBreak() }
        output.buffer.append(utf8: text)
    }
}
