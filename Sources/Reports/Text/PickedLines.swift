import Dissection

// Where a filter picks what is shown (`TextSettings.filter`), each line goes by the verdict on the events that it is made of. The heading of a
// conversation and the lines about its end are shown where one of its lines is.

extension TextReport {
    /// The line that says that lines are missing before others.
    func lossOf(_ lines: UInt64, _ number: UInt64) -> [UInt8] {
        var text = TextLine(width: settings.width, usesColor: settings.usesColor, folds: settings.isFull)
        text.isWhole = true
        if settings.follows { text.appendNumber(number) }
        text.pad(to: settings.follows ? TextReport.followedSign : TextReport.blockSign)
        text.ink(.warning)
        text.append("… ")
        text.append(lines, "line")
        text.append(lines == 1 ? " before this is not in memory any more" : " before this are not in memory any more")
        text.end()
        return text.buffer.bytes.copy
    }

    /// Has the lines that `body` commits go by another verdict than that on the event.
    mutating func judging(_ verdict: EventVerdict, _ body: (inout TextReport) -> Void) {
        guard let own = selection?.verdict else { return body(&self) }
        selection?.verdict = verdict
        body(&self)
        selection?.verdict = own
    }

    /// Takes the line that a conversation opened, where a filter picks what is shown of it: it goes before the first line that is.
    mutating func putAsideOpening(at place: Int) {
        line.end()
        let (opening, count, number) = (line.buffer.bytes.copy, line.breaks, table[place].number)
        selection?.putAsideOpening(opening, lines: count, of: number)
        clearLines()
    }

    /// Whether the lines about the end of a conversation are shown: where something of it is.
    mutating func showsEnd(at place: Int) -> Bool {
        guard selection != nil else { return true }
        if let reason = table[place].reason, let verdict = selection?.verdict { selection?.verdict = max(verdict, reason.verdict) }
        selection?.judgeEnd(of: table[place].number)
        return selection?.verdict == .show
    }

    /// Forgets a conversation that has closed.
    mutating func forget(_ number: UInt64, at place: Int) {
        selection?.forget(number)
        table.remove(at: place)
    }

    /// How much of the run a filter has picked.
    mutating func composeSelection(_ totals: Totals) {
        guard let selection else { return }
        guard selection.conversations > 0 else {
            line.append("nothing matched")
            return printLine()
        }
        if totals.messages > 0 {
            line.append(grouped: selection.messages)
            line.append(" of ")
            line.append(totals.messages, "message")
            line.append(" in ")
        }
        line.append(grouped: selection.conversations)
        line.append(" of ")
        line.append(totals.conversations - min(totals.ignored, totals.conversations), "conversation")
        line.append(" shown")
        printLine()
    }
}
