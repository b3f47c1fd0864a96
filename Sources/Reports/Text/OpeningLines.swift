import Dissection

// A conversation is told of when something comes in it. One in which nothing comes has a single line when it closes, and so has one that the proxy
// ends before anything came: why it did stands in that line.

extension TextReport {
    /// Says that a conversation has opened, before the first thing that comes in it, where lines are followed.
    mutating func tellOpened(before event: borrowing ConversationEvent, at place: Int) {
        guard table[place].isEmpty else { return }
        if case .closed(let closing) = event.fact, closing.client.bytes == 0, closing.server.bytes == 0 { return }
        table[place].isEmpty = false
        guard settings.follows else { return }
        beginLine(at: place, table[place].openedAt, sign: 0x3d, .strong)
        line.isWhole = true
        line.appendPeers(table[place])
        line.space()
        line.append(table[place].opening?.start == .midstream ? "seen from the middle on" : "opened")
        if let time = table[place].openedAt {
            line.append(" on ")
            line.append { buffer in
                buffer.append(date: clock.calendar(at: time.parts.seconds))
                buffer.append(0x20)
                clock.appendZone(at: time.parts.seconds, to: &buffer)
            }
        }
        if selection == nil { commit(at: place) } else { putAsideOpening(at: place) }
    }

    /// Keeps a finding that says why the proxy ends a conversation for its closing line. Where the conversation goes on, or ends in another way, it is
    /// shown as any other finding.
    ///
    /// - Returns: Whether the event is such a finding.
    mutating func noteReason(_ event: borrowing ConversationEvent, at place: Int) -> Bool {
        if event.kind == .finding, isReason(event, at: place), case .finding(let finding) = event.fact {
            showReason(at: place)
            table[place].reason = (finding, event.content.prefix(TextLine.longestReason).copy, selection?.verdict ?? .show)
            return true
        }
        // It is large to copy, and there is one only where a proxy gave it.
        guard isProxy, table[place].reason != nil, let reason = table[place].reason else { return false }
        switch event.fact {
        case .finding, .tls, .data, .gap: break
        case .closed(let closing) where closing.how.proxyRow?.id == reason.finding.row.id: break
        default: showReason(at: place)
        }
        return false
    }

    /// Whether a finding says why the proxy ends a conversation.
    func isReason(_ event: borrowing ConversationEvent, at place: Int) -> Bool {
        guard isProxy, case .finding(let finding) = event.fact, !table[place].isRefused else { return false }
        return Closing.Manner.allCases.contains { $0.proxyRow?.id == finding.row.id }
    }

    /// Shows as a line of its own what was kept for the closing line.
    private mutating func showReason(at place: Int) {
        guard let reason = table[place].reason else { return }
        table[place].reason = nil
        if settings.follows { line.appendNumber(table[place].number) }
        let content = RecordContent(bytes: reason.text.rawBytes, policy: settings.payload)
        composeFinding(
            reason.finding, content, Place(), indent: settings.follows ? TextReport.followedSign : TextReport.blockSign)
        judging(reason.verdict) { $0.commit(at: place) }
    }
}
