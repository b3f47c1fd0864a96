// Talk that is nothing known: it is shown as it comes, and each run is looked at for what may begin with it.
//
// A capture that starts in the middle of a conversation waits until it knows what is spoken. A chat over plain TCP would
// wait for ever: so once both sides have spoken, or enough text has come, what waits is shown. What is spoken may still
// come to light, at the next request of a connection whose long response was cut by the start of the capture, say. From
// then on only the beginning of a run counts, which costs nothing for most.
extension Conversation {
    /// Shows what waits as `data`, unless there is a last word on it, and watches what follows.
    mutating func showUnknown<Sink: ConversationSink & ~Copyable>(_ search: RecognitionSearch, sink: inout Sink) {
        let clue = lastWord(search)
        guard forced == nil, clue.layer == .opaque else { return take(clue, sink: &sink) }
        if case .roles = phase { decideRoles(nil, sink: &sink) }
        self.search = nil
        enter(.opaque, sink: &sink)
        replay(sink: &sink)
        phase = .watching
    }

    /// Takes the next bytes of a watched direction: shows them, lets them wait, or finds out what is spoken.
    mutating func watch<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, direction: Direction, place: Place, sink: inout Sink
    ) {
        guard bytes.byteCount > 0 else { return }
        if !queue.isEmpty, queue.bytes(of: direction).byteCount == 0 { showWatched(sink: &sink) }
        let isClient = sides.side(of: direction) == .client
        if queue.isEmpty {
            switch WatchedStart.judge(bytes, isClient: isClient) {
            case .nothing:
                deliver(bytes, side: sides.side(of: direction), place: place, sink: &sink)
            case .begins(let layer):
                enter(layer, sink: &sink)
                dispatch(bytes, direction: direction, place: place, sink: &sink)
            case .mayBegin:
                queue.append(bytes, direction: direction, place: place)
            }
            return
        }
        queue.append(bytes, direction: direction, place: place)
        switch WatchedStart.judge(queue.bytes(of: direction), isClient: isClient) {
        case .begins(let layer):
            enter(layer, sink: &sink)
            replay(sink: &sink)
        case .nothing: showWatched(sink: &sink)
        case .mayBegin: break
        }
    }

    /// Shows what waits, because it has come to nothing.
    mutating func showWatched<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        phase = .running
        replay(sink: &sink)
        phase = .watching
    }
}

/// Whether something known begins with the first byte of a run.
enum WatchedStart {
    enum Verdict {
        case nothing
        case mayBegin
        case begins(LayerStack.Current)
    }

    /// More is not waited for, so that looking at it again costs little.
    private static let mostBytes = 2_048

    static func judge(_ bytes: RawSpan, isClient: Bool) -> Verdict {
        let first = bytes[0]
        if first == 0x16 {
            switch TLSRecords.beginsWithHello(bytes, type: isClient ? 1 : 2) {
            case .yes: return .begins(.tls)
            case .undecided: return .mayBegin
            case .no: return .nothing
            }
        }
        if isClient, first & 0x80 != 0 { return WebSocketFooting.areClientFrames(bytes) ? .begins(.webSocket) : .nothing }
        let isLikeStartLine = isClient ? HTTP1Lines.isMethodByte(first) : first == UInt8(ascii: "H")
        guard isLikeStartLine else { return .nothing }
        var lines = StartLineSearch(isClient ? .request : .status)
        if let found = lines.advance(over: bytes, base: 0) { return found.start == 0 ? .begins(.http1) : .nothing }
        guard lines.pending == 0, bytes.byteCount < mostBytes else { return .nothing }
        if lines.hasStartLine { return .mayBegin }
        let mayBegin = isClient ? HTTP1Lines.isUnfinishedRequest(bytes) : HTTP1Lines.statusLine(in: bytes, at: 0) != .no
        return mayBegin ? .mayBegin : .nothing
    }
}
