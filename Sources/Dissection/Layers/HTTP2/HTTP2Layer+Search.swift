/// The search for the next frame, where what came before it was lost or is no frame.
extension HTTP2Layer {
    /// Bytes of a candidate frame that are waited for; no frame is believed that is larger.
    private static var mostWaited: Int { HTTP2FrameHeader.usualLength + 2 * HTTP2FrameHeader.size }

    /// What was taken for a frame's header is none: the next frame is searched behind its first byte.
    mutating func loseFrames<Sink: ConversationSink & ~Copyable>(
        of side: Side, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        context.emit(.http2FrameImplausible, at: arrival, sink: &sink)
        tellFrameFaults(side, context: &context, sink: &sink)
        knowsAll = false
        dropBlock(of: side, context: &context, sink: &sink)
        self[side].endFrame()
        self[side].phase = .lost
        self[side].searched = 1
        self[side].decoder.lose()
    }

    /// Streams that may have been opened in what was lost are not so many that their numbers were beyond this.
    var mostStream: UInt32 {
        let highest = max(self[.client].highestStream, self[.server].highestStream)
        return highest == 0 || highest > .max - HTTP2FrameHeader.farthestStream ? .max : highest + HTTP2FrameHeader.farthestStream
    }

    /// Searches for a frame that another one follows; returns how many bytes were taken. Each place is looked at once.
    mutating func search<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        let side = arrival.side
        guard self[side].buffer.isEmpty else { return searchOn(bytes, at: arrival, context: &context, sink: &sink) }
        if self[side].skipped == 0 {
            self[side].start = arrival.offset
            self[side].place = arrival.place
        } else {
            self[side].place.extend(by: arrival.place)
        }
        let found = frame(in: bytes, at: arrival.offset, side)
        self[side].searched = 0
        pass(bytes.extracting(0..<found.place), of: side, context: &context, sink: &sink)
        guard found.isFrame else {
            self[side].buffer.append(copying: bytes.suffix(from: found.place))
            return bytes.byteCount
        }
        beginAgain(side, context: &context, sink: &sink)
        return found.place
    }

    /// Searches bytes of a side, the first of which has this offset, from where they were searched to.
    private mutating func frame(in bytes: RawSpan, at offset: UInt64, _ side: Side) -> (place: Int, isFrame: Bool) {
        HTTP2FrameSearch.frame(
            in: bytes, at: offset, from: self[side].searched, mostStream: mostStream, mostLength: self[side].mostFrame,
            awaited: &self[side].awaitedFrames)
    }

    /// As before, where bytes that came earlier wait for those that follow them.
    private mutating func searchOn<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        let side = arrival.side
        self[side].place.extend(by: arrival.place)
        let count = min(bytes.byteCount, HTTP2Layer.mostWaited)
        self[side].buffer.append(copying: bytes.extracting(0..<count))
        let waiting = self[side].buffer
        let found = frame(in: waiting.rawBytes, at: arrival.offset &+ UInt64(count) &- UInt64(waiting.count), side)
        guard found.isFrame else {
            self[side].searched = found.place
            // What was searched is not waited for.
            if found.place > HTTP2Layer.mostWaited {
                self[side].buffer = Array(waiting[found.place...])
                pass(waiting.rawBytes.extracting(0..<found.place), of: side, context: &context, sink: &sink)
                self[side].searched = 0
            }
            return count
        }
        pass(waiting.rawBytes.extracting(0..<found.place), of: side, context: &context, sink: &sink)
        let place = self[side].place
        beginAgain(side, context: &context, sink: &sink)
        // From here on what is no header is searched where it lies, so that this nests once.
        let rest = waiting.rawBytes.suffix(from: found.place)
        let here = Arrival(side: side, offset: arrival.offset &+ UInt64(count) &- UInt64(rest.byteCount), place: place)
        read(rest, at: here, context: &context, sink: &sink)
        return count
    }

    /// The other side has its turn, or no more comes at the moment: of a side whose frames are searched, what waits for the frame after it may be a
    /// whole one. A request is then told before its response.
    mutating func takeHeld<Sink: ConversationSink & ~Copyable>(
        of side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        guard self[side].phase == .lost, !self[side].buffer.isEmpty else { return }
        let waiting = self[side].buffer
        let position = self[side].searched
        let isFirst = self[side].skipped == 0 && position == 0
        guard HTTP2FrameSearch.isFilled(waiting.rawBytes, from: position, isFirst: isFirst, mostStream: mostStream) else { return }
        pass(waiting.rawBytes.extracting(0..<position), of: side, context: &context, sink: &sink)
        let here = Arrival(side: side, offset: self[side].start &+ self[side].skipped, place: self[side].place)
        beginAgain(side, context: &context, sink: &sink)
        read(waiting.rawBytes.suffix(from: position), at: here, context: &context, sink: &sink)
    }

    /// A frame was found.
    private mutating func beginAgain<Sink: ConversationSink & ~Copyable>(
        _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        self[side].buffer = []
        self[side].awaitedFrames = []
        let (skipped, arrival) = (self[side].skipped, frameArrival(side))
        tellSkipped(side, context: &context, sink: &sink)
        // Frames of any stream may stand in it.
        if skipped > 0 { loseAnywhere(skipped, at: arrival) }
        self[side].endFrame()
        self[side].hasSettings = true
    }

    /// Tells that what was searched is skipped.
    mutating func tellSkipped<Sink: ConversationSink & ~Copyable>(
        _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        if unprovenFrames > 0 || isRefuted {
            let waiting = self[side].buffer
            self[side].buffer = []
            pass(waiting.rawBytes, of: side, context: &context, sink: &sink)
        }
        showPassed(side, context: &context, sink: &sink)
        let count = self[side].skipped &+ UInt64(self[side].buffer.count)
        self[side].buffer = []
        self[side].skipped = 0
        self[side].searched = 0
        self[side].awaitedFrames = []
        guard count > 0 else { return }
        context.emit(.gap(Gap(length: count, cause: .resync)), at: frameArrival(side), sink: &sink)
    }
}

