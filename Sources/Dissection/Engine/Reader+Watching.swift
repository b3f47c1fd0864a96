// Talk that is nothing known: it is shown as it comes, and each run is looked at for what may begin with it.
//
// A capture that starts in the middle of a conversation waits until it knows what is spoken. A chat over plain TCP would
// wait for ever: so once both sides have spoken, or enough text has come, what waits is shown. What is spoken may still
// come to light, at the next request of a connection whose long response was cut by the start of the capture, say. From
// then on only the beginning of a run counts, which costs nothing for most.
extension Reader {
    /// Shows what waits as `data`, unless there is a last word on it, and watches what follows.
    mutating func showUnknown<Sink: ConversationSink & ~Copyable>(
        _ search: RecognitionSearch, context: inout ConversationContext, sink: inout Sink
    ) {
        let clue = lastWord(search)
        guard forced == nil, clue.layer == .data else { return take(clue, context: &context, sink: &sink) }
        decideRoles(nil, context: &context, sink: &sink)
        self.search = nil
        enter(.data, context: &context, sink: &sink)
        replay(context: &context, sink: &sink)
        phase = .watching
    }

    /// Takes the next bytes of a watched side: shows them, lets them wait, or finds out what is spoken.
    mutating func watch<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, from side: Side, place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        guard bytes.byteCount > 0 else { return }
        if layer?.isPassedOn == true {
            phase = .running
            return dispatch(bytes, from: side, place: place, context: &context, sink: &sink)
        }
        if !queue.isEmpty, queue.bytes(of: side).byteCount == 0 { showWatched(context: &context, sink: &sink) }
        let isClient = side == .client
        if queue.isEmpty {
            let start = watched ?? WatchedStart(isClient: isClient)
            watched = start
            start.restart(isClient: isClient)
            switch start.judge(bytes) {
            case .nothing:
                deliver(bytes, from: side, place: place, context: &context, sink: &sink)
            case .begins(let layer):
                begin(layer, context: &context, sink: &sink)
                dispatch(bytes, from: side, place: place, context: &context, sink: &sink)
            case .mayBegin:
                queue.append(bytes, from: side, place: place)
            }
            return
        }
        queue.append(bytes, from: side, place: place)
        let start = watched ?? WatchedStart(isClient: isClient)
        switch start.judge(queue.bytes(of: side)) {
        case .begins(let layer):
            begin(layer, context: &context, sink: &sink)
            replay(context: &context, sink: &sink)
        case .nothing: showWatched(context: &context, sink: &sink)
        case .mayBegin: break
        }
    }

    /// Something known begins behind talk that was not. TLS is what both sides have agreed on in words of their own.
    private mutating func begin<Sink: ConversationSink & ~Copyable>(
        _ name: LayerName, context: inout ConversationContext, sink: inout Sink
    ) {
        if name == .tls {
            enterInside(context: &context, sink: &sink)
        } else {
            enter(name, isFound: true, context: &context, sink: &sink)
        }
    }

    /// Shows what waits, because it has come to nothing.
    mutating func showWatched<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        phase = .running
        replay(context: &context, sink: &sink)
        phase = .watching
    }
}

/// Whether something known begins with the first byte of a run that waits. Each byte is looked at once, however the run is cut.
///
/// A class, because few conversations ever wait so; one serves for all the runs of a conversation.
final class WatchedStart {
    enum Verdict {
        case nothing
        case mayBegin
        case begins(LayerName)
    }

    /// Bytes that one takes in the heap.
    static var ownBytes: Int { MemoryLayout<StartLineSearch>.size + 128 }

    /// More is not waited for.
    private static let mostBytes = 2_048
    /// The method of a request and the version and status of a response lie within so many bytes.
    private static let decisiveBytes = 64

    private var isClient: Bool
    private var lines: StartLineSearch
    /// Up to here a request that is not whole has no byte that no target has.
    private var clean = 0
    private var earlierSteps = 0

    /// How often a byte was looked at, for tests of what it costs.
    var steps: Int { earlierSteps + lines.steps + clean }

    init(isClient: Bool) {
        self.isClient = isClient
        lines = StartLineSearch(isClient ? .request : .status)
    }

    /// Another run begins.
    func restart(isClient: Bool) {
        earlierSteps = steps
        self.isClient = isClient
        lines = StartLineSearch(isClient ? .request : .status)
        clean = 0
    }

    /// Judges a run anew that has become longer.
    func judge(_ bytes: RawSpan) -> Verdict {
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
        if let found = lines.advance(over: bytes, base: 0) { return found.start == 0 ? .begins(.http) : .nothing }
        guard lines.pending == 0, bytes.byteCount < Self.mostBytes else { return .nothing }
        if lines.hasStartLine { return .mayBegin }
        return mayBeginLine(bytes) ? .mayBegin : .nothing
    }

    private func mayBeginLine(_ bytes: RawSpan) -> Bool {
        let beginning = bytes.extracting(0..<min(bytes.byteCount, Self.decisiveBytes))
        guard isClient else { return HTTP1Lines.statusLine(in: beginning, at: 0) != .no }
        guard HTTP1Lines.isUnfinishedRequest(beginning) else { return false }
        var index = max(clean, beginning.byteCount)
        while index < bytes.byteCount, bytes[index] >= 0x20 { index += 1 }
        clean = index
        return index == bytes.byteCount
    }
}
