import Dissection

/// The conversations as text for people: one block each, printed when it closes, or lines as they come.
///
/// Lines wait for their block within bounds: a conversation's block so far is printed when it passes
/// `TextSettings.blockBytes`, and the oldest ones when all together pass `TextSettings.totalBytes`; the rest of such a
/// block is headed `1 (continued)`.
public struct TextReport: LineSink, ~Copyable {
    private var output: Output
    let settings: TextSettings
    var table = ConversationTable()
    var line: TextLine
    /// A line that is put under the one that is being composed, and those that are there already.
    var lower: TextLine
    private var below = OutputBuffer(capacity: 256)
    private var breaksBelow: UInt64 = 0
    /// The conversation whose line may still grow by what the next event says; -1 for none.
    private var openLine = -1
    private var blocks: UInt64 = 0
    /// What was printed last stands in one line by itself.
    private var lastIsLone = false
    var refusals = RefusalCount()
    /// Conversations that closed one after another and are alike.
    var alike = AlikeRun()
    /// The last of them: how it ended, and what was spoken.
    var alikeEnd: Closing?
    var alikeSubject: TextConversation?
    /// Some of them came since lines were written last.
    var alikeIsFresh = false
    /// Findings that are not shown, since they say nothing to a person.
    private(set) var routineFindings: UInt64 = 0
    /// What the clock on the wall of the reader shows.
    var clock: TextClock
    private var source: CaptureSource?
    /// What payloads say, in the words of their formats.
    let payloads: DecodingStage
    /// Signs of life that come at regular times.
    let heartbeats: HeartbeatStage
    /// What a filter picks of it; nil where all is shown.
    var selection: OutputSelection?
    /// The stream of HTTP/2 whose event is shown; 0 where there is none.
    var stream: UInt32 = 0
    /// The header fields of the response whose line may still grow.
    var response: [UInt8] = []
    /// The line that may still grow: the verdict on it.
    private var openVerdict = EventVerdict.show
    /// Lines of events that carry a payload, so far: heartbeats may have none, parts of bodies have one together.
    var payloadLines: UInt64 = 0
    /// What no line has: controls are shown by their pictures.
    static let unitSeparator: UInt8 = 0x1e
    /// What is told comes from a proxy.
    var isProxy: Bool { source?.kind == .proxy }

    public init(_ output: consuming Output, settings: TextSettings = TextSettings()) {
        self.init(output, settings: settings, decoding: nil)
    }

    init(_ output: consuming Output, settings: TextSettings, decoding: DecodingStage?) {
        // No closure, such as the right side of ||, takes a property of self before all are there: in optimised code of Swift 6.3 it destroys
        // the ones that are not.
        let selection = OutputSelection(settings.filter, decoding, keptBytes: (settings.blockBytes, settings.totalBytes))
        let reads = settings.payload != .none || selection?.filter.wantsDecoded == true
        self.selection = selection
        self.output = output
        self.settings = settings
        line = TextLine(width: settings.width, usesColor: settings.usesColor, folds: settings.isFull)
        lower = TextLine(width: settings.width, usesColor: settings.usesColor, folds: settings.isFull)
        clock = TextClock(settings.zone)
        payloads = .of(decoding, reads: reads, settings.payloads, isForLine: !settings.isFull && selection == nil)
        heartbeats = payloads.heartbeats()
    }

    public var outputError: OutputError? { output.error }

    public var unwrittenRecords: UInt64 { output.unwrittenRecords }

    public var isHeldUp: Bool { output.isHeldUp || settings.follows && alike.count > 0 }

    public mutating func retry() -> (error: OutputError, lostRecords: UInt64)? { output.retry() }

    /// What was written since the last call, for an output that stays in memory.
    public mutating func takeBytes() -> [UInt8] { output.take() }

    /// Bytes of lines that wait for their block.
    public var waitingBytes: Int { table.waitingBytes }

    public var takesFrames: Bool { settings.showsFrames }

    public var heldBytes: Int {
        table.heldBytes + alike.heldBytes + payloads.heldBytes + heartbeats.heldBytes + (selection?.heldBytes ?? 0)
    }

    package var keptLoss: UInt64 { selection?.lost ?? 0 }

    package var searchesGivenUp: UInt64 { selection?.filter.givenUp ?? 0 }

    public mutating func begin(_ source: CaptureSource) {
        self.source = source
        guard settings.follows || source.kind != .file, settings.announcesSource else { return }
        line.ink(.faint)
        line.append(source.tool)
        line.append(source.kind == .file ? ": reading " : source.kind == .interface ? ": listening at " : ": proxy at ")
        line.append(source.name)
        printLine()
    }

