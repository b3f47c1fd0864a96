/// The streams that are open: which there are, how many, and what their numbers say.
extension HTTP2Layer {
    /// The stream of a number, which is opened where there is none.
    mutating func stream<Sink: ConversationSink & ~Copyable>(
        _ number: UInt32, context: inout ConversationContext, at arrival: Arrival, sink: inout Sink
    ) -> HTTP2Stream {
        if let known = streams[number] { return known }
        if streams.count >= max(4, context.limits.pendingRequests) { giveUpOldest(at: arrival, context: &context, sink: &sink) }
        let new = HTTP2Stream(
            number, at: arrival.place.time, lostByClient: self[.client].lostBytes, lostByServer: self[.server].lostBytes)
        streams[number] = new
        if number % 2 == 1 { openRequests += 1 }
        count(new)
        return new
    }

    /// Too many streams are open: the lowest numbers are given up, a quarter of all at once, so that it is seldom done.
    private mutating func giveUpOldest<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if !hasToldLimit {
            hasToldLimit = true
            context.emit(.http2StreamLimit, a: UInt64(streams.count), at: arrival, sink: &sink)
        }
        knowsAll = false
        steps += streams.count
        for number in streams.keys.sorted().prefix(streams.count / 4 + 1) {
            guard let stream = streams[number] else { continue }
            for side in [Side.client, .server] { breakOff(stream, side, at: arrival, context: &context, sink: &sink) }
            forget(stream)
        }
    }

    mutating func forget(_ stream: HTTP2Stream) {
        streamBytes -= stream.countedBytes
        stream.countedBytes = 0
        forgetWait(stream, .client)
        forgetWait(stream, .server)
        guard streams.removeValue(forKey: stream.number) != nil else { return }
        if stream.number % 2 == 1 { openRequests -= 1 }
    }

    /// Whether a stream is no more, so that what a side sends on it opens none.
    func isGone(_ number: UInt32, _ side: Side) -> Bool {
        streams[number] == nil && (self[side.peer].hasReset(number) || knowsAll && isOver(number, side))
    }

    /// A block has come on a stream that is no more, or that its sender has ended.
    func tellGone<Sink: ConversationSink & ~Copyable>(
        _ block: HTTP2Direction.Block, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        guard !self[side.peer].hasReset(block.stream) else { return }
        context.emit(.http2StreamOver, at: block.arrival, sink: &sink)
    }

    /// A side has opened a stream, or promised it.
    mutating func noteOpened(_ number: UInt32, by side: Side) {
        guard (number % 2 == 1) == (side == .client) else { return }
        self[side].highestStream = max(self[side].highestStream, number)
    }

    /// Whether a stream that is not open has been.
    func isOver(_ number: UInt32, _ side: Side) -> Bool {
        number <= (number % 2 == 1 ? self[.client].highestStream : self[.server].highestStream)
    }

    /// Judges the number of a stream that a side opens (RFC 9113, section 5.1.1).
    ///
    /// - Parameters:
    ///   - highest: the highest one before it.
    ///   - isKnown: the stream was open.
    mutating func judgeNumber<Sink: ConversationSink & ~Copyable>(
        _ number: UInt32, after highest: UInt32, isKnown: Bool, _ side: Side, at arrival: Arrival, context: inout ConversationContext,
        sink: inout Sink
    ) {
        let isOdd = number % 2 == 1
        if isOdd != (side == .client) {
            context.emit(.http2StreamParity, at: arrival, sink: &sink)
        } else if number <= highest, !isKnown, knowsAll {
            context.emit(.http2StreamReused, a: UInt64(highest), at: arrival, sink: &sink)
        }
        noteOpened(number, by: side)
    }

    /// A request on its way and the GOAWAY may cross for so long.
    private static var longestCrossing: Int64 { 1_000_000_000 }

    /// A side has opened a stream: it does not where it knew of the other side's GOAWAY (section 6.8).
    func judgeGoAway<Sink: ConversationSink & ~Copyable>(
        _ side: Side, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard knowsAll, side == .client, let goAway = self[side.peer].goAway, let sent = goAway.time, let now = arrival.place.time,
            now.nanoseconds(since: sent) > Self.longestCrossing
        else { return }
        // Without packets nobody knows what the client had received.
        if arrival.place.packets != nil, !arrival.place.hasReceived(UInt64(context.position(of: goAway.start, side.peer))) { return }
        context.emit(.http2StreamAfterGoAway, at: arrival, sink: &sink)
    }

    /// Judges how many streams a side has open when it has opened one more (section 5.1.2).
    mutating func judgeCount<Sink: ConversationSink & ~Copyable>(
        _ side: Side, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let most = self[.server].announced.most.openStreams
        guard knowsAll, side == .client, openRequests > most else { return }
        context.emit(.http2StreamsExceeded, a: UInt64(openRequests), b: UInt64(most), at: arrival, sink: &sink)
    }
}
