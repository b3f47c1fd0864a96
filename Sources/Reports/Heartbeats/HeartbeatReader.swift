import Dissection

/// Finds the heartbeats of all conversations: those of protocols, and messages of an app's own that come back at regular times.
struct HeartbeatReader: Sendable {
    private var conversations = ConversationSlots(vacant: HeartbeatConversation())
    private var sessions = HeartbeatSessions()
    private var clients = ClientNames()
    /// Bytes of what is known.
    private var conversationBytes = 0
    var heldBytes: Int { conversationBytes + conversations.heldBytes + sessions.heldBytes + clients.heldBytes }

    /// What is said at the end of a conversation.
    struct End: Sendable {
        var heartbeats: [HeartbeatSummary] = []
        /// Beats and answers: what an output that hides heartbeats has left out.
        var beats: UInt64 = 0
        /// What they explain of the end.
        var cause: HeartbeatCause?
    }

    /// What is said at the end of the conversation that was closed last.
    private(set) var lastEnd = End()

    /// Takes an event. Returns whether it is a heartbeat, or the answer to one.
    mutating func take(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool {
        let number = event.conversation
        if event.kind == .closed, case .closed(let closing) = event.fact {
            lastEnd = end(number, closing, at: event.place.time)
            return false
        }
        guard let from = event.from, let time = event.place.time else { return false }
        if event.kind == .message { return takeSaid(event, decoded, from, time) }
        switch event.fact {
        case .ping:
            change(number) {
                $0.beats &+= 1
                $0.beat(.ping, from, time)
            }
            return true
        case .pong(let pong):
            change(number) {
                $0.beats &+= 1
                if pong.unsolicited { $0.beat(.pong, from, time) } else { $0.answer(.ping, from, time) }
            }
            return true
        // No receiver took it, or it is a record of TLS, which an app does not send.
        case .data(let run) where run.isAfterClose || run.framing != nil: return false
        case .message, .data: return takeSaid(event, decoded, from, time)
        case .gap:
            changeKnown(number) { $0.lose(from, time) }
            return false
        case .upgrade(let upgrade):
            if upgrade.accepted, let known = sessions.take(of: event.bytes(upgrade.target)) { change(number) { $0.note(known) } }
            changeKnown(number) { $0.note(from, time) }
            return false
        case .body:
            if let decoded { sessions.note(decoded) }
            changeKnown(number) { $0.note(from, time) }
            return false
        case .close(let close):
            let isGoodbye = HeartbeatGoodbye.isIn(close, reason: event.content)
            change(number) {
                if isGoodbye { $0.hasGoodbye = true }
                $0.close(from, time)
            }
            return false
        // A frame is part of a message, ping, pong or close, whether or not it is an event of its own.
        case .request, .response, .control:
            changeKnown(number) { $0.note(from, time) }
            return false
        case _: return false
        }
    }

    /// Takes a message, or bytes as they came.
    private mutating func takeSaid(
        _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?, _ from: Side, _ time: Timestamp
    ) -> Bool {
        if from == .client, let decoded {
            for earlier in clients.take(decoded, event.conversation) { changeKnown(earlier) { $0.takeover = (event.conversation, time) } }
        }
        guard let slot = conversations.slotAdding(event.conversation) else { return false }
        let before = conversations[slot].heldBytes
        let isHeartbeat = conversations[slot].take(event, decoded, from, time)
        if isHeartbeat { conversations[slot].beats &+= 1 }
        conversationBytes += conversations[slot].heldBytes - before
        return isHeartbeat
    }

    /// What is said at the end of a conversation, which is forgotten.
    mutating func end(_ number: UInt64, _ closing: Closing, at time: Timestamp?) -> End {
        guard let conversation = conversations.remove(number) else { return End() }
        conversationBytes -= conversation.heldBytes
        guard let time = closing.endedAt ?? time else { return End(beats: conversation.beats) }
        let (heartbeats, cause) = conversation.summaries(closing, at: time)
        return End(heartbeats: heartbeats, beats: conversation.beats, cause: cause)
    }

    /// Changes what is known of a conversation, which begins with nothing.
    @discardableResult
    private mutating func change<Result>(_ number: UInt64, _ body: (inout HeartbeatConversation) -> Result) -> Result {
        guard let slot = conversations.slotAdding(number) else {
            var nobody = HeartbeatConversation()
            return body(&nobody)
        }
        let before = conversations[slot].heldBytes
        let result = body(&conversations[slot])
        conversationBytes += conversations[slot].heldBytes - before
        return result
    }

    /// The same of one of which something is known.
    private mutating func changeKnown(_ number: UInt64, _ body: (inout HeartbeatConversation) -> Void) {
        if let slot = conversations.slot(of: number) { body(&conversations[slot]) }
    }
}