/// The search for a frame where nobody knows that one begins.
enum HTTP2FrameSearch {
    /// So many frames prove HTTP/2 that was found in the middle of a stream.
    static let mostUnproven = 16

    /// Where a long frame leads, and of which stream it is.
    struct Awaited {
        var offset: UInt64
        var stream: UInt32
    }

    /// Places that long frames lead to are kept for no more of them.
    private static let mostAwaited = 8

    /// The first place that may be a frame's, where another one follows it; or the place up to which none is, which has to be looked at
    /// again once more has come.
    ///
    /// Frames of the usual length are waited for. A longer one, which a peer may have allowed, is not: the place that it leads to is noted, and
    /// the frame there is the first that is read.
    ///
    /// - Parameters:
    ///   - offset: of the first byte.
    ///   - mostLength: bytes of payload that the sender may send in a frame.
    ///   - awaited: places that long frames lead to.
    static func frame(
        in bytes: RawSpan, at offset: UInt64, from start: Int, mostStream: UInt32, mostLength: Int, awaited: inout [Awaited]
    ) -> (place: Int, isFrame: Bool) {
        let usual = HTTP2FrameHeader.usualLength
        var place = max(0, start)
        while place + HTTP2FrameHeader.size <= bytes.byteCount {
            let header = HTTP2FrameHeader(bytes, at: place)
            guard header.isPlausible(limit: max(usual, mostLength), mostStream: mostStream) else {
                place += 1
                continue
            }
            // What a long frame leads to is one, if it may be one itself.
            if !awaited.isEmpty, let lead = awaited.first(where: { $0.offset == offset &+ UInt64(place) }),
                mostStream < .max || header.isPlausible(beside: lead.stream)
            {
                return (place, true)
            }
            guard header.length <= usual else {
                // Where no stream is known, too much looks like a long frame: what it leads to has to be of its stream, or of one near it.
                if header.type == .data, mostStream < .max || header.isPlausible(beside: 0) {
                    if awaited.count == mostAwaited { awaited.removeFirst() }
                    let next = offset &+ UInt64(place + HTTP2FrameHeader.size + header.length)
                    awaited.append(Awaited(offset: next, stream: header.stream))
                }
                place += 1
                continue
            }
            let next = place + HTTP2FrameHeader.size + header.length
            guard next + HTTP2FrameHeader.size <= bytes.byteCount else { return (place, false) }
            let follower = HTTP2FrameHeader(bytes, at: next)
            if follower.isPlausible(limit: max(usual, mostLength), mostStream: mostStream),
                // Where no stream is known, the two say what may be one.
                mostStream < .max || header.isPlausible(beside: 0) && follower.isPlausible(beside: header.stream)
            {
                return (place, true)
            }
            place += 1
        }
        return (min(place, bytes.byteCount), false)
    }

    /// Whether one frame fills the bytes from a place on, to the last one. One without content is believed only where it is the first thing
    /// after what was lost: nine bytes are soon found in anything.
    static func isFilled(_ bytes: RawSpan, from place: Int, isFirst: Bool, mostStream: UInt32) -> Bool {
        guard place + HTTP2FrameHeader.size <= bytes.byteCount else { return false }
        let header = HTTP2FrameHeader(bytes, at: place)
        guard header.isPlausible(limit: HTTP2FrameHeader.usualLength, mostStream: mostStream), header.length > 0 || isFirst,
            mostStream < .max || header.isPlausible(beside: 0)
        else { return false }
        return place + HTTP2FrameHeader.size + header.length == bytes.byteCount
    }
}
