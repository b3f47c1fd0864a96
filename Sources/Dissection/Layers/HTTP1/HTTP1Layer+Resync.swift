/// The search for the next start line. What lies before it is shown as the bytes that it is.
extension HTTP1Layer {
    /// Searches for the next start line; returns where reading goes on in the run.
    mutating func search<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, from start: Int, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        let side = arrival.side
        let search = self[side].search ?? LostAlignment(side)
        self[side].search = search
        let rest = bytes.suffix(from: start)
        guard !self[side].buffer.isEmpty else {
            let here = arrival.advanced(by: start)
            self[side].tellGivenUp(before: here.offset, side: side, context: &context, sink: &sink)
            self[side].start = here.offset
            self[side].place = arrival.place
            let found = search.lines.advance(over: rest, base: search.base)
            let skipped = (found?.start ?? search.lines.pending) - search.base
            tellSkipped(rest.extracting(0..<skipped), at: here, context: &context, sink: &sink)
            if found != nil {
                regain(at: here.advanced(by: skipped), context: &context, sink: &sink)
                return start + skipped
            }
            search.base += skipped
            self[side].start &+= UInt64(skipped)
            self[side].buffer.append(copying: rest.suffix(from: skipped))
            return bytes.byteCount
        }
        var buffer: [UInt8] = []
        swap(&buffer, &self[side].buffer)
        let before = buffer.count
        buffer.append(copying: rest)
        var place = self[side].place
        place.extend(by: arrival.place)
        let here = Arrival(side: side, offset: self[side].start, place: place)
        let found = search.lines.advance(over: buffer.rawBytes, base: search.base)
        let skipped = (found?.start ?? search.lines.pending) - search.base
        tellSkipped(buffer.rawBytes.extracting(0..<skipped), at: here, context: &context, sink: &sink)
        if found != nil {
            // Of a start line that begins in what was kept, the rest of the run follows.
            let regained = Arrival(side: side, offset: here.offset &+ UInt64(skipped), place: skipped < before ? place : arrival.place)
            regain(at: regained, context: &context, sink: &sink)
            guard skipped < before else { return start + skipped - before }
            self[side].buffer.append(copying: buffer.rawBytes.extracting(skipped..<before))
            return start
        }
        search.base += skipped
        buffer.removeFirst(skipped)
        swap(&buffer, &self[side].buffer)
        self[side].start &+= UInt64(skipped)
        self[side].place = skipped < before ? place : arrival.place
        return bytes.byteCount
    }

    /// Nothing more comes that could bear out a start line that is held: one that nothing has refuted is believed, and the
    /// head that it begins is under way. `arrival` is the end of what is held.
    mutating func concludeSearch<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let side = arrival.side
        guard self[side].phase == .lost, let search = self[side].search, let found = search.lines.conclude() else { return }
        let skipped = found.start - search.base
        guard skipped >= 0, skipped < self[side].buffer.count else { return }
        var buffer: [UInt8] = []
        swap(&buffer, &self[side].buffer)
        let here = Arrival(side: side, offset: self[side].start, place: self[side].place)
        tellSkipped(buffer.rawBytes.extracting(0..<skipped), at: here, context: &context, sink: &sink)
        regain(at: here.advanced(by: skipped), context: &context, sink: &sink)
        buffer.removeFirst(skipped)
        self[side].buffer = buffer
    }

    private mutating func tellSkipped<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard bytes.byteCount > 0 else { return }
        if self[arrival.side].characters?.beyond != nil { self[arrival.side].characters?.add(beyond: bytes) }
        // They may have been a message, or several.
        exchange.lose()
        context.emit(.data(DataRun(length: UInt64(bytes.byteCount))), at: arrival, content: bytes, sink: &sink)
    }

    /// Synchronised: a start line stands at `arrival`.
    private mutating func regain<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let side = arrival.side
        endBeyond(side, context: &context, sink: &sink)
        let isBehindOther = self[side].search.map { arrival.offset > self[side].start || $0.base > 0 } ?? false
        if isBehindOther { exchange.lose() }
        self[side].search = nil
        self[side].phase = .head
        self[side].marks.remove([.closing, .bodyless, .mayLackBeginning])
        if isBehindOther {
            self[side].marks.formUnion([.found, .foundHere])
        } else if side == .client || context.hasGap(side) || exchange.waitingCount == 0 || !isCertain(.client) {
            self[side].marks.formUnion([.found, .foundHere, .mayLackBeginning])
        }
        if self[side].marks.contains(.found) { self[side].marks.insert(.unanswered) }
        self[side].begin(at: arrival)
        if side == .server { exchange.alignServer() }
    }
}
