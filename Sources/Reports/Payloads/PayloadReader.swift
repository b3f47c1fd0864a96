import Dissection

/// Reads the payloads of all conversations of an output, and keeps what is known of each that is open.
package struct PayloadReader: Sendable {
    /// What the last head of a side says of the body that follows it.
    private struct Head: Sendable {
        var contentType: [UInt8] = []
        var target: [UInt8] = []

        var heldBytes: Int { contentType.capacity + target.capacity }
    }

    /// What is known of a conversation.
    private struct Conversation: Sendable {
        var subprotocol: [UInt8] = []
        var target: [UInt8] = []
        var host: [UInt8] = []
        var client = Head()
        var server = Head()
        var memory = PayloadMemory()

        var heldBytes: Int {
            MemoryLayout<Conversation>.stride * 2 + subprotocol.capacity + target.capacity + host.capacity + client.heldBytes
                + server.heldBytes + memory.heldBytes
        }
    }

    private let table: PayloadTable
    private var conversations: [UInt64: Conversation] = [:]
    /// Bytes of what is known.
    private(set) package var heldBytes = 0

    private static let longestName = 256

    package init(_ table: PayloadTable) { self.table = table }

    package var isIdle: Bool { table.rows.isEmpty }

    /// Takes an event. Returns what its payload says, where it has one that a format knows.
    package mutating func read(_ event: borrowing ConversationEvent) -> DecodedPayload? {
        note(event)
        return payload(of: event)
    }

    /// Takes what an event says of the payloads after it.
    package mutating func note(_ event: borrowing ConversationEvent) {
        switch event.fact {
        case .upgrade(let upgrade):
            guard upgrade.accepted else { return }
            var conversation = forget(event.conversation) ?? Conversation()
            conversation.memory = PayloadMemory()
            conversation.subprotocol = name(event.bytes(upgrade.subprotocol))
            conversation.target = name(event.bytes(upgrade.target))
            if !upgrade.host.isEmpty { conversation.host = name(event.bytes(upgrade.host)) }
            keep(conversation, event.conversation)
        case .request(let head):
            note(head.fields, target: event.bytes(head.target), of: event, isRequest: true)
        case .response(let head):
            guard head.status >= 200 else { return }
            let range = head.asked?.target ?? ByteRange()
            note(head.fields, target: event.asked.extracting(range.start..<range.end), of: event, isRequest: false)
        case .closed: forget(event.conversation)
        case _: return
        }
    }

    /// What the payload of an event says, whose event was noted; nil where it has none, or none that a format knows.
    package mutating func payload(of event: borrowing ConversationEvent) -> DecodedPayload? {
        switch event.fact {
        case .message(let message):
            guard let from = event.from, event.content.byteCount > 0 else { return nil }
            return read(event.content, length: message.length, of: event) { conversation in
                var context = PayloadContext(from: from, opcode: message.opcode, isCut: false)
                context.subprotocol = conversation.subprotocol
                context.target = conversation.target
                if let frame = message.frame {
                    context.carrier = .framed
                    if case .protocol(let name) = frame.framing { context.framing = name.word.bytes.copy }
                }
                return context
            }
        case .body(let part):
            // What came in parts is told in parts, none of which says something alone.
            guard let from = event.from, part.part == 1, part.final, !part.payload.isEmpty else { return nil }
            return read(event.bytes(part.payload), length: part.length, of: event) { conversation in
                var context = PayloadContext(from: from, opcode: 0, isCut: false)
                context.carrier = .body
                let head = from == .client ? conversation.client : conversation.server
                context.contentType = head.contentType
                context.target = head.target
                return context
            }
        case .data(let run):
            guard let from = event.from, event.content.byteCount > 0, run.framing == nil else { return nil }
            return read(event.content, length: run.length, of: event) { _ in
                var context = PayloadContext(from: from, opcode: 0, isCut: false)
                context.carrier = .data
                return context
            }
        case _: return nil
        }
    }

    private mutating func read(
        _ bytes: RawSpan, length: UInt64, of event: borrowing ConversationEvent, in context: (Conversation) -> PayloadContext
    ) -> DecodedPayload? {
        // Taken out of the table, so that changing it copies nothing.
        let known = forget(event.conversation)
        var conversation = known ?? Conversation()
        var context = context(conversation)
        context.isCut = UInt64(bytes.byteCount) < length
        context.time = event.place.time
        context.host = conversation.host
        let decoded = table.decode(bytes, in: context, memory: &conversation.memory)
        if decoded != nil || known != nil { keep(conversation, event.conversation) }
        return decoded
    }

    /// Remembers what a head says of its body.
    private mutating func note(_ fields: ByteRange, target: RawSpan, of event: borrowing ConversationEvent, isRequest: Bool) {
        var head = Head(target: name(target))
        var lines = HeaderFields(in: event.content, at: fields)
        var host: [UInt8] = []
        while let line = lines.next() {
            let fieldName = event.bytes(line.name)
            if fieldName.isWord("content-type") { head.contentType = name(event.bytes(line.value)) }
            if isRequest, fieldName.isWord("host") { host = name(event.bytes(line.value)) }
        }
        var conversation = forget(event.conversation) ?? Conversation()
        if !host.isEmpty { conversation.host = host }
        if isRequest { conversation.client = head } else { conversation.server = head }
        keep(conversation, event.conversation)
    }

    private func name(_ bytes: RawSpan) -> [UInt8] { bytes.prefix(Self.longestName).copy }

    private mutating func keep(_ conversation: Conversation, _ number: UInt64) {
        heldBytes += conversation.heldBytes
        conversations[number] = conversation
    }

    @discardableResult
    private mutating func forget(_ number: UInt64) -> Conversation? {
        guard let conversation = conversations.removeValue(forKey: number) else { return nil }
        heldBytes -= conversation.heldBytes
        return conversation
    }
}

extension OutputBuffer {
    /// Puts what a payload says into its record, which is the last thing in the buffer.
    mutating func addToLastRecord(_ decoded: DecodedPayload) {
        truncate(to: count - 1)
        append(decoded)
        append(0x7d)
    }
}