    public mutating func receive(_ event: borrowing ConversationEvent) {
        if event.kind == .finding, selection == nil, case .finding(let finding) = event.fact, !settings.isFull,
            finding.isRoutine(event.content)
        {
            routineFindings &+= 1
            return
        }
        if let wanted = settings.conversations, event.conversation != 0, !wanted.contains(event.conversation) { return }
        if event.isFrame, !takesFrames { return }
        if !payloads.isIdle { payloads.note(event) }
        let content = RecordContent(bytes: event.content, policy: settings.payload, redaction: event.redaction)
        if let terminal = settings.terminal {
            line.widen(to: terminal.columns)
            lower.widen(to: terminal.columns)
        }
        guard event.conversation != 0 else {
            endOpenLine()
            if case .finding(let finding) = event.fact {
                composeFinding(finding, content, event.place, indent: 3)
                printLine()
            }
            return
        }
        var decoded: DecodedPayload?
        if selection != nil {
            decoded = payloads.isIdle ? nil : payloads.payload(of: event)
            selection?.judge(event, decoded)
            let marker = selection?.verdict == .show ? selection?.filter : nil
            line.marker = marker
            lower.marker = marker
        }
        if refusals.hidden > 0 { tellHiddenRefusals(before: event.place.time) }
        if event.kind == .finding, let finding = event.lateFinding { return tellLate(finding, content, event) }
        let place = table.place(of: event.conversation)
        table.prefetch(place)
        switch event.kind {
        case .request, .response, .control, .upgrade, .gap, .closed: _ = heartbeats.take(event, nil)
        // The others say nothing of them, or their payloads are read first.
        case _: break
        }
        if openLine == place, case .upgrade(let upgrade) = event.fact {
            noteUpgrade(upgrade, content, at: place)
            continueWithUpgrade(upgrade, content)
            if let verdict = selection?.verdict { openVerdict = max(openVerdict, verdict) }
            endOpenLine(isRefusal: !upgrade.accepted)
            return
        }
        endOpenLine()
        show(event, content, decoded, at: place)
    }

    public mutating func finish(_ totals: Totals) {
        endOpenLine()
        tellHiddenRefusals(before: nil)
        for number in table.openNumbers {
            let place = table.place(of: number)
            endSealedRun(at: place)
            showSettings(at: place)
            endBodies(at: place)
            printBlock(at: place)
        }
        endAlike()
        composeSummary(totals)
        output.flush()
    }

    public mutating func flush() {
        endOpenLine()
        // More that end alike may come in the next batch; where none do, it comes with nothing.
        if !settings.follows || !alikeIsFresh { endAlike() }
        alikeIsFresh = false
        output.flush()
    }

    /// Lines that wait for their block go to the new place.
    package mutating func move(to outlet: Outlet) {
        endOpenLine()
        endAlike()
        output.move(to: outlet)
        blocks = 0
        if let source { begin(source) }
        output.tellMove()
    }

    /// Ends the composed line and hands it to its conversation's block, or prints it where lines are followed.
    mutating func commit(at place: Int) {
        line.end()
        defer { clearLines() }
        if selection != nil, !isPicked(at: place) { return }
        if settings.follows {
            endAlike()
            separate()
            output.buffer.append(line.buffer)
            output.buffer.append(below)
            output.endRecord(lines: line.breaks + breaksBelow)
            return
        }
        // Header fields may be so many that a copy more of them counts.
        if line.buffer.count + below.count > settings.blockBytes { return printBlock(at: place, withLine: true) }
        table.append(line.buffer, breaks: line.breaks, at: place)
        if below.count > 0 { table.append(below, breaks: breaksBelow, at: place) }
        if table[place].waiting.count > settings.blockBytes { printBlock(at: place) }
        while table.waitingBytes > settings.totalBytes, let oldest = table.oldestWaiting { printBlock(at: oldest) }
    }

    /// Ends the composed line and prints it under what waits of its block.
    mutating func commitAtOnce(at place: Int) {
        line.end()
        if selection == nil || isPicked(at: place) { printBlock(at: place, withLine: true) }
        clearLines()
    }

    /// Whether the composed line, which has ended, is shown; one that may be shown later is kept. What was kept before it is shown first.
    private mutating func isPicked(at place: Int) -> Bool {
        let number = table[place].number
        switch selection?.verdict {
        case .show?, nil: break
        case .leaveOut?:
            selection?.leaveOut(number)
            return false
        case .keep?, .keepAsMessage?:
            var lines = line.buffer.bytes.copy
            lines.append(copying: below.bytes)
            let count = line.breaks + breaksBelow
            selection?.putAside(lines, lines: count, of: number)
            return false
        }
        guard let before = selection?.release(number) else { return true }
        if settings.follows, before.isNewGroup {
            output.buffer.append("--\n")
            output.endRecord()
        }
        if before.lost > 0 { showKept(lossOf(before.lost, number), lines: 1, at: place) }
        for unit in before.units { showKept(unit.bytes, lines: unit.lines, at: place) }
        return true
    }

