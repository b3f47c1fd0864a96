import Dissection

/// HTTP Archive 1.2: an entry for each exchange, with the messages of a WebSocket in `_webSocketMessages`, as Chromium writes them.
///
/// An entry is written when nothing more of it is to come, one on a line; a file that was cut off is whole but for its last line and end.
/// What is no HTTP has no place in an archive and is left out.
public struct HARReport: LineSink, ~Copyable {
    private struct Conversation {
        let address: IPAddress
        /// What the server is called: a name and its port, or the address with its port.
        let server: [UInt8]
        var isSecure = false
        var entries: [HAREntry] = []
        /// The exchange that something came of last.
        var latest: UInt64?
    }

    private var output: Output
    private let settings: HARSettings
    private var open: [UInt64: Conversation] = [:]
    private var heldContent = 0
    private var source: CaptureSource?
    private var hasEntry = false
    private let filter: (any EventFilter)?
    private var payloads: PayloadReader
    /// What the filter makes of the event that is taken.
    private var verdict = EventVerdict.show
    /// Exchanges that might have been picked by something that came after there was no room for them any more.
    package private(set) var keptLoss: UInt64 = 0

    public init(_ output: consuming Output, settings: HARSettings = HARSettings()) {
        self.output = output
        self.settings = settings
        filter = settings.makeFilter?()
        payloads = PayloadReader(filter?.wantsDecoded == true ? settings.payloads : .none)
    }

    package var searchesGivenUp: UInt64 { filter?.givenUp ?? 0 }

    public var outputError: OutputError? { output.error }

    public var unwrittenRecords: UInt64 { output.unwrittenRecords }

    public var isHeldUp: Bool { output.isHeldUp }

    public mutating func retry() -> (error: OutputError, lostRecords: UInt64)? { output.retry() }

    public var takesFrames: Bool { false }

    public var heldBytes: Int {
        heldContent + open.capacity * (MemoryLayout<UInt64>.stride + MemoryLayout<Conversation>.stride) + payloads.heldBytes
            + (filter?.heldBytes ?? 0)
    }

    /// What was written since the last call, for an output that stays in memory.
    public mutating func takeBytes() -> [UInt8] { output.take() }

    public mutating func begin(_ source: CaptureSource) {
        guard self.source == nil else { return }
        self.source = source
        writeHeader(source)
    }

    public mutating func receive(_ event: borrowing ConversationEvent) {
        let number = event.conversation
        if number == 0 { return }
        if let wanted = settings.conversations, !wanted.contains(number) { return }
        if let filter {
            verdict = filter.verdict(event, payloads.isIdle ? nil : payloads.read(event))
            if verdict == .show { pick(number) }
        }
        switch event.fact {
        case .opened(let opening): begin(number, opening, event)
        case .tls(let facts): if facts.secrets != .missing { open[number]?.isSecure = true }
        case .request(let head): take(head, event)
        case .response(let head): take(head, event)
        case .body(let part): take(part, event)
        case .upgrade(let upgrade):
            guard upgrade.accepted, event.bytes(upgrade.protocolName).isWord("websocket") else { return }
            change(number, { $0.lastIndex(where: \.isAnswered) }) { entry, _ in entry.becomeWebSocket() }
        case .message(let message):
            guard message.frame == nil else { return }
            let most = settings.payload.limit
            change(number, { $0.lastIndex(where: \.isWebSocket) }) { entry, room in
                entry.take(message, event, most: event.content.byteCount <= room ? most : 0)
            }
        case .close(let close): change(number, { $0.lastIndex(where: \.isWebSocket) }) { entry, _ in entry.take(close, event) }
        case .closed: end(number)
        case .frame, .ping, .pong, .data, .gap, .finding: note(number)
        }
    }

    public mutating func finish(_ totals: Totals) {
        for number in open.keys.sorted() { end(number) }
        writeEnd()
        output.flush()
    }

    public mutating func flush() { output.flush() }

    package mutating func move(to outlet: Outlet) {
        writeEnd()
        output.move(to: outlet)
        hasEntry = false
        if let source { writeHeader(source) }
        output.tellMove()
    }

    // MARK: - What comes

    private mutating func begin(_ number: UInt64, _ opening: Opening, _ event: borrowing ConversationEvent) {
        var server = OutputBuffer(capacity: 64)
        if opening.serverName.isEmpty {
            server.append(opening.server)
        } else {
            server.append(event.bytes(opening.serverName))
            server.append(0x3a)
            server.append(decimal: UInt64(opening.server.port))
        }
        open[number] = Conversation(address: opening.server.address, server: server.bytes.copy)
    }

