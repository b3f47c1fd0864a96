import Dissection

// Where lines of a proxy are followed, many conversations may end in one moment and alike: a browser quits, a server restarts, the proxy is stopped.
// The first is shown at once; where many follow, they have one line together, as soon as another line comes or nothing more does.

extension TextReport {
    /// Ends the composed line that says how a conversation ended, and prints it, or keeps it as one of several that ended alike.
    ///
    /// - Parameter isPlain: it says no more than how it ended and what it amounted to.
    mutating func commitEnd(_ closing: Closing, _ eventPlace: Place, isPlain: Bool, at place: Int) {
        guard settings.follows, isProxy, !settings.isFull, selection == nil, settings.conversations == nil, isPlain,
            let time = closing.endedAt ?? eventPlace.time, closing.client.missing == 0, closing.server.missing == 0
        else { return commit(at: place) }
        var shape = Array("\(closing.how) \(closing.by) \(closing.code ?? 0) \(table[place].talk == .webSocket) ".utf8)
        shape.append(contentsOf: "\(closing.client.bytes == 0 && closing.server.bytes == 0) ".utf8)
        if let reason = table[place].reason {
            shape.append(contentsOf: reason.finding.row.id.utf8)
            shape += reason.text
        }
        let number = table[place].number
        defer { alikeIsFresh = true }
        guard alike.takes(shape, number: number, openedAt: time) else {
            commit(at: place)
            alike = AlikeRun(first: number, shape: shape, isLone: true, closedAt: time)
            return
        }
        line.end()
        let bytes = line.buffer.bytes.copy
        alike.add(bytes, closing, number: number, openedAt: time, closedAt: time)
        (alikeEnd, alikeSubject) = (closing, table[place])
        clearLines()
    }

    /// Prints the ends that were kept: each where they are few, else one line.
    mutating func printEnds(_ run: AlikeRun) {
        guard run.isMany, let end = alikeEnd, let subject = alikeSubject else {
            for line in run.held { print(line) }
            return
        }
        (alikeEnd, alikeSubject) = (nil, nil)
        var line = TextLine(width: settings.width, usesColor: settings.usesColor)
        if let terminal = settings.terminal { line.widen(to: terminal.columns) }
        line.isWhole = true
        line.space(5)
        line.ink(.faint)
        line.append { buffer in
            buffer.append(timeOfDay: clock.calendar(at: run.lastClosedAt.parts.seconds))
            buffer.append(0x2e)
            buffer.appendDigits(UInt64(bitPattern: run.lastClosedAt.parts.nanoseconds) / 1_000_000, width: 3)
        }
        line.pad(to: TextReport.followedSign, least: 2)
        line.ink(.plain)
        line.append("=")
        line.origin = line.columns + 2
        line.space(2)
        line.append(grouped: run.count)
        line.append(" more like conversation \(run.first) (")
        line.append(numbersOf: run)
        line.append("): ")
        if let reason = subject.reason {
            line.appendSentence(reason.finding, reason.text.rawBytes, most: TextLine.longestReason)
        } else {
            if run.bytes == (0, 0) { line.append("nothing sent, ") }
            line.appendManner(end)
        }
        if run.bytes != (0, 0) {
            line.append("   > ", size: run.bytes.client)
            line.append("   < ", size: run.bytes.server)
        }
        line.ink(.faint)
        line.append("; --full shows each")
        line.end()
        print(line.buffer.bytes.copy)
    }
}
