// HTTP/2 that was found in the middle of a stream, by frames that follow each other.
//
// Other protocols have such rows of bytes by accident (the entries of a DCE/RPC endpoint map read as DATA). So the frames that come next
// have to fit as well. The first that does not refutes the guess: from there on the bytes are shown as they come. What is passed over until
// then, in search of the first frame, is shown as well, and not skipped.
extension HTTP2Layer {
    /// So many bytes that are passed over are shown at once.
    private static var mostPassed: Int { 64 << 10 }

    /// Whether the frame that begins fits, where what was found is not proven: also beside those before it.
    mutating func proves(_ frame: HTTP2FrameHeader, _ side: Side) -> Bool {
        guard !isRefuted else { return false }
        unprovenFrames -= 1
        guard frame.mayBeExtension || mayFollow(frame, side) else { return false }
        if unprovenFrames > 0 {
            self[side].unproven.append(UnprovenFrame(frame: frame, arrival: frameArrival(side)))
        } else {
            for side in [Side.client, .server] { self[side].unproven = [] }
        }
        return true
    }

    /// Whether a frame may be one, beside those of the side before it.
    private func mayFollow(_ frame: HTTP2FrameHeader, _ side: Side) -> Bool {
        guard frame.isPlausible(limit: self[side].mostFrame, mostStream: .max) else { return false }
        guard frame.stream > 0, let last = self[side].lastUnproven else { return true }
        let distance = frame.stream > last.stream ? frame.stream - last.stream : last.stream - frame.stream
        // Nobody has seen that longer frames than usual are allowed: where they are, content fills one after the other.
        let isLong = frame.length > HTTP2FrameHeader.usualLength && frame.length != last.length && distance > 0
        return distance <= HTTP2FrameHeader.farthestStream && !isLong
    }

    /// Keeps what a frame carries that stands in no record, where what was found is not proven.
    mutating func keepUnproven(_ payload: RawSpan, of frame: HTTP2FrameHeader, _ side: Side) {
        guard unprovenFrames > 0, frame.type == .windowUpdate || frame.type == .priority else { return }
        self[side].keepUnproven(payload)
    }

    /// Shows what stands in no record of the frames that were believed: where they are refuted, and ahead of bytes that are shown.
    mutating func showUnproven<Sink: ConversationSink & ~Copyable>(
        _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        guard unprovenFrames > 0 || isRefuted else { return }
        let frames = self[side].unproven
        self[side].unproven = []
        for one in frames {
            let bytes = one.frame.bytes + one.payload
            context.emit(.data(DataRun(length: UInt64(bytes.count))), at: one.arrival, content: bytes.rawBytes, sink: &sink)
        }
    }

    /// A frame does not fit: nothing more is read as HTTP/2.
    mutating func refute<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        isRefuted = true
        tellFrameFaults(side, context: &context, sink: &sink)
        dropBlock(of: side, context: &context, sink: &sink)
        for side in [Side.client, .server] { showUnproven(side, context: &context, sink: &sink) }
        let bytes = frame.bytes
        context.emit(.data(DataRun(length: UInt64(bytes.count))), at: frameArrival(side), content: bytes.rawBytes, sink: &sink)
        self[side].endFrame()
        self[side].phase = .foreign
        let peer = side.peer
        switch self[peer].phase {
        case .lost, .preface:
            tellSkipped(peer, context: &context, sink: &sink)
            self[peer].endFrame()
            self[peer].phase = .foreign
        // What has begun is read to its end.
        case .header, .payload, .data, .foreign: break
        }
    }

    /// Passes over bytes in search of a frame.
    mutating func pass<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, of side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        self[side].skipped &+= UInt64(bytes.byteCount)
        guard unprovenFrames > 0 || isRefuted, UInt64(self[side].passed.count + bytes.byteCount) == self[side].skipped else { return }
        self[side].passed.append(copying: bytes)
        if self[side].passed.count >= Self.mostPassed { showPassed(side, context: &context, sink: &sink) }
    }

    /// Shows what was passed over, as far as it is kept. It may hold header fields, if this is HTTP/2.
    mutating func showPassed<Sink: ConversationSink & ~Copyable>(
        _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let bytes = self[side].passed
        guard !bytes.isEmpty else { return }
        self[side].passed = []
        showUnproven(side, context: &context, sink: &sink)
        context.emit(
            .data(DataRun(length: UInt64(bytes.count), isHeaderBlock: true)), at: frameArrival(side), content: bytes.rawBytes, sink: &sink)
        self[side].start &+= UInt64(bytes.count)
        self[side].skipped &-= UInt64(bytes.count)
    }
}

/// A frame that was read before HTTP/2 was proven: what stands in no record of it.
struct UnprovenFrame {
    var frame: HTTP2FrameHeader
    var arrival: Arrival
    var payload: [UInt8] = []
}
