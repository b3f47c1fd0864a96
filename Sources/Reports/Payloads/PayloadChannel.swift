import Dissection

/// What payloads are read for: a conversation, or one stream of it.
struct PayloadChannel: Hashable, Sendable {
    let conversation: UInt64
    let stream: UInt32

    init(_ conversation: UInt64, _ stream: UInt32) {
        self.conversation = conversation
        self.stream = stream
    }

    init(_ event: borrowing ConversationEvent) { self.init(event.conversation, event.channel.stream) }
}
