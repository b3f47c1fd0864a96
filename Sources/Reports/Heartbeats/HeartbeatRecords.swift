import Dissection

extension OutputBuffer {
    /// Adds what is said of heartbeats to the record of a conversation's end, which is the last thing in the buffer.
    mutating func append(_ heartbeats: [HeartbeatSummary], hidden: UInt64) {
        guard !heartbeats.isEmpty || hidden > 0 else { return }
        truncate(to: count - 1)
        if !heartbeats.isEmpty {
            append(.heartbeats)
            append(0x5b)
            for (index, heartbeat) in heartbeats.enumerated() {
                if index > 0 { append(0x2c) }
                append(heartbeat)
            }
            append(0x5d)
        }
        if hidden > 0 { append(.hidden, decimal: hidden) }
        append(0x7d)
    }

    private mutating func append(_ heartbeat: HeartbeatSummary) {
        append(0x7b)
        append(first: .heartbeatFrom)
        append(0x22)
        append(heartbeat.from.word)
        append(0x22)
        append(.heartbeatKind)
        append(utf8: "\"\(heartbeat.kind.word)\"")
        append(.period, secondsOf: heartbeat.period)
        append(.jitter, secondsOf: heartbeat.jitter)
        append(.sent, decimal: heartbeat.sent)
        if heartbeat.missed > 0 { append(.missed, decimal: heartbeat.missed) }
        if let answered = heartbeat.answered { append(.beatsAnswered, decimal: answered) }
        append(.beatSilence, secondsOf: heartbeat.silence)
        append(.overdue, ifTrue: heartbeat.isOverdue)
        if let explains = heartbeat.explains {
            append(.explains)
            append(utf8: "\"\(explains.rawValue)\"")
        }
        append(0x7d)
    }
}
