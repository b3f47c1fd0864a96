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
    private var open: [UInt64: HARConversation] = [:]
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
        heldContent + openings.heldBytes + open.capacity * (MemoryLayout<UInt64>.stride + MemoryLayout<HARConversation>.stride)
            + payloads.heldBytes + (filter?.heldBytes ?? 0)
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
            open.values[slot].isSecure = true
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
            guard let side = event.from, let slot = open.index(forKey: number) else { return }
            open.values[slot].note(gap, from: side, in: stream)
            note(number)
        case .closed(let closing): end(number, closing)
        case .data:
            // What the client asks for in it is not known, nor that a body after it belongs to the request before.
            if event.from == .client, let slot = open.index(forKey: number) { open.values[slot][stream].asking = nil }
            note(number)
        case .frame, .ping, .pong, .control, .finding: note(number)
        }
    }

    public mutating func finish(_ totals: Totals) {
        for number in open.keys.sorted() { end(number, nil) }
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
        open[number] = conversation
        heldContent += conversation.heldBytes
    }

    /// Where a conversation stands that something is known of. One that was given up may go on, and its server is not known any more.
    private mutating func place(of number: UInt64) -> Dictionary<UInt64, HARConversation>.Index {
        while true {
            if let slot = open.index(forKey: number) { return slot }
            let server = openings.take(number) ?? Endpoint(address: IPAddress(), port: 0)
            insert(HARConversation(server: server), number)
        }
    }

    private mutating func take(_ head: RequestHead, _ event: borrowing ConversationEvent) {
        let stream = event.channel.stream
        let slot = place(of: event.conversation)
        // With a filter an exchange that is over waits for what may be found of it, until the next one begins.
        if filter != nil, let index = open.values[slot].entries.index(of: open.values[slot][stream].responding),
            open.values[slot].entries[index].isOver,
            !open.values[slot].entries[index].mayBePicked
        {
            write(event.conversation, at: index)
        }
        let exchange = open.values[slot].number(of: head)
        let server = open.values[slot].server
        let entry = HAREntry(
            head, event, exchange: exchange, isSecure: open.values[slot].isSecure, server: server.rawBytes)
        open.values[slot][stream].asking = exchange
        add(entry, of: stream, event.conversation, slot)
    }

    /// Adds an entry, and writes the oldest ones as they are where there is no room.
    private mutating func add(
        _ begun: consuming HAREntry, of stream: UInt32, _ number: UInt64, _ slot: Dictionary<UInt64, HARConversation>.Index
    ) {
        var entry = begun
        entry.stream = stream
        open.values[slot].giveMissing(to: &entry)
        entry.note(verdict)
        open.values[slot].noteLatest(entry.exchange, mayBePicked: entry.mayBePicked)
        heldContent += entry.heldBytes
        open.values[slot].entries.append(entry)
        makeRoom(number)
    }

    private mutating func makeRoom(_ number: UInt64) {
        while heldContent > settings.totalBytes, open[number]?.entries.isEmpty == false { write(number, at: 0, isEarly: true) }
    }

    private mutating func take(_ head: ResponseHead, _ event: borrowing ConversationEvent) {
        let stream = event.channel.stream
        // Interim answers (RFC 9110, section 15.2) are no answer yet.
        if 100..<200 ~= head.status, head.status != 101 { return }
        let number = event.conversation
        let slot = place(of: number)
        // What was answered before has all that it will have, but for a body that is still sent.
        if let index = open.values[slot].entries.index(of: open.values[slot][stream].responding),
            !open.values[slot].entries[index].isWebSocket,
            open.values[slot][stream].responding != open.values[slot][stream].asking
                || !open.values[slot].entries[index].awaitsBody(from: .client),
            !open.values[slot].entries[index].mayBePicked
        {
            write(number, at: index)
        }
        let asked = head.asked?.exchange
        if let index = open.values[slot].entries.index(of: asked), !open.values[slot].entries[index].isAnswered {
            open.values[slot][stream].responding = asked
            change(number, { $0.entries.index(of: $0[stream].responding) }) { entry, _ in entry.take(head, event) }
            return makeRoom(number)
        }
        let isKnown = asked.map { open.values[slot].hasHad($0) } ?? false
        let exchange = open.values[slot].takeStrayNumber()
        let (method, target) = head.asked.map { ($0.method, $0.target) } ?? (ByteRange(), ByteRange())
        var entry = HAREntry(
            exchange: exchange, method: event.asked.extracting(method.start..<method.end),
            target: event.asked.extracting(target.start..<target.end), at: event.place.time, isSecure: open.values[slot].isSecure,
            server: open.values[slot].server, notes: isKnown ? .earlierRequest : .unknownRequest)
        entry.take(head, event)
        open.values[slot][stream].responding = exchange
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
        guard part.final, let slot = open.index(forKey: number),
            let index = open.values[slot].entries.index(
                of: isRequest ? open.values[slot][stream].asking : open.values[slot][stream].responding),
            open.values[slot].entries[index].isOver, filter == nil || open.values[slot].entries[index].verdict == .show
        else { return }
        write(number, at: index)
    }

    /// A WebSocket begins: with the exchange that was answered last, or without one where its handshake is not known.
    private mutating func beginWebSocket(_ event: borrowing ConversationEvent) {
        let stream = event.channel.stream
        let slot = place(of: event.conversation)
        let answered = open.values[slot][stream].responding
        let asking = open.values[slot][stream].asking
        var begun = open.values[slot].entries.index(of: answered) == nil ? nil : answered
        // The answer was not seen, or an archive had none.
        if begun == nil, let index = open.values[slot].entries.index(of: asking), !open.values[slot].entries[index].isAnswered {
            begun = asking
        }
        if case .upgrade = event.fact, let begun {
            open.values[slot][stream].webSocket = begun
            return change(event.conversation, { $0.entries.index(of: $0[stream].webSocket) }) { entry, _ in entry.becomeWebSocket() }
        }
        let exchange = open.values[slot].takeStrayNumber()
        var entry = HAREntry(
            exchange: exchange, at: event.place.time, isSecure: open.values[slot].isSecure, server: open.values[slot].server,
            notes: .unknownHandshake)
        entry.becomeWebSocket()
        open.values[slot][stream].webSocket = exchange
        add(entry, of: stream, event.conversation, slot)
    }

    /// Whether there is an entry for what a WebSocket goes on with: where there is none any more, one begins as soon as there is room.
    private mutating func goOnWithWebSocket(_ event: borrowing ConversationEvent) -> Bool {
        let stream = event.channel.stream
        let slot = place(of: event.conversation)
        if open.values[slot].entries.index(of: open.values[slot][stream].webSocket) != nil { return true }
        guard heldContent < settings.contentBytes else { return false }
        beginWebSocket(event)
        return open.values[slot].entries.index(of: open.values[slot][stream].webSocket) != nil
    }

    /// Changes an entry, and counts what it takes.
    ///
    /// - Parameter body: gets the bytes that there is room for.
    private mutating func change(
        _ number: UInt64, _ place: (HARConversation) -> Int?, _ body: (inout HAREntry, Int) -> Void
    ) {
        guard let slot = open.index(forKey: number), let index = place(open.values[slot]) else { return }
        let before = open.values[slot].entries[index].heldBytes
        body(&open.values[slot].entries[index], max(0, settings.contentBytes - heldContent))
        heldContent += open.values[slot].entries[index].heldBytes - before
        open.values[slot].entries[index].note(verdict)
        noteLatest(slot, index)
    }

    // MARK: - What the filter picks

    /// Something of a conversation is picked: with it comes what was kept until then.
    private mutating func pick(_ number: UInt64) {
        guard let slot = open.index(forKey: number), open.values[slot].hasKept else { return }
        open.values[slot].hasKept = false
        for index in open.values[slot].entries.indices where open.values[slot].entries[index].mayBePicked {
            open.values[slot].entries[index].note(.show)
        }
    }

    /// What is no part of an archive may be what an exchange is picked for: the one that something came of last.
    private mutating func note(_ number: UInt64) {
        guard filter != nil, verdict != .leaveOut, let slot = open.index(forKey: number),
            let index = open.values[slot].entries.index(of: open.values[slot].latest)
        else { return }
        open.values[slot].entries[index].note(verdict)
        noteLatest(slot, index)
    }

    private mutating func noteLatest(_ slot: Dictionary<UInt64, HARConversation>.Index, _ index: Int) {
        let (exchange, mayBePicked) = (open.values[slot].entries[index].exchange, open.values[slot].entries[index].mayBePicked)
        open.values[slot].noteLatest(exchange, mayBePicked: mayBePicked)
    }

    /// Counts a message that there was no room for, where it would have been written.
    private mutating func leaveOutMessage() {
        if filter == nil || verdict == .show { leftOutMessages &+= 1 }
    }

    // MARK: - What ends

    private mutating func end(_ number: UInt64, _ closing: Closing?) {
        _ = openings.take(number)
        guard let slot = open.index(forKey: number) else { return }
        if let closing { for index in open.values[slot].entries.indices { open.values[slot].entries[index].note(closing) } }
        while open[number]?.entries.isEmpty == false { write(number, at: 0) }
        guard let conversation = open.removeValue(forKey: number) else { return }
        heldContent -= conversation.heldBytes
        // Of a conversation in which nothing was picked the archive has nothing.
        guard filter == nil || conversation.hasWritten else { return }
        missing = missing.clampedSum(conversation.missing.client.bytes).clampedSum(conversation.missing.server.bytes)
    }

    // MARK: - What is written

    private mutating func write(_ number: UInt64, at index: Int, isEarly: Bool = false) {
        guard let slot = open.index(forKey: number), open.values[slot].entries.indices.contains(index) else { return }
        var entry = open.values[slot].entries.remove(at: index)
        heldContent -= entry.heldBytes
        open.values[slot].forget(entry.exchange, of: entry.stream)
        if filter != nil, entry.verdict != .show {
            if isEarly, entry.mayBePicked { keptLoss &+= 1 }
            return
        }
        open.values[slot].hasWritten = true
        if isEarly { entry.losses.notes.insert(.writtenEarly) }
        entry.noteOpenBodies()
        if output.isUseless { return output.leaveOut() }
        if hasEntry { output.buffer.append(",\n") }
        hasEntry = true
        entry.write(
            to: &output.buffer, conversation: number, address: open.values[slot].address, hasStrays: open.values[slot].strays > 0)
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
