import Dissection

extension TextReport {
    /// The lines of the heartbeats of a conversation, before that of its end: one for each row of them, and one that says how many were left out.
    ///
    /// - Returns: what they explain of the end.
    mutating func composeHeartbeats(_ eventPlace: Place, at place: Int) -> HeartbeatCause? {
        let end = heartbeats.lastEnd
        for heartbeat in end.heartbeats where heartbeat.isRow {
            beginClosingLine(at: place, eventPlace)
            line.ink(heartbeat.from == .client ? .client : .server)
            line.append("heartbeat of the ")
            line.append(heartbeat.from.word)
            line.ink(.plain)
            line.append(": ", safe: Array(heartbeat.kind.words.utf8).rawBytes)
            line.append(" every ", span: heartbeat.period)
            if heartbeat.jitter >= 1_000_000 {
                line.append(" (± ", span: heartbeat.jitter)
                line.append(")")
            }
            line.append(", ", grouped: heartbeat.sent)
            line.append(heartbeat.hasGaps ? " seen; the gaps may hide others" : " sent")
            if let answered = heartbeat.answered {
                line.append(", ", grouped: answered)
                line.append(" answered")
            }
            if heartbeat.missed > 0 {
                line.ink(.warning)
                line.append(", ", grouped: heartbeat.missed)
                line.append(" missing")
                line.ink(.plain)
            }
            if heartbeat.isOverdue {
                line.ink(.warning)
                line.append(heartbeat.kind.delay == .nothing ? ", none in the last " : ", nothing sent in the last ")
                line.append(span: heartbeat.silence)
                if heartbeat.isFirst { line.append(": it stopped first") }
                line.ink(.plain)
            }
            commit(at: place)
        }
        guard settings.hidesHeartbeats, end.beats > 0 else { return end.cause }
        beginClosingLine(at: place, eventPlace)
        line.ink(.faint)
        line.append(end.beats, "line")
        line.append(" of heartbeats left out")
        line.ink(.plain)
        commit(at: place)
        return end.cause
    }
}

extension TextLine {
    /// What signs of life say about who ended a conversation and how.
    mutating func append(_ cause: HeartbeatCause) {
        switch cause.kind {
        case .unanswered(let beats):
            append(", ", span: cause.waited)
            append(" after ")
            let noun: StaticString = cause.beats.isOwn || cause.beats.isTypeOfApp ? "heartbeat" : "ping"
            if beats > 1 {
                append("the first of ")
                append(beats, noun)
            } else {
                append("a ")
                append(noun)
            }
            append(" that the ")
            append(cause.silent.word)
            append(" did not answer")
            if let timeout = cause.timeout {
                append(" (ping timeout ", span: timeout)
                append(")")
            }
        case .takenOver(let conversation):
            append(": the same client id connected again on conversation ")
            append { $0.append(decimal: conversation) }
        case .neverPinged:
            append("; neither side sent a ping in ")
            append(span: cause.waited)
            if let interval = cause.timeout {
                append(", though one every ")
                append(span: interval)
                append(" was announced: the server sends them in Engine.IO 4, the client in 3")
            }
        case .usualIdle:
            append(": the client sent nothing for ", span: cause.waited)
            if let timeout = cause.timeout { append(", no heartbeat either; Phoenix closes after ", span: timeout) }
            append(" unless its timeout is set")
        case .keepAlive, .noPing:
            append(": the ")
            append(cause.silent.word)
            append(" sent nothing for ", span: cause.waited)
            if let timeout = cause.timeout, timeout > 0 {
                if cause.kind == .keepAlive {
                    append(", ")
                    append(tenths: cause.waited / max(timeout / 10, 1))
                    append(" times its keep-alive of ", span: timeout)
                } else {
                    append("; ping interval and timeout together are ", span: timeout)
                }
            }
        }
        if !cause.isCertain { append(", which may be why") }
    }

    private mutating func append(tenths value: Int64) {
        append { $0.append(decimal: value / 10) }
        append(".")
        append { $0.append(decimal: value % 10) }
    }
}
