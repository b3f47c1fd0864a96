import Dissection

/// An event with a copy of its bytes, for what decides about it later.
struct HeldEvent: Sendable {
    let conversation: UInt64
    private let from: Side?
    private let place: Place
    private let offset: UInt64?
    private let channel: ByteChannel
    private let fact: Fact
    private let redaction: Redaction
    private let content: [UInt8]
    private let asked: [UInt8]

    init(_ event: borrowing ConversationEvent) {
        conversation = event.conversation
        from = event.from
        place = event.place
        offset = event.offset
        channel = event.channel
        fact = event.fact
        redaction = event.redaction
        content = event.content.copy
        asked = event.asked.copy
    }

    /// Bytes of memory that it takes.
    var heldBytes: Int { MemoryLayout<HeldEvent>.stride + content.count + asked.count }

    /// Lends the event, as it was.
    func lend(_ body: (borrowing ConversationEvent) -> Void) {
        body(
            ConversationEvent(
                conversation: conversation, from: from, place: place, offset: offset, channel: channel, fact: fact,
                content: content.rawBytes,
                asked: asked.rawBytes, redaction: redaction))
    }
}
