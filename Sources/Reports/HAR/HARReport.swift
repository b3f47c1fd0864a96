import Dissection

/// HTTP Archive 1.2: an entry for each exchange, with the messages of a WebSocket in `_webSocketMessages`, as Chromium writes them.
///
/// An entry is written when nothing more of it is to come, one on a line; a file that was cut off is whole but for its last line and end.
/// What is no HTTP has no place in an archive and is left out.
public struct HARReport: LineSink, ~Copyable {
    private var output: Output
    private let settings: HARSettings
    /// Conversations that have opened and had no exchange, and those that have had one.
    private var openings = HAROpenings()
    private var open = ConversationSlots(vacant: HARConversation(server: Endpoint(address: IPAddress(), port: 0)))
    private var heldContent = 0
    private var source: CaptureSource?
    private var hasEntry = false
    /// Bytes that nobody saw of conversations which had no entry any more to say so.
    private var missing: UInt64 = 0
    /// Messages that came when there was no room for an entry.
    private var leftOutMessages: UInt64 = 0
    private let filter: (any EventFilter)?
    private let payloads: DecodingStage
    /// What the filter makes of the event that is taken.
    private var verdict = EventVerdict.show
    /// Exchanges that might have been picked by something that came after there was no room for them any more.
    package private(set) var keptLoss: UInt64 = 0

    public init(_ output: consuming Output, settings: HARSettings = HARSettings()) {
        self.init(output, settings: settings, decoding: nil)
    }

    init(_ output: consuming Output, settings: HARSettings, decoding: DecodingStage?) {
        self.output = output
        self.settings = settings
        filter = DecodingStage.filter(settings.filter, decoding)
        payloads = .of(decoding, reads: filter?.wantsDecoded == true, settings.filter?.payloads ?? .standard)
    }

    package var searchesGivenUp: UInt64 { filter?.givenUp ?? 0 }

    public var outputError: OutputError? { output.error }

    public var unwrittenRecords: UInt64 { output.unwrittenRecords }

    public var isHeldUp: Bool { output.isHeldUp }

    public mutating func retry() -> (error: OutputError, lostRecords: UInt64)? { output.retry() }

    public var takesFrames: Bool { false }

    public var heldBytes: Int {
        heldContent + openings.heldBytes + open.heldBytes + payloads.heldBytes + (filter?.heldBytes ?? 0)
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
        let stream = event.channel.stream
        if let wanted = settings.conversations, !wanted.contains(number) { return }
        if let filter {
            verdict = filter.verdict(event, payloads.isIdle ? nil : payloads.read(event))
            if verdict == .show { pick(number) }
        }
        switch event.fact {
        case .opened(let opening): begin(number, opening, event)
        case .tls(let facts):
            guard facts.secrets != .missing else { return }
            let slot = place(of: number)
            open[slot].isSecure = true
        case .request(let head): take(head, event)
        case .response(let head): take(head, event)
        case .body(let part): take(part, event)
        case .upgrade(let upgrade):
            guard upgrade.accepted, event.bytes(upgrade.protocolName).isWord("websocket") else { return }
            beginWebSocket(event)
        case .message(let message):
            guard message.frame == nil else { return }
            let most = settings.payload.limit
            guard goOnWithWebSocket(event) else { return leaveOutMessage() }
            change(number, { $0.entries.index(of: $0[stream].webSocket) }) { entry, room in
                entry.take(message, event, most: most, room: room)
            }
        case .close(let close):
            guard goOnWithWebSocket(event) else { return }
            change(number, { $0.entries.index(of: $0[stream].webSocket) }) { entry, _ in entry.take(close, event) }
        case .gap(let gap):
            guard let side = event.from, let slot = open.slot(of: number) else { return }
            open[slot].note(gap, from: side, in: stream)
            note(number)
        case .closed(let closing): end(number, closing)
        case .data:
            // What the client asks for in it is not known, nor that a body after it belongs to the request before.
            if event.from == .client, let slot = open.slot(of: number) { open[slot][stream].asking = nil }
            note(number)
        case .frame, .ping, .pong, .control, .finding: note(number)
        }
    }

    public mutating func finish(_ totals: Totals) {
        for number in open.all.sorted() { end(number, nil) }
        if source == nil { begin(CaptureSource(kind: .file, name: "", tool: "unmask")) }
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
        end(number, nil)
        if opening.serverName.isEmpty { return openings.insert(opening.server, of: number) }
        insert(HARConversation(server: opening.server, name: event.bytes(opening.serverName)), number)
    }

    private mutating func insert(_ conversation: HARConversation, _ number: UInt64) {
        guard let slot = open.slotAdding(number) else { return }
        open[slot] = conversation
        heldContent += conversation.heldBytes
    }

