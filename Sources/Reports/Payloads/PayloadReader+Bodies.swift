import Dissection

// Bodies: those that come whole, and those that come in parts (`BodyInParts`).

extension PayloadReader {
    /// Takes a part of a body that comes in several.
    mutating func note(_ part: BodyPart, of event: borrowing ConversationEvent) {
        turn = .nothing
        partFormat = nil
        guard !isIdle, let from = event.from, !part.isAlone else { return }
        let payload = event.bytes(part.payload)
        var conversation = forget(PayloadChannel(event)) ?? fresh(PayloadChannel(event))
        if case .unknown = conversation[from].body.prospect {
            var context = PayloadContext(from: from, opcode: 0, isCut: false, time: event.place.time)
            (context.host, context.port) = (conversation.context.host, conversation.context.port)
            Self.complete(&context, from, trailers: [], with: conversation)
            // Where nothing of the payloads is kept, nothing is said of them.
            conversation[from].body.prospect = payload.isEmpty && part.length > 0 ? .none : table.prospect(of: payload, in: context)
        }
        conversation[from].body.take(payload, part, isCut: isCut(part, of: event))
        turn = conversation[from].body.turn(of: part)
        switch (conversation[from].body.prospect, turn) {
        case (.whole(let format), .nothing), (.whole(let format), .whole), (.whole(let format), .lost): partFormat = format
        case _: break
        }
        keep(conversation, PayloadChannel(event))
    }

    /// What a body says that ends with this part, or an element of it, or the head of one; nil where no format knows it.
    mutating func payload(of part: BodyPart, in event: borrowing ConversationEvent) -> DecodedPayload? {
        guard let from = event.from else { return nil }
        let trailers = event.bytes(part.trailers).prefix(Self.longestTrailers).copy
        let turn = part.isAlone ? BodyInParts.Turn.alone : self.turn
        self.turn = .nothing
        switch turn {
        case .nothing:
            // The trailers after the rest of a body say something alone.
            guard part.final, !trailers.isEmpty else { return nil }
            return read(RawSpan(), isCut: false, of: event, from) { Self.complete(&$0, from, trailers: trailers, with: $1) }
        case .alone:
            guard !part.payload.isEmpty || !part.trailers.isEmpty else { return nil }
            return read(event.bytes(part.payload), isCut: isCut(part, of: event), of: event, from) {
                Self.complete(&$0, from, trailers: trailers, with: $1)
            }
        case .head:
            return read(event.bytes(part.payload), isCut: true, of: event, from) {
                Self.complete(&$0, from, trailers: trailers, with: $1)
            }
        case .whole(let bytes):
            var decoded = read(bytes.rawBytes, isCut: false, of: event, from) {
                Self.complete(&$0, from, trailers: trailers, with: $1)
                $0.isContinued = part.part > 1 && part.element != nil
            }
            // The payload of this part is the end of what it says.
            decoded?.forgetRanges()
            return decoded
        case .lost(let format, let reason, let position):
            var decoded = DecodedPayload(format: format)
            decoded.isSure = true
            decoded.stop(reason, at: position)
            return decoded
        }
    }

    private func isCut(_ part: BodyPart, of event: borrowing ConversationEvent) -> Bool {
        UInt64(event.bytes(part.payload).byteCount) < event.shown(part.length)
    }

    /// Adds what is known of the body of a side.
    private static func complete(
        _ context: inout PayloadContext, _ from: Side, trailers: [UInt8], with conversation: borrowing PayloadConversation
    ) {
        context.carrier = .body
        context.contentType = conversation[from].contentType
        context.target = conversation[from].target
        context.exchange = conversation[from].exchange
        context.trailers = trailers
    }
}

extension BodyPart {
    /// Whether it is the whole body.
    fileprivate var isAlone: Bool { part == 1 && final }
}

extension BodyInParts.Turn {
    /// Bytes of memory that it takes beside itself.
    var heldBytes: Int { if case .whole(let bytes) = self { bytes.capacity } else { 0 } }
}
