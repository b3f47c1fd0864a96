import Dissection

/// One format in the table: all that the reports know of it.
package struct PayloadRow: Sendable {
    package let name: StaticString
    let likelihood: @Sendable (_ bytes: RawSpan, _ context: PayloadContext) -> PayloadLikelihood
    let decode:
        @Sendable (_ bytes: RawSpan, _ context: PayloadContext, _ calls: inout PendingCalls, _ decoded: inout DecodedPayload) -> Void

    package init<Format: PayloadFormat>(_ format: Format.Type) {
        name = Format.name
        likelihood = { Format.likelihood(of: $0, in: $1) }
        decode = { Format.decode($0, in: $1, calls: &$2, into: &$3) }
    }
}

/// The formats of payloads.
package struct PayloadTable: Sendable {
    /// None: payloads stand in records as text or base64 alone.
    package static let none = PayloadTable([])

    /// Those that we have. Of several that are equally sure the first counts.
    package static let standard = PayloadTable([
        PayloadRow(SocketIO.self), PayloadRow(GraphQLOverWebSocket.self), PayloadRow(STOMP.self), PayloadRow(MQTT.self),
        PayloadRow(SignalR.self), PayloadRow(JSONRPC.self),
    ])

    package let rows: [PayloadRow]

    package init(_ rows: [PayloadRow]) { self.rows = rows }

    /// What a payload says, in the format that is the surest of it, the first of several; nil where none knows it.
    package func decode(_ bytes: RawSpan, in context: PayloadContext, calls: inout PendingCalls) -> DecodedPayload? {
        var best: Int?
        var likelihood = PayloadLikelihood.no
        for index in rows.indices {
            let sure = rows[index].likelihood(bytes, context)
            if sure > likelihood { (best, likelihood) = (index, sure) }
        }
        guard let best else { return nil }
        var decoded = DecodedPayload(format: rows[best].name)
        rows[best].decode(bytes, context, &calls, &decoded)
        return decoded
    }
}

/// Reads the payloads of all conversations of an output, and keeps what is known of each that is open.
package struct PayloadReader: Sendable {
    /// What is known of a conversation.
    private struct Memory: Sendable {
        var subprotocol: [UInt8] = []
        var target: [UInt8] = []
        var calls = PendingCalls()
    }

    private let table: PayloadTable
    private var memories: [UInt64: Memory] = [:]
    /// Bytes of what is known.
    private(set) package var heldBytes = 0

    private static let longestName = 256

    package init(_ table: PayloadTable) { self.table = table }

    package var isIdle: Bool { table.rows.isEmpty }

    /// Takes an event. Returns what the payload says, where it is one of a message that a format knows.
    package mutating func read(_ event: borrowing ConversationEvent) -> DecodedPayload? {
        switch event.fact {
        case .upgrade(let upgrade):
            guard upgrade.accepted else { return nil }
            forget(event.conversation)
            var memory = Memory()
            memory.subprotocol = event.bytes(upgrade.subprotocol).prefix(Self.longestName).copy
            memory.target = event.bytes(upgrade.target).prefix(Self.longestName).copy
            keep(memory, event.conversation)
            return nil
        case .message(let message):
            guard let from = event.from, event.content.byteCount > 0 else { return nil }
            // Taken out of the table, so that changing it copies nothing.
            var memory = forget(event.conversation) ?? Memory()
            var context = PayloadContext(
                from: from, opcode: message.opcode, isCut: UInt64(event.content.byteCount) < message.length, time: event.place.time)
            context.subprotocol = memory.subprotocol
            context.target = memory.target
            let decoded = table.decode(event.content, in: context, calls: &memory.calls)
            keep(memory, event.conversation)
            return decoded
        case .closed:
            forget(event.conversation)
            return nil
        case _: return nil
        }
    }

    private mutating func keep(_ memory: Memory, _ conversation: UInt64) {
        heldBytes += Self.bytes(memory)
        memories[conversation] = memory
    }

    @discardableResult
    private mutating func forget(_ conversation: UInt64) -> Memory? {
        guard let memory = memories.removeValue(forKey: conversation) else { return nil }
        heldBytes -= Self.bytes(memory)
        return memory
    }

    private static func bytes(_ memory: Memory) -> Int {
        MemoryLayout<Memory>.stride * 2 + memory.subprotocol.capacity + memory.target.capacity + memory.calls.heldBytes
    }
}

extension OutputBuffer {
    /// Puts what the payload of a message says into its record, which is the last thing in the buffer.
    mutating func appendDecoded(_ event: borrowing ConversationEvent, by reader: inout PayloadReader) {
        guard let decoded = reader.read(event) else { return }
        truncate(to: count - 1)
        append(decoded)
        append(0x7d)
    }
}