    /// Where a conversation stands that something is known of. One that was given up may go on, and its server is not known any more.
    private mutating func place(of number: UInt64) -> Int {
        while true {
            if let slot = open.slot(of: number) { return slot }
            let server = openings.take(number) ?? Endpoint(address: IPAddress(), port: 0)
            insert(HARConversation(server: server), number)
        }
    }

    private mutating func take(_ head: RequestHead, _ event: borrowing ConversationEvent) {
        let stream = event.channel.stream
        let slot = place(of: event.conversation)
        // With a filter an exchange that is over waits for what may be found of it, until the next one begins.
        if filter != nil, let index = open[slot].entries.index(of: open[slot][stream].responding),
            open[slot].entries[index].isOver,
            !open[slot].entries[index].mayBePicked
        {
            write(event.conversation, at: index)
        }
        let exchange = open[slot].number(of: head)
        let server = open[slot].server
        let entry = HAREntry(
            head, event, exchange: exchange, isSecure: open[slot].isSecure, server: server.rawBytes)
        open[slot][stream].asking = exchange
        add(entry, of: stream, event.conversation, slot)
    }

    /// Adds an entry, and writes the oldest ones as they are where there is no room.
    private mutating func add(
        _ begun: consuming HAREntry, of stream: UInt32, _ number: UInt64, _ slot: Int
    ) {
        var entry = begun
        entry.stream = stream
        open[slot].giveMissing(to: &entry)
        entry.note(verdict)
        open[slot].noteLatest(entry.exchange, mayBePicked: entry.mayBePicked)
        heldContent += entry.heldBytes
        open[slot].entries.append(entry)
        makeRoom(number)
    }

    private mutating func hasEntries(_ number: UInt64) -> Bool {
        guard let slot = open.slot(of: number) else { return false }
        return !open[slot].entries.isEmpty
    }

    private mutating func makeRoom(_ number: UInt64) {
        while heldContent > settings.totalBytes, hasEntries(number) { write(number, at: 0, isEarly: true) }
    }

    private mutating func take(_ head: ResponseHead, _ event: borrowing ConversationEvent) {
        let stream = event.channel.stream
        // Interim answers (RFC 9110, section 15.2) are no answer yet.
        if 100..<200 ~= head.status, head.status != 101 { return }
        let number = event.conversation
        let slot = place(of: number)
        // What was answered before has all that it will have, but for a body that is still sent.
        if let index = open[slot].entries.index(of: open[slot][stream].responding),
            !open[slot].entries[index].isWebSocket,
            open[slot][stream].responding != open[slot][stream].asking
                || !open[slot].entries[index].awaitsBody(from: .client),
            !open[slot].entries[index].mayBePicked
        {
            write(number, at: index)
        }
        let asked = head.asked?.exchange
        if let index = open[slot].entries.index(of: asked), !open[slot].entries[index].isAnswered {
            open[slot][stream].responding = asked
            change(number, { $0.entries.index(of: $0[stream].responding) }) { entry, _ in entry.take(head, event) }
            return makeRoom(number)
        }
        let isKnown = asked.map { open[slot].hasHad($0) } ?? false
        let exchange = open[slot].takeStrayNumber()
        let (method, target) = head.asked.map { ($0.method, $0.target) } ?? (ByteRange(), ByteRange())
        var entry = HAREntry(
            exchange: exchange, method: event.asked.extracting(method.start..<method.end),
            target: event.asked.extracting(target.start..<target.end), at: event.place.time, isSecure: open[slot].isSecure,
            server: open[slot].server, notes: isKnown ? .earlierRequest : .unknownRequest)
        entry.take(head, event)
        open[slot][stream].responding = exchange
        add(entry, of: stream, number, slot)
    }

    private mutating func take(_ part: BodyPart, _ event: borrowing ConversationEvent) {
        let stream = event.channel.stream
        let number = event.conversation
        let isRequest = event.from == .client
        let most = settings.payload == .none ? 0 : settings.bodyBytes
        change(number, { $0.entries.index(of: isRequest ? $0[stream].asking : $0[stream].responding) }) { entry, room in
            entry.take(part, event, most: most, room: room)
        }
        guard part.final, let slot = open.slot(of: number),
            let index = open[slot].entries.index(
                of: isRequest ? open[slot][stream].asking : open[slot][stream].responding),
            open[slot].entries[index].isOver, filter == nil || open[slot].entries[index].verdict == .show
        else { return }
        write(number, at: index)
    }

