import Dissection

/// Finds the heartbeats of all conversations of an output: those of protocols, and messages of an app's own that come back at regular times.
struct HeartbeatReader: Sendable {
    /// Those of one conversation.
    private struct Conversation: Sendable {
        var tracks: [HeartbeatTrack] = []
        /// Beats and answers that were left out.
        var hidden: UInt64 = 0

        var heldBytes: Int { MemoryLayout<Conversation>.stride * 2 + tracks.capacity * MemoryLayout<HeartbeatTrack>.stride }

        /// Where the beats of a kind are kept; made where there is none.
        mutating func place(of kind: HeartbeatKind, _ from: Side) -> Int {
            if let known = tracks.firstIndex(where: { $0.kind == kind && $0.from == from }) { return known }
            if tracks.count < HeartbeatReader.mostTracks {
                tracks.append(HeartbeatTrack(from: from, kind: kind))
                return tracks.count - 1
            }
            var oldest = 0
            for index in tracks.indices where tracks[index].isQuieter(than: tracks[oldest]) { oldest = index }
            tracks[oldest] = HeartbeatTrack(from: from, kind: kind)
            return oldest
        }
    }

    private var conversations: [UInt64: Conversation] = [:]
    /// Bytes of what is known.
    private(set) var heldBytes = 0

    /// More kinds are no heartbeats but talk; the one that has been quiet for longest gives way.
    fileprivate static let mostTracks = 8

    /// Takes an event. Returns whether it is a heartbeat, or the answer to one.
    mutating func take(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool {
        guard let from = event.from, let time = event.place.time else { return false }
        switch event.fact {
        case .ping:
            beat(.ping, from, time, event.conversation)
            return true
        case .pong(let pong):
            if pong.unsolicited { beat(.pong, from, time, event.conversation) } else { answer(.ping, from, event.conversation) }
            return true
        case .message, .data:
            if let decoded, let part = decoded.heartbeat {
                let kind = HeartbeatKind.format(decoded.format.description)
                switch part {
                case .beat: beat(kind, from, time, event.conversation)
                case .answer: answer(kind, from, event.conversation)
                }
                return true
            }
            guard let fingerprint = HeartbeatKind.fingerprint(event.content) else { return false }
            return takeMessage(fingerprint, from, time, event.conversation)
        case _: return false
        }
    }

    /// Counts a beat or an answer that was left out.
    mutating func noteHidden(_ number: UInt64) {
        if conversations[number] == nil { change(number) { _ in } }
        conversations[number]?.hidden &+= 1
    }

    /// What is said at the end of a conversation, which is forgotten: its heartbeats, and how many lines or records of them were left out.
    mutating func end(_ number: UInt64, at time: Timestamp?) -> (heartbeats: [HeartbeatSummary], hidden: UInt64) {
        guard let conversation = conversations.removeValue(forKey: number) else { return ([], 0) }
        heldBytes -= conversation.heldBytes
        guard let time else { return ([], conversation.hidden) }
        let answers = conversation.tracks.compactMap { $0.isAnswered && $0.isBelieved ? $0.answer : nil }
        let summaries = conversation.tracks.compactMap { track -> HeartbeatSummary? in
            // What answers another is told with it.
            if case .message(let fingerprint) = track.kind, answers.contains(fingerprint) { return nil }
            let rhythm = track.rhythm
            guard rhythm.isRegular, let lastAt = rhythm.lastAt else { return nil }
            return HeartbeatSummary(
                from: track.from, kind: track.kind, period: rhythm.period, jitter: rhythm.jitter, sent: rhythm.beats, missed: rhythm.missed,
                answered: track.kind == .pong || (!track.isAnswered && track.kind != .ping) ? nil : track.answered,
                silence: time.nanoseconds(since: lastAt), isOverdue: rhythm.isOverdue(at: time))
        }
        return (summaries, conversation.hidden)
    }

    private mutating func beat(_ kind: HeartbeatKind, _ from: Side, _ time: Timestamp, _ number: UInt64) {
        change(number) { $0.tracks[$0.place(of: kind, from)].beat(at: time) }
    }

    private mutating func answer(_ kind: HeartbeatKind, _ from: Side, _ number: UInt64) {
        change(number) { conversation in
            guard let index = conversation.tracks.firstIndex(where: { $0.kind == kind && $0.from != from }) else { return }
            conversation.tracks[index].takeAnswer()
        }
    }

    private mutating func takeMessage(_ fingerprint: UInt64, _ from: Side, _ time: Timestamp, _ number: UInt64) -> Bool {
        change(number) { conversation in
            var isAnswer = false
            for index in conversation.tracks.indices where conversation.tracks[index].from != from {
                if conversation.tracks[index].takeAnswer(fingerprint, at: time) { isAnswer = true }
            }
            let place = conversation.place(of: .message(fingerprint), from)
            conversation.tracks[place].beat(at: time)
            return isAnswer || conversation.tracks[place].isBelieved
        }
    }

    @discardableResult
    private mutating func change<Result>(_ number: UInt64, _ body: (inout Conversation) -> Result) -> Result {
        // Taken out of the table, so that changing it copies nothing.
        var conversation = Conversation()
        if let known = conversations.removeValue(forKey: number) {
            heldBytes -= known.heldBytes
            conversation = known
        }
        let result = body(&conversation)
        heldBytes += conversation.heldBytes
        conversations[number] = conversation
        return result
    }
}
