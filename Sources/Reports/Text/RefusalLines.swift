import Dissection

/// How many clients were refused within a second, so that a flood of them does not hide the conversations.
struct RefusalCount {
    /// So many a second are shown.
    static let mostShown = 10

    private var second: Int64?
    private var shown = 0
    /// Clients of this second that were not shown.
    private(set) var hidden: UInt64 = 0

    /// Whether the client is to be shown; otherwise it is counted.
    mutating func shows(at time: Timestamp?) -> Bool {
        let now = time?.parts.seconds
        if now != second {
            second = now
            shown = 0
        }
        guard shown < RefusalCount.mostShown else {
            hidden += 1
            return false
        }
        shown += 1
        return true
    }

    /// Whether clients were hidden of whom nothing more will come before `time`.
    func isDue(at time: Timestamp?) -> Bool { hidden > 0 && time.map { $0.parts.seconds != second } ?? false }

    mutating func takeHidden() -> UInt64 {
        defer { hidden = 0 }
        return hidden
    }
}

extension TextReport {
    /// The one line of a client that was refused: when, who, and why.
    mutating func showRefusal(_ content: RecordContent, _ time: Timestamp?, at place: Int) {
        tellHiddenRefusals(before: time)
        if let selection, selection.verdict != .show { return }
        guard refusals.shows(at: time) else { return }
        line.isWhole = true
        if settings.follows {
            beginLine(at: place, time, from: nil)
        } else {
            line.append(rightIn: 2) { $0.append(decimal: table[place].number) }
            line.space(2)
        }
        if let opening = table[place].opening, opening.client.address.family != .none {
            line.append { $0.append(opening.client) }
        } else {
            // One that resets its connection at once has no address any more.
            line.append(table[place].opening?.transport == .tcp ? "a client that was gone" : "unix")
        }
        line.append(" (via ", safe: table[place].viaMode.rawBytes)
        line.append(")")
        line.ink(.warning)
        line.append(" without a conversation: ")
        line.ink(.plain)
        line.append(safe: content.bytes.prefix(256))
        printLine()
    }

    /// Says how many clients were refused and not shown, once their second is over; with no time, now.
    mutating func tellHiddenRefusals(before time: Timestamp?) {
        guard time == nil ? refusals.hidden > 0 : refusals.isDue(at: time) else { return }
        line.ink(.warning)
        line.space(3)
        line.append("and ")
        line.append(refusals.takeHidden(), "more client")
        line.append(" without a conversation in the same second")
        line.ink(.plain)
        printLine()
    }
}
