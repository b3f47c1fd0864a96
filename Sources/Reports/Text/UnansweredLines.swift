import Dissection

// What is said at the end of a conversation of the calls that had no answer: in its record, and in a line of text for each side.

extension OutputBuffer {
    /// Adds calls without an answer to the record of a conversation's end, which is the last thing in the buffer.
    ///
    /// - Parameter time: when it ended.
    mutating func append(_ unanswered: UnansweredCalls?, at time: Timestamp?) {
        guard let unanswered else { return }
        truncate(to: count - 1)
        append(.unanswered)
        append(0x5b)
        for (index, call) in unanswered.calls.enumerated() {
            if index > 0 { append(0x2c) }
            append(0x7b)
            append(first: .callFrom)
            append(0x22)
            append(call.from.word)
            append(0x22)
            append(.callLabel)
            var latin1 = false
            appendString(call.label.rawBytes, latin1: &latin1)
            append(.callWaited, secondsOf: time.map { $0.nanoseconds(since: call.since) } ?? 0)
            append(0x7d)
        }
        append(0x5d)
        if unanswered.total > UInt64(unanswered.calls.count) { append(.unansweredTotal, decimal: unanswered.total) }
        append(0x7d)
    }
}

extension TextReport {
    /// So many calls are named in a line.
    private static let mostNamed = 3

    /// The lines of calls that had no answer, one for each side that called, before that of the end.
    mutating func composeUnanswered(_ closing: Closing, _ eventPlace: Place, at place: Int) {
        let unanswered = payloads.unanswered
        guard unanswered.total > 0, settings.payload != .none else { return }
        let end = closing.endedAt ?? eventPlace.time
        for side in [Side.client, .server] {
            let calls = unanswered.calls.filter { $0.from == side }
            guard !calls.isEmpty else { continue }
            // Of more than are kept it is not known whose they are.
            let isAll = unanswered.total == UInt64(unanswered.calls.count)
            beginClosingLine(at: place, eventPlace)
            line.ink(.warning)
            line.append("no response to ")
            line.append(isAll ? "" : "at least ")
            line.append(UInt64(calls.count), "call")
            line.append(" of the ")
            line.append(side.word)
            line.ink(.plain)
            line.append(": ")
            for (index, call) in calls.prefix(Self.mostNamed).enumerated() {
                if index > 0 { line.append(", ") }
                line.append(safe: call.label.rawBytes)
                guard let end else { continue }
                line.append(", sent ", span: end.nanoseconds(since: call.since))
                line.append(" before the end")
            }
            if calls.count > Self.mostNamed {
                line.append(", and ", grouped: UInt64(calls.count - Self.mostNamed))
                line.append(" more")
            }
            commit(at: place)
        }
    }
}