    /// A WebSocket begins: with the exchange that was answered last, or without one where its handshake is not known.
    private mutating func beginWebSocket(_ event: borrowing ConversationEvent) {
        let stream = event.channel.stream
        let slot = place(of: event.conversation)
        let answered = open[slot][stream].responding
        let asking = open[slot][stream].asking
        var begun = open[slot].entries.index(of: answered) == nil ? nil : answered
        // The answer was not seen, or an archive had none.
        if begun == nil, let index = open[slot].entries.index(of: asking), !open[slot].entries[index].isAnswered {
            begun = asking
        }
        if case .upgrade = event.fact, let begun {
            open[slot][stream].webSocket = begun
            return change(event.conversation, { $0.entries.index(of: $0[stream].webSocket) }) { entry, _ in entry.becomeWebSocket() }
        }
        let exchange = open[slot].takeStrayNumber()
        var entry = HAREntry(
            exchange: exchange, at: event.place.time, isSecure: open[slot].isSecure, server: open[slot].server,
            notes: .unknownHandshake)
        entry.becomeWebSocket()
        open[slot][stream].webSocket = exchange
        add(entry, of: stream, event.conversation, slot)
    }

    /// Whether there is an entry for what a WebSocket goes on with: where there is none any more, one begins as soon as there is room.
    private mutating func goOnWithWebSocket(_ event: borrowing ConversationEvent) -> Bool {
        let stream = event.channel.stream
        let slot = place(of: event.conversation)
        if open[slot].entries.index(of: open[slot][stream].webSocket) != nil { return true }
        guard heldContent < settings.contentBytes else { return false }
        beginWebSocket(event)
        return open[slot].entries.index(of: open[slot][stream].webSocket) != nil
    }

    /// Changes an entry, and counts what it takes.
    ///
    /// - Parameter body: gets the bytes that there is room for.
    private mutating func change(
        _ number: UInt64, _ place: (HARConversation) -> Int?, _ body: (inout HAREntry, Int) -> Void
    ) {
        guard let slot = open.slot(of: number), let index = place(open[slot]) else { return }
        let before = open[slot].entries[index].heldBytes
        body(&open[slot].entries[index], max(0, settings.contentBytes - heldContent))
        heldContent += open[slot].entries[index].heldBytes - before
        open[slot].entries[index].note(verdict)
        noteLatest(slot, index)
    }

    // MARK: - What the filter picks

    /// Something of a conversation is picked: with it comes what was kept until then.
    private mutating func pick(_ number: UInt64) {
        guard let slot = open.slot(of: number), open[slot].hasKept else { return }
        open[slot].hasKept = false
        for index in open[slot].entries.indices where open[slot].entries[index].mayBePicked {
            open[slot].entries[index].note(.show)
        }
    }

    /// What is no part of an archive may be what an exchange is picked for: the one that something came of last.
    private mutating func note(_ number: UInt64) {
        guard filter != nil, verdict != .leaveOut, let slot = open.slot(of: number),
            let index = open[slot].entries.index(of: open[slot].latest)
        else { return }
        open[slot].entries[index].note(verdict)
        noteLatest(slot, index)
    }

    private mutating func noteLatest(_ slot: Int, _ index: Int) {
        let (exchange, mayBePicked) = (open[slot].entries[index].exchange, open[slot].entries[index].mayBePicked)
        open[slot].noteLatest(exchange, mayBePicked: mayBePicked)
    }

    /// Counts a message that there was no room for, where it would have been written.
    private mutating func leaveOutMessage() {
        if filter == nil || verdict == .show { leftOutMessages &+= 1 }
    }

    // MARK: - What ends

    private mutating func end(_ number: UInt64, _ closing: Closing?) {
        _ = openings.take(number)
        guard let slot = open.slot(of: number) else { return }
        if let closing { for index in open[slot].entries.indices { open[slot].entries[index].note(closing) } }
        while hasEntries(number) { write(number, at: 0) }
        guard let conversation = open.remove(number) else { return }
        heldContent -= conversation.heldBytes
        // Of a conversation in which nothing was picked the archive has nothing.
        guard filter == nil || conversation.hasWritten else { return }
        missing = missing.clampedSum(conversation.missing.client.bytes).clampedSum(conversation.missing.server.bytes)
    }

    // MARK: - What is written

    private mutating func write(_ number: UInt64, at index: Int, isEarly: Bool = false) {
        guard let slot = open.slot(of: number), open[slot].entries.indices.contains(index) else { return }
        var entry = open[slot].entries.remove(at: index)
        heldContent -= entry.heldBytes
        open[slot].forget(entry.exchange, of: entry.stream)
        if filter != nil, entry.verdict != .show {
            if isEarly, entry.mayBePicked { keptLoss &+= 1 }
            return
        }
        open[slot].hasWritten = true
        if isEarly { entry.losses.notes.insert(.writtenEarly) }
        entry.noteOpenBodies()
        if output.isUseless { return output.leaveOut() }
        if hasEntry { output.buffer.append(",\n") }
        hasEntry = true
        entry.write(
            to: &output.buffer, conversation: number, address: open[slot].address, hasStrays: open[slot].strays > 0)
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
        output.buffer.append(0x5d)
        var losses = HARLosses()
        (losses.elsewhere, losses.leftOutMessages) = (missing, leftOutMessages)
        losses.write(to: &output.buffer)
        (missing, leftOutMessages) = (0, 0)
        output.buffer.append("}}\n")
    }
}
