import Dissection

/// Signs of life, read once for each event however many outputs of a run ask: the first that asks has it read (as `DecodingStage` does).
///
/// Outputs that read payloads by the same stage share this one. An output that reads none has one of its own, which knows no formats.
final class HeartbeatStage {
    private var reader = HeartbeatReader()
    private let payloads: DecodingStage
    /// The event that was read last, and whether it was a heartbeat.
    private var read: UInt64 = 0
    private var isHeartbeat = false
    /// Outputs that ask.
    fileprivate var users = 0

    fileprivate init(_ payloads: DecodingStage) { self.payloads = payloads }

    /// Its share: each of the outputs counts it.
    var heldBytes: Int { reader.heldBytes / max(1, users) }

    /// What is said at the end of the conversation that was closed last.
    var lastEnd: HeartbeatReader.End { reader.lastEnd }

    /// Takes an event. Returns whether it is a heartbeat, or the answer to one.
    func take(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool {
        if payloads.isShared, read == payloads.event { return isHeartbeat }
        read = payloads.event
        isHeartbeat = reader.take(event, decoded)
        return isHeartbeat
    }
}

extension DecodingStage {
    /// The signs of life in what this stage reads, for an output that asks about them.
    func heartbeats() -> HeartbeatStage {
        let stage = object(ObjectIdentifier(HeartbeatStage.self)) { HeartbeatStage(self) }
        stage.users += 1
        return stage
    }
}
