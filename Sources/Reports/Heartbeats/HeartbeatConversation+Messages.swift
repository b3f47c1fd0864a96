import Dissection

// Messages: those of protocols that have signs of life, and those of apps that may be some.

extension HeartbeatConversation {
    /// Takes a message, or bytes as they came. Returns whether it is a heartbeat, or the answer to one.
    mutating func take(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?, _ from: Side, _ time: Timestamp) -> Bool {
        let isHeartbeat = takeMessage(event, decoded, from, time)
        if from == .client, HeartbeatGoodbye.signsOff(decoded, event.content) { hasSignedOff = true }
        return isHeartbeat
    }

    private mutating func takeMessage(
        _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?, _ from: Side, _ time: Timestamp
    ) -> Bool {
        let isOfData = event.kind == .data
        isFramed[from] = !isOfData
        // A format that has no words for what a message says, such as JSON, has none for signs of life.
        if let decoded, !decoded.entries.isEmpty {
            if let isHeartbeat = takeWords(of: decoded, event, from, time) { return isHeartbeat }
        }
        guard decoded?.traits?.hasAllBeats != true, let (fingerprint, isNamed) = HeartbeatKind.fingerprint(event.content) else {
            note(from, time)
            return false
        }
        return take(fingerprint, isNamed: isNamed, isOfData: isOfData, HeartbeatShape(event.content), from, time)
    }

    /// Takes what a format says of a message. Returns nil where that says nothing of whether it is a heartbeat.
    private mutating func takeWords(
        of decoded: DecodedPayload, _ event: borrowing ConversationEvent, _ from: Side, _ time: Timestamp
    ) -> Bool? {
        if HeartbeatGoodbye.isIn(decoded, from: from, event.content) { hasGoodbye = true }
        if HeartbeatNamespaces.areIn(decoded) { noteNamespace(decoded, from: from) }
        if let part = decoded.heartbeat {
            let format = decoded.formatName
            switch part {
            case .beat: beat(.format(format), from, time)
            case .answer: answer(.format(format), from, time)
            case .claim:
                beat(.claim(format), from, time)
                return isBelieved(.claim(format), from)
            }
            return true
        }
        note(decoded, at: time)
        if let words = decoded.nameOfHeartbeatAnswer, takeNamedAnswer(words, from, time) { return true }
        return nil
    }
}
