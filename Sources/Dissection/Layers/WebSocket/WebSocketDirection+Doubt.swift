// Where the boundaries were found again, or are only likely, the frames that follow have to bear that out.
//
// A candidate that was taken by accident leads into the middle of payload, where the next header is anything: not masked
// as the side has to, with a reserved opcode, with a length that nobody writes so. That is a reason to search on, and none
// to accuse the peer.
extension WebSocketDirection {
    /// So many frames have to fit. Of random bytes one header in about 20 does.
    static let mostUnproven: UInt8 = 4

    /// A boundary that is doubted is looked for again, but not again and again: each search costs a copy of what waits.
    static let mostHypotheses: UInt8 = 4

    /// Reading begins at `offset`. `mayBeCut`: anywhere in a frame. `isUnconfirmed`: with a frame, probably. In both cases messages may have
    /// come before. `isKnown`: what was agreed on; otherwise nobody can say that a message is compressed as it seems to be.
    /// `isGuessed`: that these are frames at all was found by looking at bytes. `isForced`: the user has said that they are.
    mutating func begin(at offset: UInt64, mayBeCut: Bool, isUnconfirmed: Bool, isKnown: Bool, isGuessed: Bool, isForced: Bool) {
        self.isGuessed = isGuessed
        showsPassed = isGuessed && !isForced
        doubtsLeft = WebSocketDirection.mostHypotheses
        if mayBeCut || isUnconfirmed || !isKnown {
            history.lose()
            carried = nil
        }
        if mayBeCut {
            beginSearch(at: offset, isStart: true)
        } else if isUnconfirmed {
            unproven = WebSocketDirection.mostUnproven
        }
    }

    /// The frame that was begun is none: looks for the next boundary from its first byte on.
    mutating func doubtBoundary<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        doubtsLeft -= 1
        unproven = 0
        loseAlignment(context: &context, sink: &sink)
        beginSearch(at: frameOffset, isStart: false)
    }

    /// The frame that was begun is none, and boundaries were looked for often enough: shows what comes as bytes, up to the next loss.
    ///
    /// - Parameter header: what came of it in earlier runs.
    mutating func giveUp<Sink: ConversationSink & ~Copyable>(
        _ header: [UInt8], context: inout ConversationContext, sink: inout Sink
    ) {
        unproven = 0
        loseAlignment(context: &context, sink: &sink)
        phase = .opaque
        hasGivenUp = true
        guard !header.isEmpty else { return }
        context.emit(.data(DataRun(length: UInt64(header.count))), at: frameArrival, content: header.rawBytes, sink: &sink)
    }

    /// Whether what is wrong with the content of a message is reported. Frames without masks that were only guessed may be anything: a tag and a
    /// length.
    var reportsContent: Bool { !showsPassed || side == .client }

    /// Whether the header that was read last fits what it is taken for: a frame of this side, in its place.
    mutating func bearsOut() -> Bool {
        guard faults.isDisjoint(with: .implausible), faults.isDisjoint(with: [.rsv1OnControl, .rsv1OnContinuation]) else { return false }
        // Behind a Close frame a recording has come to its end.
        if isGuessed, hasClosed { return false }
        // Without the handshake RSV2 and RSV3 may have been agreed to mean something, but nobody has done so.
        guard frame.rsv & 3 == 0, frame.opcode != 0 || frame.length > 0 || frame.fin else { return false }
        if !frame.isControl {
            let isContinuation = frame.opcode == 0
            if isContinuation != message.isOpen, !(isContinuation && mayContinue) { return false }
        }
        // What repeats itself in the payload of one frame bears out nothing: a client takes another key for each.
        if frame.masked, frame.maskingKey != 0, frame.maskingKey == provenKey { return true }
        provenKey = frame.maskingKey
        if unproven > 0 { unproven -= 1 }
        return true
    }
}
