// Connections that wait for packets which may have been captured late, bounded in time.
extension Dissector {
    /// Bounds in time what a connection waits for.
    @inline(never)
    mutating func watch(_ entry: FlowTable.Entry, at index: Int32, since time: Timestamp?) {
        guard entry.flow.clock == .none else {
            entry.flow.clock = .renewed
            return
        }
        guard let time else { return }
        entry.flow.clock = .running
        clock.add(WaitClock.Wait(slot: index, conversation: entry.flow.conversation.context.number, since: time))
    }

    /// No packet has come up to a time, by the clock that packets are captured by: ends the waits whose time is over by then.
    public mutating func passTime<Sink: ConversationSink & ~Copyable>(until now: Timestamp, sink: inout Sink) {
        if !clock.isEmpty { endWaits(at: now, sink: &sink) }
    }

    /// Ends the waits whose time is over.
    @inline(never)
    mutating func endWaits<Sink: ConversationSink & ~Copyable>(at now: Timestamp, sink: inout Sink) {
        while let wait = clock.takeOverdue(at: now) {
            guard let entry = flows.entries[Int(wait.slot)], entry.flow.conversation.context.number == wait.conversation else { continue }
            let isRenewed = entry.flow.clock == .renewed
            entry.flow.clock = .none
            guard entry.flow.isPatient else { continue }
            if isRenewed {
                watch(entry, at: wait.slot, since: now)
                continue
            }
            let after = entry.flow.expire(at: now, sink: &sink)
            heldBytes += after.heldChange
            if after.isOver {
                close(wait.slot, .fin, sink: &sink)
            } else if after.isPatient {
                watch(entry, at: wait.slot, since: now)
            }
        }
    }

    /// Ends a connection whose two sides have ended and that waits for bytes only, because a SYN begins another one.
    mutating func endBeforeSyn<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, at index: Int32, sink: inout Sink
    ) {
        guard let entry = flows.entries[Int(index)], entry.flow.isPatient else { return }
        if entry.flow.isAfterReset { return close(index, .fin, sink: &sink) }
        guard entry.flow.isEndAcknowledged else { return }
        let direction: Direction = FlowKey.make(header).sourceIsLower == entry.firstIsLower ? .first : .second
        guard entry.flow.isAnother(syn: header, direction: direction) else { return }
        let after = entry.flow.expire(at: header.place.time, sink: &sink)
        heldBytes += after.heldChange
        if after.isOver { close(index, .fin, sink: &sink) }
    }

    /// Ends a connection of which nothing but a RST was seen, because a segment of another one comes. False where it does not.
    mutating func endBeforeAnother<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, at index: Int32, direction: Direction, sink: inout Sink
    ) -> Bool {
        guard let entry = flows.entries[Int(index)], entry.flow.refutesFirstReset(header, direction: direction) else { return false }
        let after = entry.flow.expire(at: entry.flow.conversation.lastTime, sink: &sink)
        heldBytes += after.heldChange
        close(index, .fin, sink: &sink)
        return true
    }
}
