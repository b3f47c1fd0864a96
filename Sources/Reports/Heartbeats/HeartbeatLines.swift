import Dissection

extension TextReport {
    /// The lines of the heartbeats of a conversation, before that of its end: one for each row of them, and one that says how many were left out.
    mutating func composeHeartbeats(_ closing: Closing, _ eventPlace: Place, at place: Int) {
        let end = heartbeats.end(table[place].number, at: closing.endedAt ?? eventPlace.time)
        // Of two that are overdue, the side whose next one was due first has stopped first.
        let overdue = end.heartbeats.filter(\.isOverdue)
        let first = overdue.max { $0.silence &- $0.period < $1.silence &- $1.period }
        let bothStopped = Set(overdue.map(\.from)).count == 2
        for heartbeat in end.heartbeats {
            beginClosingLine(at: place, eventPlace)
            line.ink(heartbeat.from == .client ? .client : .server)
            line.append("heartbeat of the ")
            line.append(heartbeat.from.word)
            line.ink(.plain)
            line.append(": ")
            line.append(safe: Array(heartbeat.kind.words.utf8).rawBytes)
            line.append(" every ")
            line.append(span: heartbeat.period)
            if heartbeat.jitter >= 1_000_000 {
                line.append(" (± ")
                line.append(span: heartbeat.jitter)
                line.append(")")
            }
            line.append(", ")
            line.append(grouped: heartbeat.sent)
            line.append(" sent")
            if let answered = heartbeat.answered {
                line.append(", ")
                line.append(grouped: answered)
                line.append(" answered")
            }
            if heartbeat.missed > 0 {
                line.ink(.warning)
                line.append(", ")
                line.append(grouped: heartbeat.missed)
                line.append(" missing")
                line.ink(.plain)
            }
            if heartbeat.isOverdue {
                line.ink(.warning)
                line.append(", none in the last ")
                line.append(span: heartbeat.silence)
                if bothStopped, heartbeat.from == first?.from, heartbeat.kind == first?.kind { line.append(": it stopped first") }
                line.ink(.plain)
            }
            commit(at: place)
        }
        guard end.hidden > 0 else { return }
        beginClosingLine(at: place, eventPlace)
        line.ink(.faint)
        line.append(end.hidden, "line")
        line.append(" of heartbeats left out")
        line.ink(.plain)
        commit(at: place)
    }
}
