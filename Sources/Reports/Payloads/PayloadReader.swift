import Dissection

/// Reads the payloads of all conversations of an output, and keeps what is known of each that is open.
package struct PayloadReader: Sendable {
    let table: PayloadTable
    /// What is read is for lines of text (`PayloadContext.isForLine`).
    package var isForLines = false
    /// Of conversations, and of the streams in them.
    var conversations = ConversationSlots(vacant: PayloadConversation())
    private var streams: [PayloadChannel: PayloadConversation] = [:]
    private var sessions: PayloadSessions
    /// Of what formats keep of all conversations together, and of bodies that come in parts.
    private let mostBytes: Int
    private var memoryBytes = 0
    private var bodyBytes = 0
    /// What the part of a body makes known that was noted last.
    var turn = BodyInParts.Turn.nothing
    /// The format of the body of which a part was noted last that is not read by itself; nil where it is, or nobody knows.
    var partFormat: StaticString?
    /// Calls without an answer of the conversation that was closed last; no more than 4 KiB, which count for nothing.
    private(set) var unanswered = UnansweredCalls()
    var uses: UInt64 = 0
    /// Bytes of what is known of conversations.
    private var conversationBytes = 0
    /// Bytes of what is known.
    package var heldBytes: Int { conversationBytes + conversations.heldBytes + sessions.heldBytes + turn.heldBytes }

    private static let longestName = 256
    /// Bytes of what is known of a conversation that each of its messages asks for.
    private static let messageBytes = 320
    static let longestTrailers = 4_096
    static let longestTarget = 1_024
    /// Streams of a connection of which something is kept.
    private static let mostStreams = 256

    /// - Parameter mostBytes: what formats may keep of all conversations together, such as events whose attachments are still to come; of
    ///   those that were not used for longest it is forgotten. Half as much again is kept of sessions that run over several, and as much again
    ///   of bodies that come in parts.
    package init(_ table: PayloadTable, mostBytes: Int = 4 << 20) {
        self.table = table
        self.mostBytes = mostBytes
        sessions = PayloadSessions(mostBytes: mostBytes / 2)
    }

    package var isIdle: Bool { table.rows.isEmpty }

    /// Takes an event. Returns what its payload says, where it has one that a format knows.
    package mutating func read(_ event: borrowing ConversationEvent) -> DecodedPayload? {
        note(event)
        return payload(of: event)
    }

    /// The event that was noted is not read.
    mutating func pass() { turn = .nothing }

    /// Takes what an event says of the payloads after it.
    package mutating func note(_ event: borrowing ConversationEvent) {
        // A fact is large to copy, and most events say nothing of payloads to come.
        switch event.kind {
        case .message: return conversations.prefetch(event.conversation, bytes: Self.messageBytes)
        case .data, .frame, .ping, .pong, .close, .control, .finding: return
        case .opened, .tls, .upgrade, .request, .response, .gap, .body, .closed: break
        }
        switch event.fact {
        case .opened(let opening):
            // Nothing but rules asks for these.
            guard table.hasRules else { return }
            var conversation = forget(PayloadChannel(event)) ?? PayloadConversation()
            conversation.context.port = opening.server.port
            conversation.context.host = name(event.bytes(opening.serverName))
            keep(conversation, PayloadChannel(event))
        case .tls(let hello):
            guard table.hasRules, !hello.serverName.isEmpty else { return }
            var conversation = forget(PayloadChannel(event)) ?? PayloadConversation()
            conversation.context.host = name(event.bytes(hello.serverName))
            keep(conversation, PayloadChannel(event))
        case .upgrade(let upgrade):
            guard upgrade.accepted else { return }
            change(event) { $0.note(upgrade, of: $1) }
        case .request(let head):
            note(head.fields, target: event.bytes(head.target), exchange: head.exchange, of: event, isRequest: true)
        case .response(let head):
            guard head.status >= 200 else { return }
            let range = head.asked?.target ?? ByteRange()
            let target = event.asked.extracting(range.start..<range.end)
            note(head.fields, target: target, exchange: head.asked?.exchange ?? 0, of: event, isRequest: false)
            if head.asked?.isCut == true { lengthenTarget(of: PayloadChannel(event)) }
        case .gap:
            guard let side = event.from, var conversation = forget(PayloadChannel(event)) else { return }
            conversation.memory.lose(bytesOf: side)
            conversation[side].body.lose()
            if !conversation.session.isEmpty, var memory = sessions.take(conversation.session) {
                memory.lose(bytesOf: side)
                sessions.keep(memory, conversation.session)
            }
            keep(conversation, PayloadChannel(event))
        case .body(let part): note(part, of: event)
        case .closed(let closing):
            unanswered = UnansweredCalls()
            // Of what was given up, and of what went on unseen, the end is not known.
            defer { if closing.how == .evicted || closing.how == .limit || closing.how == .timeout { unanswered = UnansweredCalls() } }
            guard var conversation = forget(PayloadChannel(event)) else { return }
            // A side that has ended was there, though it said nothing.
            if closing.clientEnd != .open { conversation.memory.calls.hear(.client) }
            if closing.serverEnd != .open { conversation.memory.calls.hear(.server) }
            let lastSeen = closing.how == .endOfCapture || closing.how == .shutdown ? event.place.time : nil
            for stream in conversation.streams { endSession(forget(PayloadChannel(event.conversation, stream)), lastSeen: lastSeen) }
            endSession(conversation, lastSeen: lastSeen)
        case _: return
        }
    }

    /// What the payload of an event says, whose event was noted; nil where it has none, or none that a format knows.
    package mutating func payload(of event: borrowing ConversationEvent) -> DecodedPayload? {
        isPlainJSON(event) ? .plainJSON : payloadOfAnyFormat(event)
    }

    /// The same, where `isPlainJSON` does not say it.
    mutating func payloadOfAnyFormat(_ event: borrowing ConversationEvent) -> DecodedPayload? {
        // As above: a fact is looked at only where there may be a payload.
        switch event.kind {
        case .message, .body, .response, .data: break
        case _: return nil
        }
        switch event.fact {
        case .message(let message):
            // An empty one says something too, where a format waits for it or a rule names its type.
            guard let from = event.from, event.content.byteCount > 0 || message.length == 0 else { return nil }
            // What a frame announces and what never came is not too long.
            let isTooLong = !message.isUnfinished && (message.frame == nil || message.wireLength >= message.length)
            let isCut = message.isUnfinished || UInt64(event.content.byteCount) < event.shown(message.length)
            var traits = MessageTraits(opcode: message.opcode, cutIsLength: isTooLong)
            if let frame = message.frame {
                traits.carrier = .framed
                if case .protocol(let name) = frame.framing { traits.framing = name.word.bytes.copy }
            }
            return read(event.content, isCut: isCut, of: event, from, traits)
        case .body(let part):
            return payload(of: part, in: event)
        case .response(let head):
            guard let from = event.from, head.status >= 200, hasCallStatus(event) else { return nil }
            let fields = event.bytes(head.fields).prefix(Self.longestTrailers).copy
            return read(RawSpan(), isCut: false, of: event, from) { context, conversation in
                context.carrier = .head
                context.contentType = conversation.server.contentType
                context.target = conversation.server.target
                context.trailers = fields
            }
        case .data(let run):
            guard let from = event.from, event.content.byteCount > 0, run.framing == nil else { return nil }
            return read(event.content, isCut: UInt64(event.content.byteCount) < event.shown(run.length), of: event, from) {
                context, _ in context.carrier = .data
            }
        case _: return nil
        }
    }

    /// Reads a payload with what is known of its conversation.
    ///
    /// - Parameters:
    ///   - message: of a message, which is read in the context that its conversation keeps; other payloads have one of their own.
    ///   - complete: adds to that what is known of them.
    mutating func read(
        _ bytes: RawSpan, isCut: Bool, of event: borrowing ConversationEvent, _ from: Side, _ message: MessageTraits? = nil,
        complete: (inout PayloadContext, borrowing PayloadConversation) -> Void = { _, _ in }
    ) -> DecodedPayload? {
        let common = PayloadContext.Common(from: from, isCut: isCut, time: event.place.time, isForLine: isForLines)
        let channel = PayloadChannel(event)
        if channel.stream == 0, let slot = conversations.slot(of: channel.conversation) {
            // Changed where it is: most payloads are of conversations that are known.
            uses += 1
            let (decoded, growth) = Self.read(bytes, common, message, by: table, &conversations[slot], &sessions, use: uses, complete)
            conversationBytes += growth.all
            memoryBytes += growth.memory
            if memoryBytes > mostBytes { giveUpOldest() }
            return decoded
        }
        // Taken out of the table, so that changing it copies nothing.
        let known = forget(channel)
        var conversation = known ?? fresh(channel)
        let decoded = Self.read(bytes, common, message, by: table, &conversation, &sessions, use: uses, complete).decoded
        if decoded != nil || known != nil { keep(conversation, channel) }
        return decoded
    }

    /// Reads a payload with what is known of its conversation. Returns what it says, and by how much what is known has grown: no more of it than
    /// what formats keep and the name of the session changes.
    private static func read(
        _ bytes: RawSpan, _ common: PayloadContext.Common, _ message: MessageTraits?, by table: PayloadTable,
        _ conversation: inout PayloadConversation, _ sessions: inout PayloadSessions, use: UInt64,
        _ complete: (inout PayloadContext, borrowing PayloadConversation) -> Void
    ) -> (decoded: DecodedPayload?, growth: (all: Int, memory: Int)) {
        let before = (session: conversation.session.capacity, memory: conversation.memory.heldBytes)
        let decoded: DecodedPayload?
        if let message {
            conversation.context.begin(common)
            conversation.context.opcode = message.opcode
            conversation.context.cutIsLength = message.cutIsLength
            conversation.context.carrier = message.carrier
            conversation.context.framing = message.framing
            decoded = decode(bytes, with: &conversation.context, by: table, &conversation.memory, &conversation.session, &sessions)
        } else {
            var context = PayloadContext(from: common.from, opcode: 0, isCut: false)
            context.begin(common)
            (context.host, context.port) = (conversation.context.host, conversation.context.port)
            complete(&context, conversation)
            decoded = decode(bytes, with: &context, by: table, &conversation.memory, &conversation.session, &sessions)
        }
        conversation.lastUse = use
        let growth = conversation.memory.heldBytes - before.memory
        return (decoded, (growth + conversation.session.capacity - before.session, growth))
    }

    /// Reads a payload with what is known of its session, where it belongs to one that runs over several conversations.
    ///
    /// - Parameter own: the name of the session of the WebSocket.
    private static func decode(
        _ bytes: RawSpan, with context: inout PayloadContext, by table: PayloadTable, _ known: inout PayloadMemory, _ own: inout [UInt8],
        _ sessions: inout PayloadSessions
    ) -> DecodedPayload? {
        let session = EngineIO.session(of: context)
        guard session.isEmpty else {
            var memory = sessions.take(session) ?? PayloadMemory()
            let decoded = decode(bytes, with: &context, by: table, &memory)
            sessions.keep(memory, session)
            if context.carrier == .message { own = session }
            return decoded
        }
        let decoded = decode(bytes, with: &context, by: table, &known)
        // A body opens a session that goes on in other requests; a WebSocket, one of its own.
        if context.carrier == .body, !known.session.isEmpty {
            sessions.keep(known, known.session)
            known = PayloadMemory()
        }
        return decoded
    }

    private static func decode(
        _ bytes: RawSpan, with context: inout PayloadContext, by table: PayloadTable, _ memory: inout PayloadMemory
    ) -> DecodedPayload? {
        let decoded = table.decode(bytes, with: &context, memory: &memory)
        memory.calls.hear(context.from)
        if mayHide(decoded, context) { memory.calls.doubtAnswers(of: context.from) }
        LooseAnswer.excuse(bytes, read: decoded, in: context, &memory.calls)
        return decoded
    }

    /// Whether there may be answers in a payload that were not read.
    private static func mayHide(_ decoded: DecodedPayload?, _ context: PayloadContext) -> Bool {
        context.isCut || decoded.map(\.hasStopped) ?? true
    }

    /// Whether the response that was noted says how a call has ended.
    private mutating func hasCallStatus(_ event: borrowing ConversationEvent) -> Bool {
        let channel = PayloadChannel(event)
        if channel.stream > 0 { return streams[channel]?.server.hasCallStatus == true }
        return conversations.slot(of: channel.conversation).map { conversations[$0].server.hasCallStatus } ?? false
    }

    /// Of a target that is long a response names the beginning: mostly it is that of the last request.
    private mutating func lengthenTarget(of number: PayloadChannel) {
        guard var conversation = forget(number) else { return }
        if conversation.client.target.starts(with: conversation.server.target) { conversation.server.target = conversation.client.target }
        keep(conversation, number)
    }

    /// Remembers what a head says of its body.
    private mutating func note(
        _ fields: ByteRange, target: RawSpan, exchange: UInt64, of event: borrowing ConversationEvent, isRequest: Bool
    ) {
        let head = PayloadConversation.Head(target: target.prefix(Self.longestTarget).copy, exchange: exchange)
        change(event) { $0.note(head, fields, of: $1, isRequest: isRequest) }
    }

    /// Changes what is known of the channel of an event, which begins with nothing: where it is, unless it is a stream.
    private mutating func change(
        _ event: borrowing ConversationEvent, _ body: (inout PayloadConversation, borrowing ConversationEvent) -> Void
    ) {
        let channel = PayloadChannel(event)
        let isKnown = channel.stream == 0 && conversations.slot(of: channel.conversation) != nil
        guard channel.stream == 0, let slot = conversations.slotAdding(channel.conversation) else {
            var conversation = forget(channel) ?? fresh(channel)
            body(&conversation, event)
            return keep(conversation, channel)
        }
        if isKnown { count(conversations[slot].held, by: -1) }
        body(&conversations[slot], event)
        uses += 1
        conversations[slot].lastUse = uses
        count(conversations[slot].held, by: 1)
        giveUpWhatIsTooMuch()
    }

    /// What is known of a channel of which nothing was told: of a stream, what is known of its connection.
    mutating func fresh(_ channel: PayloadChannel) -> PayloadConversation {
        guard channel.stream > 0 else { return PayloadConversation() }
        let whole = PayloadChannel(channel.conversation, 0)
        var connection = forget(whole) ?? PayloadConversation()
        if !connection.streams.contains(channel.stream) { connection.streams.append(channel.stream) }
        // Of those that are over nothing says that they are.
        if connection.streams.count > Self.mostStreams {
            endSession(forget(PayloadChannel(channel.conversation, connection.streams.removeFirst())))
        }
        keep(connection, whole)
        var stream = PayloadConversation()
        (stream.context.host, stream.context.port) = (connection.context.host, connection.context.port)
        return stream
    }

    /// Ends what is known of a conversation or stream, and notes its calls that have no answer.
    private mutating func endSession(_ conversation: PayloadConversation?, lastSeen: Timestamp? = nil) {
        guard let conversation else { return }
        conversation.memory.calls.addUnanswered(to: &unanswered, lastSeen: lastSeen)
        guard !conversation.session.isEmpty, let memory = sessions.take(conversation.session) else { return }
        memory.calls.addUnanswered(to: &unanswered, lastSeen: lastSeen)
    }

    private func name(_ bytes: RawSpan) -> [UInt8] { Self.name(bytes) }
    static func name(_ bytes: RawSpan) -> [UInt8] { bytes.prefix(longestName).copy }

    mutating func keep(_ conversation: PayloadConversation, _ number: PayloadChannel) {
        uses += 1
        var conversation = conversation
        conversation.lastUse = uses
        putBack(conversation, number)
        giveUpWhatIsTooMuch()
    }

    private mutating func giveUpWhatIsTooMuch() {
        if memoryBytes > mostBytes { giveUpOldest() }
        if bodyBytes > mostBytes { giveUpOldestBodies() }
    }

    /// Frees what formats keep of the conversations that were not used for longest, to three quarters, so that it is seldom done.
    private mutating func giveUpOldest() {
        for number in byUse(where: { $0.memory.heldBytes > 0 }) where memoryBytes > mostBytes / 4 * 3 {
            guard var conversation = forget(number) else { continue }
            conversation.memory.giveUp()
            putBack(conversation, number)
        }
    }

    /// The same of bodies that come in parts.
    private mutating func giveUpOldestBodies() {
        for number in byUse(where: { $0.bodyBytes > 0 }) where bodyBytes > mostBytes / 4 * 3 {
            guard var conversation = forget(number) else { continue }
            conversation.giveUpBodies()
            putBack(conversation, number)
        }
    }

    /// Those of which something holds, the one that was not used for longest first.
    private mutating func byUse(where isOne: (PayloadConversation) -> Bool) -> [PayloadChannel] {
        var found: [(channel: PayloadChannel, lastUse: UInt64)] = []
        for number in conversations.all {
            guard let slot = conversations.slot(of: number), isOne(conversations[slot]) else { continue }
            found.append((PayloadChannel(number, 0), conversations[slot].lastUse))
        }
        for (channel, stream) in streams where isOne(stream) { found.append((channel, stream.lastUse)) }
        return found.sorted { $0.lastUse < $1.lastUse }.map(\.channel)
    }

    /// What comes next of a conversation may be from anywhere in it: nothing that was said waits for more, and what was agreed on stays.
    package mutating func skip(in number: UInt64) {
        for stream in [0] + (conversations.slot(of: number).map { conversations[$0].streams } ?? []) {
            guard var conversation = forget(PayloadChannel(number, stream)) else { continue }
            conversation.giveUp()
            if var memory = sessions.take(conversation.session) {
                memory.giveUp()
                sessions.keep(memory, conversation.session)
            }
            putBack(conversation, PayloadChannel(number, stream))
        }
    }

    private mutating func putBack(_ conversation: PayloadConversation, _ number: PayloadChannel) {
        count(conversation.held, by: 1)
        if number.stream > 0 {
            streams[number] = conversation
        } else if let slot = conversations.slotAdding(number.conversation) {
            conversations[slot] = conversation
        }
    }

    /// Counts what a conversation takes, or takes it off.
    @inline(__always)
    private mutating func count(_ held: PayloadConversation.Held, by sign: Int) {
        conversationBytes += sign * held.all
        memoryBytes += sign * held.memory
        bodyBytes += sign * held.bodies
    }

    @discardableResult
    mutating func forget(_ number: PayloadChannel) -> PayloadConversation? {
        let known = number.stream > 0 ? streams.removeValue(forKey: number) : conversations.remove(number.conversation)
        guard let known else { return nil }
        count(known.held, by: -1)
        return known
    }
}
