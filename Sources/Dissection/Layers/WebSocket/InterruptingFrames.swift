/// Frames with the reserved opcode of a control frame (11 to 15) that came between the fragments of a message.
///
/// Each is told as a message of its own, and the records of messages stand in the order of their first bytes: so these wait
/// until the message that they interrupt has been told. No extension in use sends such frames, so hardly a direction has
/// any: a class, so that the others pay a word for it.
final class InterruptingFrames {
    struct Entry {
        var frame: FrameHeader
        var faults: FrameFaults
        var arrival: Arrival
        /// Where its payload ends in `bytes`; it begins where the one before it ends.
        var end: Int
        /// Payload that came.
        var seen: UInt64
    }

    /// Bytes of one control frame that are kept in any case: what a record says of its length does not depend on how much is shown of payloads.
    static let longestKept = 64 << 10
    /// Bytes of all of these, kept in any case: whether they are messages or a gap does not depend on that either.
    static let keptBytes = 4_096

    fileprivate(set) var entries: [Entry] = []
    fileprivate(set) var bytes: [UInt8] = []

    var heldBytes: Int { bytes.capacity + entries.capacity * MemoryLayout<Entry>.stride }
}

extension WebSocketDirection {
    /// Keeps the frame that is whole now until the open message has been told. Over the bound of what is kept of a message
    /// it becomes a gap, so that a flood of them costs no more than a long message does.
    mutating func holdInterrupting<Sink: ConversationSink & ~Copyable>(
        _ content: RawSpan, context: inout ConversationContext, sink: inout Sink
    ) {
        hasUsedBuffers = true
        let frames = interrupting ?? InterruptingFrames()
        interrupting = frames
        let seen = frame.length &- lost
        let kept = content.extracting(0..<min(content.byteCount, context.limits.messageBytes))
        guard frames.heldBytes + kept.byteCount <= max(context.limits.messageBytes, InterruptingFrames.keptBytes) else {
            context.emit(.gap(Gap(length: UInt64(frame.headerLength) &+ seen, cause: .limit)), at: frameArrival, sink: &sink)
            if !faults.isEmpty { faults.tell(frame, at: frameArrival, context: &context, sink: &sink) }
            return
        }
        frames.bytes.append(copying: kept)
        frames.entries.append(
            InterruptingFrames.Entry(frame: frame, faults: faults, arrival: frameArrival, end: frames.bytes.count, seen: seen))
    }

    /// The message that was interrupted has been told: now these.
    mutating func tellInterrupting<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard let frames = interrupting else { return }
        interrupting = nil
        hasUsedBuffers = true
        let bytes = frames.bytes
        var start = 0
        for entry in frames.entries {
            tellReserved(
                entry.frame, bytes.rawBytes.extracting(start..<entry.end), at: entry.arrival, context: &context, sink: &sink)
            if !entry.faults.isEmpty { entry.faults.tell(entry.frame, at: entry.arrival, context: &context, sink: &sink) }
            start = entry.end
        }
    }

    /// Tells a frame with the reserved opcode of a control frame as the message that it is.
    func tellReserved<Sink: ConversationSink & ~Copyable>(
        _ frame: FrameHeader, _ content: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        context[side].messages &+= 1
        let told = Message(opcode: frame.opcode, length: frame.length, wireLength: frame.length, fragments: 1, compressed: false)
        let kept = min(content.byteCount, context.limits.messageBytes)
        context.emit(.message(told), at: arrival, content: content.extracting(0..<kept), sink: &sink)
    }
}
