/// Flow control (RFC 9113, section 5.2): what each side may still send, and how long it waited for more.
extension HTTP2Layer {
    /// Shorter waits are told of nobody: a window that is used up is refilled within a round trip.
    private static var longestUsualWait: Int64 { 100_000_000 }

    mutating func takeWindow<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ increment: UInt32, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = frameArrival(side)
        guard increment > 0 else { return context.emit(.http2WindowZero, at: arrival, sink: &sink) }
        if frame.stream == 0 {
            self[side.peer].window = min(HTTP2Layer.mostWindow, self[side.peer].window + Int64(increment))
            if knowsAll, self[side.peer].window > 0x7FFF_FFFF {
                context.emit(.http2WindowOverflow, a: UInt64(self[side.peer].window), at: arrival, sink: &sink)
            }
            return endWaits(of: side.peer, by: .connection, at: arrival)
        }
        guard let stream = streams[frame.stream] else {
            if knowsAll, !isOver(frame.stream, side) { context.emit(.http2StreamIdle, at: arrival, sink: &sink) }
            return
        }
        stream[side.peer].credit = min(HTTP2Layer.mostWindow, stream[side.peer].credit + Int64(increment))
        self[side.peer].mostCredit = max(self[side.peer].mostCredit, stream[side.peer].credit)
        // Which of several first windows holds is known when they are accepted.
        let window = window(of: stream, side.peer)
        if knowsAll, self[side].announced.isAccepted, window > 0x7FFF_FFFF {
            context.emit(.http2WindowOverflow, a: UInt64(window), at: arrival, sink: &sink)
        }
        endWait(stream, side.peer, by: .stream, at: arrival)
    }

    /// A side has changed the first window of all streams, those that are open included (section 6.9.2). Its frame was told.
    ///
    /// Streams are looked at only where one of them may have been given so much, and until one was found.
    mutating func judgeFirstWindow<Sink: ConversationSink & ~Copyable>(
        of side: Side, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let first = Int64(self[side].settings.initialWindow)
        guard knowsAll, !self[side.peer].hasToldWindow, first + self[side.peer].mostCredit > 0x7FFF_FFFF else { return }
        steps += streams.count
        var (number, most): (UInt32, Int64) = (0, 0)
        for stream in streams.values where !stream[side.peer].isEnded && stream[side.peer].credit > most {
            (number, most) = (stream.number, stream[side.peer].credit)
        }
        self[side.peer].mostCredit = most
        guard number > 0, first + most > 0x7FFF_FFFF else { return }
        self[side.peer].hasToldWindow = true
        context.emit(.http2InitialWindowOverflow, a: UInt64(first + most), b: UInt64(number), at: arrival, sink: &sink)
    }

    /// Windows are counted up to here: no more is ever sent.
    private static var mostWindow: Int64 { 1 << 40 }

    /// Bytes that a side may still send in a stream. Nothing is changed in the streams where the first window changes.
    private func window(of stream: HTTP2Stream, _ side: Side) -> Int64 {
        Int64(self[side.peer].announced.most.initialWindow) + stream[side].credit
    }

    /// DATA uses up both windows, padding included.
    mutating func spendWindow<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ side: Side, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let length = Int64(frame.length)
        let stream = streams[frame.stream]
        let wasLeft = min(self[side].window, stream.map { window(of: $0, side) } ?? .max)
        self[side].window -= length
        stream?[side].credit -= length
        // What was used before the other side took some back is no fault, and not known here.
        guard knowsAll, length > 0, wasLeft >= 0, length > wasLeft else { return }
        context.emit(.http2WindowExceeded, a: UInt64(length), b: UInt64(wasLeft), at: arrival, sink: &sink)
    }

    // MARK: - Waits

    /// Of so many streams of a side it is told how long they wait, at once: each change of a window looks at all of them.
    private static var mostWaits: Int { 32 }

    /// A side has sent DATA, and there is more to come: it waits where it may send nothing.
    mutating func noteWait(_ stream: HTTP2Stream, _ side: Side, at time: Timestamp?) {
        stream[side].stall = nil
        // All is sent that the head has announced.
        if let length = stream[side].content.length, length <= stream[side].dataBytes { return }
        guard knowsAll, stream[side].waitsSince == nil, self[side].waits.count < HTTP2Layer.mostWaits,
            min(self[side].window, window(of: stream, side)) <= 0, let time
        else { return }
        stream[side].waitsSince = time
        self[side].waits.append(stream.number)
    }

    /// Nobody waits any more in a stream, or nobody knows whether it does.
    mutating func forgetWait(_ stream: HTTP2Stream, _ side: Side) {
        guard stream[side].waitsSince != nil else { return }
        stream[side].waitsSince = nil
        self[side].waits.removeAll { $0 == stream.number }
    }

    /// A window has changed that many streams have in common.
    mutating func endWaits(of side: Side, by window: HTTP2Window, at arrival: Arrival) {
        guard self[side].window > 0, !self[side].waits.isEmpty else { return }
        steps += self[side].waits.count
        for number in self[side].waits.sorted() {
            guard let stream = streams[number] else { continue }
            endWait(stream, side, by: window, at: arrival)
        }
    }

    /// A stream is broken off in which a side waits: no window came.
    ///
    /// - Parameter since: since when it waits; nil where it does not, and nothing is told.
    mutating func tellStarved<Sink: ConversationSink & ~Copyable>(
        _ stream: HTTP2Stream, _ side: Side, since: Timestamp?, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let since, let now = arrival.place.time, now.nanoseconds(since: since) >= HTTP2Layer.longestUsualWait else { return }
        let window: HTTP2Window = self.window(of: stream, side) <= 0 ? .stream : .connection
        let wait = Array(HTTP2Layer.words(of: now.nanoseconds(since: since)).utf8)
        let before = context.enterStream(stream.number)
        context.emit(
            .http2WindowStarved, a: UInt64(stream.number), b: window.rawValue, at: arrival, content: wait.rawBytes, sink: &sink)
        context.leaveStream(before)
    }

    private mutating func endWait(_ stream: HTTP2Stream, _ side: Side, by window: HTTP2Window, at arrival: Arrival) {
        guard let since = stream[side].waitsSince, min(self[side].window, self.window(of: stream, side)) > 0 else { return }
        forgetWait(stream, side)
        guard let now = arrival.place.time, now.nanoseconds(since: since) >= HTTP2Layer.longestUsualWait else { return }
        stream[side].stall = HTTP2Stream.Stall(wait: now.nanoseconds(since: since), window: window, end: now)
    }

    /// A side goes on with its content: where it does so as soon as it may, it has waited for the window. One that had nothing left to send
    /// has not.
    mutating func tellStall<Sink: ConversationSink & ~Copyable>(
        _ stream: HTTP2Stream, _ side: Side, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let stall = stream[side].stall else { return }
        stream[side].stall = nil
        guard let now = arrival.place.time, now.nanoseconds(since: stall.end) <= HTTP2Layer.longestTurn else { return }
        let wait = Array(HTTP2Layer.words(of: stall.wait).utf8)
        context.emit(
            .http2WindowStall, a: UInt64(stream.number), b: stall.window.rawValue, at: arrival, content: wait.rawBytes, sink: &sink)
    }

    /// So long after a WINDOW_UPDATE was sent, its receiver may go on at the latest, if it has waited for it.
    private static var longestTurn: Int64 { 1_000_000_000 }

    /// `230 ms`, `1.2 s`.
    static func words(of nanoseconds: Int64) -> String {
        let milliseconds = (nanoseconds + 500_000) / 1_000_000
        if milliseconds < 1_000 { return "\(milliseconds) ms" }
        let tenths = (nanoseconds + 50_000_000) / 100_000_000
        return "\(tenths / 10).\(tenths % 10) s"
    }
}

/// Whose window a side waits for. The numbers choose a word in sentences.
enum HTTP2Window: UInt64 {
    case connection = 1
    case stream = 2
}