    /// Shows lines of a conversation that were kept.
    private mutating func showKept(_ lines: [UInt8], lines count: UInt64, at place: Int) {
        if settings.follows {
            output.buffer.append(lines.rawBytes)
            output.endRecord(lines: count)
        } else {
            table.append(lines.rawBytes, breaks: count, at: place)
            if table[place].waiting.count > settings.blockBytes { printBlock(at: place) }
        }
    }

    /// Leaves the composed line open, so that the upgrade that comes with an answer can stand beside it.
    mutating func leaveOpen(at place: Int) {
        openLine = place
        openVerdict = selection?.verdict ?? .show
    }

    /// - Parameter isRefusal: What stands under the line by itself says why an upgrade was refused; without one it goes.
    mutating func endOpenLine(isRefusal: Bool = false) {
        guard openLine >= 0 else { return }
        let place = openLine
        openLine = -1
        if !settings.showsHeaders {
            if !isRefusal { clearBelow() } else if selection == nil { addRefusal(at: place) }
        }
        table.keepAsked([], at: place)
        judging(openVerdict) { $0.commit(at: place) }
    }

    /// Begins a line under the one that is being composed, faint and indented, in `lower`.
    mutating func beginBelow(at place: Int) {
        if settings.follows { lower.appendNumber(table[place].number) }
        lower.pad(to: settings.follows ? TextReport.followedSign + 3 : TextReport.blockSign + 3, least: 2)
        lower.ink(.faint)
        lower.origin = (settings.follows ? TextReport.followedSign : TextReport.blockSign) + 5
    }

    mutating func endBelow() {
        lower.end()
        below.append(lower.buffer)
        breaksBelow += lower.breaks
        lower.clear()
    }

    private mutating func clearBelow() {
        below.dropFirst(below.count)
        breaksBelow = 0
    }

    mutating func clearLines() {
        line.clear()
        clearBelow()
    }

    /// Prints the composed line outside of any block.
    mutating func printLine() {
        endAlike()
        line.end()
        separate()
        output.buffer.append(line.buffer)
        output.endRecord(lines: line.breaks)
        line.clear()
    }

    /// Prints the composed line in the place of a block. Several of them stand together.
    mutating func printLone() {
        endAlike()
        if blocks > 0, !lastIsLone { output.buffer.append(0x0a) }
        blocks += 1
        lastIsLone = true
        printLine()
    }

    /// Prints a whole block that was put together earlier, or a line in the place of one.
    mutating func printWhole(_ block: [UInt8], isLone: Bool) {
        let isApart = blocks > 0 && !(isLone && lastIsLone)
        if isApart { output.buffer.append(0x0a) }
        blocks += 1
        lastIsLone = isLone
        separate()
        output.buffer.append(block.rawBytes)
        output.endRecord(lines: UInt64(block.count { $0 == 0x0a }) + (isApart ? 1 : 0))
    }

    /// Prints a line that has ended.
    mutating func print(_ line: [UInt8]) {
        separate()
        output.buffer.append(line.rawBytes)
        output.endRecord(lines: UInt64(line.count { $0 == 0x0a }))
    }

    private mutating func separate() { if settings.separatesUnits { output.buffer.append(Self.unitSeparator) } }

    /// The heading of a conversation's block as it is printed.
    mutating func heading(at place: Int) -> TextLine {
        var heading = TextLine(width: settings.width, usesColor: settings.usesColor, folds: settings.isFull)
        if let terminal = settings.terminal { heading.widen(to: terminal.columns) }
        heading.appendHeading(table[place], &clock)
        heading.end()
        return heading
    }

    /// Prints the heading and the lines of a conversation that wait.
    ///
    /// - Parameter withLine: and the composed line after them.
    mutating func printBlock(at place: Int, withLine: Bool = false) {
        guard withLine || !table[place].waiting.isEmpty else { return }
        endAlike()
        let (lines, waiting) = table.takeWaiting(at: place)
        let heading = heading(at: place)
        let added = withLine ? line.breaks + breaksBelow : 0
        let breaks = waiting + heading.breaks + (blocks > 0 ? 1 : 0) + added
        if blocks > 0 { output.buffer.append(0x0a) }
        blocks += 1
        lastIsLone = false
        output.buffer.append(heading.buffer)
        output.buffer.append(lines.rawBytes)
        if withLine {
            output.buffer.append(line.buffer)
            output.buffer.append(below)
        }
        table[place].isContinued = true
        output.endRecord(lines: breaks)
    }
}
