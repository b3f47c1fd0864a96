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
        let clue = lastWord(search, context)
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
        if queue.isEmpty {
            let rows = context.layers.starting(with: bytes[0], from: side)
            guard rows != 0 else { return deliver(bytes, from: side, place: place, context: &context, sink: &sink) }
            let start = watched ?? WatchedStart(context.layers)
            watched = start
            start.restart(rows)
            switch start.judge(bytes, from: side) {
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
        switch watched?.judge(queue.bytes(of: side), from: side) {
        case .begins(let layer)?:
            begin(layer, context: &context, sink: &sink)
            replay(context: &context, sink: &sink)
        case .nothing?, nil: showWatched(context: &context, sink: &sink)
        case .mayBegin?: break
        }
    }

    /// Something known begins behind talk that was not. What may follow such talk is what both sides have agreed on in words of
    /// their own.
    private mutating func begin<Sink: ConversationSink & ~Copyable>(
        _ name: LayerName, context: inout ConversationContext, sink: inout Sink
    ) {
        if context.layers[name]?.mayFollowConversation == true {
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

    /// More is not waited for.
    private static let mostBytes = 2_048

    private let layers: LayerTable
    /// By the rows of the table: those that were asked so far.
    private var searches: [(any MidstreamSearch)?]
    /// The rows that may begin with the run, a bit for each.
    private var rows: UInt64 = 0

    /// How often a byte was looked at, for tests of what it costs.
    var steps: Int { searches.reduce(0) { $0 + ($1?.steps ?? 0) } }

    /// Bytes that it takes in the heap.
    private(set) var ownBytes: Int

    init(_ layers: LayerTable) {
        self.layers = layers
        searches = [(any MidstreamSearch)?](repeating: nil, count: layers.rows.count)
        ownBytes = 96 + 16 * searches.count
    }

    /// Another run begins, with which `rows` may begin.
    func restart(_ rows: UInt64) {
        self.rows = rows
        var left = rows
        while left != 0 {
            searches[left.trailingZeroBitCount]?.restart()
            left &= left - 1
        }
    }

    /// Judges a run anew that has become longer.
    func judge(_ bytes: RawSpan, from side: Side) -> Verdict {
        while rows != 0 {
            let row = rows.trailingZeroBitCount
            switch search(of: row)?.begins(with: bytes, from: side) ?? .no {
            case .yes: return .begins(layers.rows[row].name)
            case .undecided: return bytes.byteCount < Self.mostBytes ? .mayBegin : .nothing
            // The next one is asked; this one need not be again.
            case .no: rows &= rows - 1
            }
        }
        return .nothing
    }

    private func search(of row: Int) -> (any MidstreamSearch)? {
        if let search = searches[row] { return search }
        let search = layers.rows[row].search()
        searches[row] = search
        ownBytes += search?.ownBytes ?? 0
        return search
    }
}