    private mutating func take(_ head: RequestHead, _ event: borrowing ConversationEvent) {
        let number = event.conversation
        guard let conversation = open[number] else { return }
        // With a filter an exchange that is over waits for what may be found of it.
        if filter != nil {
            while let index = open[number]?.entries.firstIndex(where: { $0.isOver && !$0.mayBePicked }) { write(number, at: index) }
        }
        var entry = HAREntry(head, event, isSecure: conversation.isSecure, server: conversation.server.rawBytes)
        entry.note(verdict)
        heldContent += entry.heldBytes
        open[number]?.latest = entry.exchange
        open[number]?.entries.append(entry)
        if conversation.entries.count >= settings.mostWaiting || heldContent > settings.totalBytes { write(number, at: 0) }
    }

    private mutating func take(_ head: ResponseHead, _ event: borrowing ConversationEvent) {
        // Interim answers (RFC 9110, section 15.2) are no answer yet.
        if 100..<200 ~= head.status, head.status != 101 { return }
        let number = event.conversation
        let asked = head.asked?.exchange
        change(number, { entries in entries.firstIndex { asked == nil ? !$0.isAnswered : $0.exchange == asked } }) { entry, _ in
            entry.take(head, event)
        }
        // What was answered before has all that it will have.
        while let first = open[number]?.entries.first, first.isAnswered, !first.isWebSocket, first.exchange < asked ?? 0, !first.mayBePicked
        {
            write(number, at: 0)
        }
    }

    private mutating func take(_ part: BodyPart, _ event: borrowing ConversationEvent) {
        let number = event.conversation
        let isRequest = event.from == .client
        let most = settings.payload == .none ? 0 : settings.bodyBytes
        change(number, { isRequest ? $0.indices.last : $0.lastIndex(where: \.isAnswered) }) { entry, room in
            entry.take(part, event, most: min(most, room))
        }
        guard part.final, filter == nil, let index = open[number]?.entries.firstIndex(where: \.isOver) else { return }
        write(number, at: index)
    }

    /// Changes an entry, and counts what it takes.
    ///
    /// - Parameter body: gets the bytes that there is room for.
    private mutating func change(
        _ number: UInt64, _ place: ([HAREntry]) -> Int?, _ body: (inout HAREntry, Int) -> Void
    ) {
        guard let slot = open.index(forKey: number), let index = place(open.values[slot].entries) else { return }
        let before = open.values[slot].entries[index].heldBytes
        body(&open.values[slot].entries[index], max(0, settings.totalBytes - heldContent))
        open.values[slot].entries[index].note(verdict)
        open.values[slot].latest = open.values[slot].entries[index].exchange
        heldContent += open.values[slot].entries[index].heldBytes - before
    }

    /// Something of a conversation is picked: with it comes what was kept until then.
    private mutating func pick(_ number: UInt64) {
        guard let slot = open.index(forKey: number) else { return }
        for index in open.values[slot].entries.indices where open.values[slot].entries[index].mayBePicked {
            open.values[slot].entries[index].note(.show)
        }
    }

    /// What is no part of an archive may be what an exchange is picked for: the one that something came of last.
    private mutating func note(_ number: UInt64) {
        guard filter != nil, verdict != .leaveOut, let slot = open.index(forKey: number), let latest = open.values[slot].latest,
            let index = open.values[slot].entries.lastIndex(where: { $0.exchange == latest })
        else { return }
        open.values[slot].entries[index].note(verdict)
    }

    private mutating func end(_ number: UInt64) {
        // No hit comes any more.
        if filter != nil, let slot = open.index(forKey: number) {
            let left = open.values[slot].entries.filter { $0.verdict != .show }
            for entry in left { heldContent -= entry.heldBytes }
            open.values[slot].entries.removeAll { $0.verdict != .show }
        }
        while open[number]?.entries.isEmpty == false { write(number, at: 0) }
        open[number] = nil
    }

    // MARK: - What is written

    private mutating func write(_ number: UInt64, at index: Int) {
        guard let conversation = open[number], conversation.entries.indices.contains(index) else { return }
        let entry = conversation.entries[index]
        open[number]?.entries.remove(at: index)
        heldContent -= entry.heldBytes
        if filter != nil, entry.verdict != .show {
            if entry.mayBePicked { keptLoss &+= 1 }
            return
        }
        if output.isUseless { return output.leaveOut() }
        if hasEntry { output.buffer.append(",\n") }
        hasEntry = true
        entry.write(to: &output.buffer, conversation: number, address: conversation.address)
        output.endRecord()
    }

    private mutating func writeHeader(_ source: CaptureSource) {
        let parts = source.tool.split(separator: " ", maxSplits: 1)
        output.addForeignBreak()
        output.buffer.append("{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"")
        output.buffer.append(utf8: String(parts.first ?? "unmask"))
        output.buffer.append("\",\"version\":\"")
        output.buffer.append(utf8: String(parts.dropFirst().first ?? ""))
        output.buffer.append("\"},\"pages\":[],\"entries\":[\n")
    }

    private mutating func writeEnd() {
        if hasEntry { output.buffer.append(0x0a) }
        output.addForeignBreak()
        output.buffer.append("]}}\n")
    }
}
