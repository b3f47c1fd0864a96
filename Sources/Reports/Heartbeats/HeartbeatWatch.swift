import Dissection

/// Says of each event whether it is a sign of life that comes at regular times, for who reads events without being an output of a line.
package final class HeartbeatWatch {
    private let payloads: DecodingStage
    private let heartbeats: HeartbeatStage

    package init() {
        payloads = DecodingStage(.standard)
        heartbeats = payloads.heartbeats()
    }

    /// Takes an event. All of a conversation come, in their order.
    package func isHeartbeat(_ event: borrowing ConversationEvent) -> Bool { heartbeats.take(event, payloads.read(event)) }
}
