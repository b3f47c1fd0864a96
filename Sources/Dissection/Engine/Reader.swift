/// Reads one two-way channel of bytes: what is spoken in it, who has to wait, which layer reads now.
///
/// It goes through three phases, of which most channels see only the last:
///
/// 1. `roles`: no SYN was seen, so nobody knows who is the client. Everything waits until a side sends what only a
///    client or only a server can, at most `Limits.roleBytes`. Until then the side of the first packet goes as the client.
/// 2. `recognition`: the roles are known, the protocol is not. What came waits until the first bytes are unambiguous.
/// 3. `running`: a layer reads. It may make one side wait (an upgrade that is not answered), or hand over to another.
///
/// `watching` stands beside them: nothing known was found in the middle of a stream, and what comes is shown until it is.
///
/// ```
///       ┌──────────── queue ───────────┐
/// side ─┤ phase roles, recognition,    ├─ deliver ─ layer ─ sink
///       │ or the side is on hold       │     ▲        │ hand-over: held bytes of the peer first,
///       └──────────────────────────────┘     └────────┘ then the rest of the run
/// ```
package struct Reader: ChannelReader {
    enum Phase {
        case roles
        case recognition(fromStart: Bool)
        case running
        case watching
    }

    /// What the user said is spoken.
    let forced: LayerName?
    /// How the user said that bytes of which nothing is known are cut into messages.
    let framing: FramingPair?

    var phase: Phase
    var sides = ReadSides()
    /// Reads; none before the first bytes have said which, and then `data`.
    var layer: RunningLayer? {
        didSet { countLayer() }
    }
    /// Bytes of the layer and its buffers, as they were after the last call that could change them.
    private var layerBytes = 0
    var queue = PlacedQueue()
    /// How far the bytes that wait were searched for a clue; none while none wait.
    var search: RecognitionSearch?
    /// What may begin with bytes that wait while nothing known is spoken.
    var watched: WatchedStart?
    var heldSide: Side?
    /// What the first bytes are was still open when some were lost: what is found then may have begun with them.
    var startIsOpen = false
    private var handOvers: UInt8 = 0

    /// A channel in which more protocols follow each other means no good.
    private static let mostHandOvers: UInt8 = 8

    /// The reader of the wire.
    ///
    /// - Parameters:
    ///   - knowsRoles: it is known who is the client.
    ///   - fromStart: the first bytes are the first that were sent.
    init(knowsRoles: Bool, fromStart: Bool, forced: LayerName?, framing: FramingPair? = nil) {
        self.forced = forced
        self.framing = framing
        phase = knowsRoles ? .recognition(fromStart: fromStart) : .roles
    }

    package init(fromStart: Bool) { self.init(knowsRoles: true, fromStart: fromStart, forced: nil) }

    var knowsRoles: Bool {
        if case .roles = phase { false } else { true }
    }

    /// Reads by what the user said, where that needs no look at the bytes.
    mutating func begin<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard let forced, let row = context.layers[forced], row.handshake == nil else { return }
        layer = row.make(LayerStart(isForced: true, framing: framing))
        phase = .running
    }

    package var searchSteps: Int { (search?.steps ?? 0) + (watched?.steps ?? 0) + (layer?.searchSteps ?? 0) }

    package func waiting(of side: Side) -> UInt64 { queue.length(of: side) &+ (layer?.waiting(of: side) ?? 0) }

    /// Where the next byte of a side stands.
    func end(of side: Side) -> UInt64 { sides.offset(of: side) &+ queue.length(of: side) }

    package var heldBytes: Int {
        queue.heldBytes + layerBytes + (search?.ownBytes ?? 0) + (watched?.ownBytes ?? 0)
    }

    package mutating func cutAssembly() -> Side? {
        defer { countLayer() }
        return layer?.cutAssembly()
    }

    package mutating func dropWindows() {
        layer?.dropWindows()
        countLayer()
    }

    package var standing: Standing { layer?.standing ?? Standing() }

    mutating func countLayer() { layerBytes = layer?.heldBytes ?? 0 }

    // MARK: - What a side brings

    package mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ event: borrowing StreamEvent, from side: Side, place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        switch event {
        case .bytes(let bytes): dispatch(bytes, from: side, place: place, context: &context, sink: &sink)
        case .gap(let length, let cause):
            dispatch(.gap(length: length, cause: cause), from: side, place: place, context: &context, sink: &sink)
        case .finished: dispatch(.finished, from: side, place: place, context: &context, sink: &sink)
        case .reset: dispatch(.reset, from: side, place: place, context: &context, sink: &sink)
        // They are about the conversation, and none comes inside of a channel.
        case .found, .secured, .aside: return
        }
    }

    @inline(__always)
    mutating func dispatch<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, from side: Side, place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        if case .running = phase {
            if heldSide == nil {
                deliver(bytes, from: side, place: place, context: &context, sink: &sink)
            } else {
                dispatchBesideHold(bytes, from: side, place: place, context: &context, sink: &sink)
            }
        } else if case .watching = phase {
            watch(bytes, from: side, place: place, context: &context, sink: &sink)
        } else {
            wait(bytes, from: side, place: place, context: &context, sink: &sink)
        }
    }

    mutating func dispatch<Sink: ConversationSink & ~Copyable>(
        _ kind: PlacedQueue.Kind, from side: Side, place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        if case .running = phase {
            if heldSide == side {
                queue.append(kind, from: side, place: place)
                // A reset is the end of both sides: nothing will decide what was held.
                if case .reset = kind { settle(context: &context, sink: &sink) }
            } else {
                deliver(kind, from: side, place: place, context: &context, sink: &sink)
                releaseHold(context: &context, sink: &sink)
            }
            return
        }
        if case .watching = phase {
            if !queue.isEmpty { showWatched(context: &context, sink: &sink) }
            deliver(kind, from: side, place: place, context: &context, sink: &sink)
            return
        }
        // With nothing waiting there is nothing to decide for: the end of a conversation that never spoke.
        if case .recognition(let fromStart) = phase, queue.isEmpty {
            deliver(kind, from: side, place: place, context: &context, sink: &sink)
            if case .gap = kind, fromStart, case .recognition = phase { phase = .recognition(fromStart: false) }
            return
        }
        queue.append(kind, from: side, place: place)
        switch kind {
        case .gap(let length, _):
            if case .recognition(fromStart: true) = phase {
                // The bytes before it are searched before it is.
                phase = .recognition(fromStart: false)
                startIsOpen = true
                decide(isLast: false, context: &context, sink: &sink)
                if case .running = phase { return }
            }
            let clue = search?.skip(length, of: side, behind: queue.bytes(of: side).byteCount)
            if let clue { take(clue, context: &context, sink: &sink) }
        case .finished:
            // The end of one side decides only where the first bytes have to; the end of both always does.
            let isLast = if case .recognition(fromStart: true) = phase { true } else { queue.hasFinished(side.peer) }
            decide(isLast: isLast, context: &context, sink: &sink)
        case .reset:
            decide(isLast: true, context: &context, sink: &sink)
        case .bytes:
            return
        }
    }

    // MARK: - Waiting

    /// Keeps what came while roles or protocol are open, and decides if it can.
    private mutating func wait<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, from side: Side, place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        // The usual case: the first run says it all, and needs no copy.
        if case .recognition(fromStart: true) = phase, queue.isEmpty {
            let isClient = side == .client
            var searched = 0
            if let found = context.layers.layer(
                client: isClient ? bytes : RawSpan(), server: isClient ? RawSpan() : bytes, searched: &searched)
            {
                enter(chosen(found, context), context: &context, sink: &sink)
                deliver(bytes, from: side, place: place, context: &context, sink: &sink)
                releaseHold(context: &context, sink: &sink)
                return
            }
        }
        // What is text is judged after as many bytes however they are cut.
        if case .recognition(fromStart: true) = phase {
        } else if case let room = context.limits.textBytes - queue.client.count - queue.server.count, 0 < room, room < bytes.byteCount {
            let guess = context.parties.sideOfFirst
            wait(bytes.extracting(0..<room), from: side, place: place, context: &context, sink: &sink)
            // They may have said who is who.
            let sender = context.parties.sideOfFirst == guess ? side : side.peer
            return dispatch(bytes.suffix(from: room), from: sender, place: place, context: &context, sink: &sink)
        }
        queue.append(bytes, from: side, place: place)
        let count = queue.client.count + queue.server.count
        decide(isLast: count >= context.limits.roleBytes, context: &context, sink: &sink)
        if case .recognition(fromStart: true) = phase { return }
        if let search, search.hasSeenEnough(of: count, then: side, queue, limits: context.limits) {
            showUnknown(search, context: &context, sink: &sink)
        }
    }

    /// Gives what has waited to the layer, in order of arrival.
    mutating func replay<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        let waiting = queue
        queue = PlacedQueue()
        for entry in waiting.entries {
            guard case .bytes(let range) = entry.kind else {
                dispatch(entry.kind, from: entry.side, place: entry.place, context: &context, sink: &sink)
                continue
            }
            let bytes = entry.side == .client ? waiting.client.rawBytes : waiting.server.rawBytes
            dispatch(bytes.extracting(range), from: entry.side, place: entry.place, context: &context, sink: &sink)
        }
    }

    /// What is told then may make other bytes wait, but not for ever: protocols change a few times only.
    package mutating func settle<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        for _ in 0..<32 where isWaiting { settleOnce(context: &context, sink: &sink) }
        layer?.settle(context: &context, sink: &sink)
        countLayer()
    }

    private var isWaiting: Bool {
        switch phase {
        case .roles: true
        case .recognition, .watching: !queue.isEmpty
        case .running: heldSide != nil
        }
    }

    private mutating func settleOnce<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        switch phase {
        case .running: break
        case .watching: showWatched(context: &context, sink: &sink)
        case .roles, .recognition: decide(isLast: true, context: &context, sink: &sink)
        }
        guard let held = heldSide else { return }
        heldSide = nil
        if sides.end(of: held.peer) == .open {
            // Nothing that it does not finish is its fault.
            let isUnseen = context.endIsUnseen
            context.endIsUnseen = true
            layer?.finish(at: endArrival(of: held.peer, context), context: &context, sink: &sink)
            context.endIsUnseen = isUnseen
            countLayer()
        }
        if held == .client, context.isUnseen(.server) { layer?.stopHolding(.client) }
        // An upgrade that nobody answered: what the client sent behind it belongs to no protocol that we know.
        if layer?.isHolding(held) == true { layer = context.layers.make(.data, LayerStart()) }
        phase = .running
        replay(context: &context, sink: &sink)
    }

    /// Who is who is known from here on.
    ///
    /// - Parameter client: the side that shows itself as the client, named as it was guessed; nil where neither does.
    mutating func decideRoles<Sink: ConversationSink & ~Copyable>(
        _ client: Side?, context: inout ConversationContext, sink: inout Sink
    ) {
        guard case .roles = phase else { return }
        if context.decideRoles(client, sink: &sink) {
            queue.swapSides()
            sides.swapSides()
            search?.swapSides()
        }
        phase = .recognition(fromStart: false)
    }

    /// Who is who, and that the beginning is in sight, is known from elsewhere.
    mutating func takeRoles(isSwapped: Bool) {
        if isSwapped {
            queue.swapSides()
            sides.swapSides()
            search?.swapSides()
        }
        phase = .recognition(fromStart: true)
    }

    /// Reads what waits, if it says enough by now.
    mutating func resume<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard !queue.isEmpty else { return }
        if case .running = phase {
            replay(context: &context, sink: &sink)
        } else {
            decide(isLast: false, context: &context, sink: &sink)
        }
    }

    // MARK: - Running

    mutating func deliver<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, from side: Side, place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = Arrival(side: side, offset: sides.offset(of: side), place: place)
        guard let layer else {
            // A table without `data`: nothing is left out for that.
            sides.advance(side, by: UInt64(bytes.byteCount))
            return context.emit(.data(DataRun(length: UInt64(bytes.byteCount))), at: arrival, content: bytes, sink: &sink)
        }
        switch layer.receive(bytes, at: arrival, held: &layerBytes, context: &context, sink: &sink) {
        case .taken:
            sides.advance(side, by: UInt64(bytes.byteCount))
        case .hold(let consumed):
            sides.advance(side, by: UInt64(consumed))
            heldSide = side
            hold(bytes.suffix(from: consumed), from: side, place: place, context)
            releaseServer(context: &context, sink: &sink)
        case .release(let consumed):
            sides.advance(side, by: UInt64(consumed))
            releaseHold(context: &context, sink: &sink)
            let rest = bytes.suffix(from: consumed)
            if rest.byteCount > 0 { dispatch(rest, from: side, place: place, context: &context, sink: &sink) }
        case .handOver(let consumed, let next):
            sides.advance(side, by: UInt64(consumed))
            handOver(to: next, context: &context, sink: &sink)
            let rest = bytes.suffix(from: consumed)
            if rest.byteCount > 0 { dispatch(rest, from: side, place: place, context: &context, sink: &sink) }
        }
    }

    private mutating func deliver<Sink: ConversationSink & ~Copyable>(
        _ kind: PlacedQueue.Kind, from side: Side, place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = Arrival(side: side, offset: sides.offset(of: side), place: place)
        defer { countLayer() }
        switch kind {
        case .bytes:
            return
        case .gap(let length, let cause):
            sides.skip(side, by: length)
            let gap = Gap(length: length, cause: cause)
            if layer?.pass(gap, at: arrival, context: &context, sink: &sink) == true { return }
            layer?.flush(at: arrival, context: &context, sink: &sink)
            context.emit(.gap(gap), at: arrival, sink: &sink)
            context.sight.note(cause, of: side)
            if let next = layer?.skip(length, at: arrival, context: &context, sink: &sink) {
                handOver(to: next, context: &context, sink: &sink)
            }
        case .finished:
            guard sides.end(of: side) == .open else { return }
            sides.setEnd(of: side, .fin)
            let standing = standing
            context.peerMayHaveLeft = heldSide == nil && sides.mayHaveLeft(side.peer, before: place, context)
            layer?.finish(at: arrival, context: &context, sink: &sink)
            if context.channel.depth == 0 { context.peerMayHaveLeft = false }
            // Where a channel inside still waits, its bytes came before the end: its reader notes it.
            if layer?.isPassedOn != true, !context.endIsUnseen, !context.endIsReset {
                context.noteEnding(.fin, at: arrival, standing: standing)
            }
        case .reset:
            guard sides.end(of: side) != .reset else { return }
            let wasOpen = sides.end(of: side) == .open
            let standing = standing
            sides.setEnd(of: side, .reset)
            layer?.settle(context: &context, sink: &sink)
            if context.channel.depth == 0 { context.noteEnding(.reset, at: arrival, standing: standing) }
            if wasOpen {
                context.endIsReset = true
                layer?.finish(at: arrival, context: &context, sink: &sink)
                context.endIsReset = false
            }
        }
    }

    private mutating func handOver<Sink: ConversationSink & ~Copyable>(
        to next: NextLayer, context: inout ConversationContext, sink: inout Sink
    ) {
        heldSide = nil
        handOvers &+= 1
        switch handOvers > Reader.mostHandOvers ? .opaque : next {
        case .layer(let name, let start): layer = context.layers.make(name, start)
        case .undecided(let fromStart):
            layer = nil
            phase = .recognition(fromStart: fromStart)
            search = nil
        case .inside(let fromStart):
            let isTooDeep = context.channel.depth >= ByteChannel.mostDepth
            layer = isTooDeep ? context.layers.make(.data, LayerStart()) : HeldLayer(TunnelLayer<Reader>(fromStart: fromStart))
        }
        if !queue.isEmpty { replay(context: &context, sink: &sink) }
    }
}
