/// One conversation: stream events of its two directions in, conversation events out.
///
/// It goes through three phases, of which most conversations see only the last:
///
/// 1. `roles`: no SYN was seen, so nobody knows who is the client. Everything waits until a side sends what only a
///    client or only a server can, at most `Limits.roleBytes`.
/// 2. `recognition`: the roles are known, the protocol is not. What came waits until the first bytes are unambiguous.
/// 3. `running`: a layer reads. It may make one side wait (an upgrade that is not answered), or hand over to another.
///
/// `watching` stands beside them: nothing known was found in the middle of a stream, and what comes is shown until it is.
///
/// ```
///            ┌──────────── queue ───────────┐
/// direction ─┤ phase roles, recognition,    ├─ deliver ─ layer ─ sink
///            │ or the side is on hold       │     ▲        │ hand-over: held bytes of the peer first,
///            └──────────────────────────────┘     └────────┘ then the rest of the run
/// ```
package struct Conversation {
    enum Phase {
        case roles
        case recognition(fromStart: Bool)
        case running
        case watching
    }

    package internal(set) var context: ConversationContext
    let firstEndpoint: Endpoint
    let secondEndpoint: Endpoint
    let start: Opening.Start
    let forced: LayerStack.Current?
    /// The port that the user's rule names, where there is one: the server's.
    let rulePort: UInt16?

    var phase: Phase
    var sides = SideStates()
    var stack = LayerStack(.opaque)
    var queue = PlacedQueue()
    /// How far the bytes that wait were searched for a clue; none while none wait.
    var search: RecognitionSearch?
    /// What may begin with bytes that wait while nothing known is spoken.
    var watched: WatchedStart?
    var heldSide: Side?
    private var handOvers = 0

    var openedPlace: Place
    var lastPlace: Place
    var isOpened = false
    private(set) var isClosed = false

    /// A conversation that comes into sight at `place`.
    ///
    /// - Parameters:
    ///   - first: who sends in the first direction.
    ///   - roles: the side of `first`, where it is known; nil where the content has to tell.
    ///   - forced: what the user said it is, instead of recognition, and which port is the server's.
    package init(
        number: UInt64, first: Endpoint, second: Endpoint, sideOfFirst roles: Side?, start: Opening.Start, forced: DecodeRule?,
        limits: Limits, place: Place
    ) {
        context = ConversationContext(number: number, limits: limits, startsMidstream: start == .midstream)
        firstEndpoint = first
        secondEndpoint = second
        self.start = start
        self.forced = forced?.layer.layer
        rulePort = forced?.port
        openedPlace = place
        lastPlace = place
        if let roles {
            sides.sideOfFirst = roles
            phase = .recognition(fromStart: start != .midstream)
        } else {
            phase = .roles
        }
    }

    /// Tells `opened`, if the roles are known.
    package mutating func open<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        guard case .recognition = phase else { return }
        emitOpened(roles: .handshake, sink: &sink)
        // A WebSocket may still show its handshake.
        if let forced, forced != .webSocket {
            stack = LayerStack(forced)
            phase = .running
        }
    }

    /// Steps of the search for what the conversation is, while it is undecided; for tests of what it costs.
    package var searchSteps: Int { (search?.steps ?? 0) + (watched?.steps ?? 0) }

    /// Bytes of buffers, against `Limits.totalBytes`.
    package var heldBytes: Int {
        queue.heldBytes + stack.heldBytes + (search == nil ? 0 : RecognitionSearch.ownBytes) + (watched == nil ? 0 : WatchedStart.ownBytes)
    }

    /// Notes how much is seen of a direction, before anything that the other one brings is judged by it.
    @inline(__always)
    package mutating func note(_ sight: Sight, of direction: Direction) {
        context.sight[sides.side(of: direction)] = sight
    }

    /// Takes what one direction brought.
    package mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ event: borrowing StreamEvent, direction: Direction, place: Place, sink: inout Sink
    ) {
        guard !isClosed else { return }
        let before = lastPlace
        lastPlace.extend(by: place)
        // What waited came before what was told meanwhile.
        if let latest = before.packets?.highest, (place.packets?.highest ?? 0) < latest { lastPlace.time = before.time }
        if openedPlace.packets == nil { openedPlace.packets = place.packets }
        let side = sides.side(of: direction)
        switch event {
        case .bytes(let bytes):
            context[side].bytes &+= UInt64(bytes.byteCount)
            dispatch(bytes, direction: direction, place: place, sink: &sink)
        case .gap(let length, let cause):
            if cause == .missing || cause == .truncated { context[side].missing &+= length }
            dispatchOther(.gap(length: length, cause: cause), direction: direction, place: place, sink: &sink)
        case .finished:
            dispatchOther(.finished, direction: direction, place: place, sink: &sink)
        case .reset:
            dispatchOther(.reset, direction: direction, place: place, sink: &sink)
        }
    }

    /// Tells a finding about the connection itself (TCP), after what has been told so far.
    package mutating func find<Sink: ConversationSink & ~Copyable>(
        _ row: FindingRow, a: UInt64 = 0, b: UInt64 = 0, direction: Direction, offset: UInt64, place: Place, sink: inout Sink
    ) {
        guard !isClosed else { return }
        if case .roles = phase { decideRoles(nil, sink: &sink) }
        context.emit(row, a: a, b: b, at: Arrival(side: sides.side(of: direction), offset: offset, place: place), sink: &sink)
    }

    /// Cuts the largest element that is being assembled. False when there was none.
    package mutating func cutAssembly<Sink: ConversationSink & ~Copyable>(sink: inout Sink) -> Bool {
        guard let side = stack.cutAssembly() else { return false }
        context.emit(.assemblyCut, at: endArrival(of: side), sink: &sink)
        return true
    }

    /// Gives up the windows of inflaters that no message is in the middle of, to stay within `Limits.totalBytes`.
    package mutating func dropWindows() { stack.dropWindows() }

    /// Ends the conversation: decides what was open, tells what was held, then `closed`.
    package mutating func close<Sink: ConversationSink & ~Copyable>(
        _ how: Closing.Manner, by: Closing.Closer = .unknown, sink: inout Sink
    ) {
        guard !isClosed else { return }
        settle(sink: &sink)
        context.endIsUnseen = true
        context.lacksServer = how.isBeforeServer
        for side in [Side.client, .server] where sides.end(of: side) == .open {
            stack.finish(at: endArrival(of: side), context: &context, sink: &sink)
        }
        isClosed = true
        var closing = context.closing(how, by: by)
        closing.clientEnd = sides.clientEnd
        closing.serverEnd = sides.serverEnd
        if let begun = openedPlace.time, let ended = lastPlace.time { closing.duration = ended.nanoseconds(since: begun) }
        sink.receive(
            ConversationEvent(
                conversation: context.number, from: nil, place: lastPlace, offset: nil, fact: .closed(closing), content: RawSpan()))
        queue = PlacedQueue()
        stack = LayerStack(.opaque)
    }

    /// Both directions have ended, or one was reset.
    package var isOver: Bool { sides.areOver }

    /// The time of the last packet that brought a stream event.
    package var lastTime: Timestamp? { lastPlace.time }

    // MARK: - Waiting

    @inline(__always)
    mutating func dispatch<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, direction: Direction, place: Place, sink: inout Sink
    ) {
        if case .running = phase {
            if heldSide == nil {
                deliver(bytes, side: sides.side(of: direction), place: place, sink: &sink)
            } else {
                dispatchBesideHold(bytes, direction: direction, place: place, sink: &sink)
            }
        } else if case .watching = phase {
            watch(bytes, direction: direction, place: place, sink: &sink)
        } else {
            wait(bytes, direction: direction, place: place, sink: &sink)
        }
    }

    private mutating func dispatchOther<Sink: ConversationSink & ~Copyable>(
        _ kind: PlacedQueue.Kind, direction: Direction, place: Place, sink: inout Sink
    ) {
        let side = sides.side(of: direction)
        if case .running = phase {
            if heldSide == side {
                queue.append(kind, direction: direction, place: place)
                // A reset is the end of both sides: nothing will decide what was held.
                if case .reset = kind { settle(sink: &sink) }
            } else {
                deliverOther(kind, side: side, place: place, sink: &sink)
                releaseHold(sink: &sink)
            }
            return
        }
        if case .watching = phase {
            if !queue.isEmpty { showWatched(sink: &sink) }
            deliverOther(kind, side: side, place: place, sink: &sink)
            return
        }
        // With nothing waiting there is nothing to decide for: the end of a conversation that never spoke.
        if case .recognition(let fromStart) = phase, queue.isEmpty {
            deliverOther(kind, side: side, place: place, sink: &sink)
            if case .gap = kind, fromStart, case .recognition = phase { phase = .recognition(fromStart: false) }
            return
        }
        queue.append(kind, direction: direction, place: place)
        switch kind {
        case .gap(let length, _):
            if case .recognition(fromStart: true) = phase {
                // The bytes before it are searched before it is.
                phase = .recognition(fromStart: false)
                decide(isLast: false, sink: &sink)
                if case .running = phase { return }
            }
            let clue = search?.skip(length, of: direction, behind: queue.bytes(of: direction).byteCount)
            if let clue { take(clue, sink: &sink) }
        case .finished:
            // The end of one direction decides only where the first bytes have to; the end of both always does.
            let isLast = if case .recognition(fromStart: true) = phase { true } else { queue.hasFinished(direction.other) }
            decide(isLast: isLast, sink: &sink)
        case .reset:
            decide(isLast: true, sink: &sink)
        case .bytes:
            return
        }
    }

    /// Keeps what came while roles or protocol are open, and decides if it can.
    private mutating func wait<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, direction: Direction, place: Place, sink: inout Sink
    ) {
        // The usual case: the first run says it all, and needs no copy.
        if case .recognition(fromStart: true) = phase, queue.isEmpty {
            let isClient = sides.side(of: direction) == .client
            var searched = 0
            if let layer = ProtocolRecognition.atStart(
                client: isClient ? bytes : RawSpan(), server: isClient ? RawSpan() : bytes, searched: &searched)
            {
                enter(chosen(layer), sink: &sink)
                deliver(bytes, side: sides.side(of: direction), place: place, sink: &sink)
                releaseHold(sink: &sink)
                return
            }
        }
        queue.append(bytes, direction: direction, place: place)
        let count = queue.first.count + queue.second.count
        decide(isLast: count >= context.limits.roleBytes, sink: &sink)
        if case .recognition(fromStart: true) = phase { return }
        if let search, search.hasSeenEnough(of: count, then: direction, queue, limits: context.limits) {
            showUnknown(search, sink: &sink)
        }
    }

    /// Gives what has waited to the layer, in order of arrival.
    mutating func replay<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        let waiting = queue
        queue = PlacedQueue()
        for entry in waiting.entries {
            guard case .bytes(let range) = entry.kind else {
                dispatchOther(entry.kind, direction: entry.direction, place: entry.place, sink: &sink)
                continue
            }
            let bytes = entry.direction == .first ? waiting.first.rawBytes : waiting.second.rawBytes
            dispatch(bytes.extracting(range), direction: entry.direction, place: entry.place, sink: &sink)
        }
    }

    /// Ends all waiting, because nothing more will come that could decide. What is told then may make other bytes wait, but
    /// not for ever: protocols change a few times only.
    private mutating func settle<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        for _ in 0..<32 where isWaiting { settleOnce(sink: &sink) }
    }

    private var isWaiting: Bool {
        switch phase {
        case .roles: true
        case .recognition, .watching: !queue.isEmpty
        case .running: heldSide != nil
        }
    }

    private mutating func settleOnce<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        switch phase {
        case .running: break
        case .watching: showWatched(sink: &sink)
        case .roles, .recognition: decide(isLast: true, sink: &sink)
        }
        guard let held = heldSide else { return }
        heldSide = nil
        if sides.end(of: held.peer) == .open { stack.finish(at: endArrival(of: held.peer), context: &context, sink: &sink) }
        // An upgrade that nobody answered: what the client sent behind it belongs to no protocol that we know.
        if stack.isHolding(held) { stack = LayerStack(.opaque) }
        phase = .running
        replay(sink: &sink)
    }

    /// A layer reads from here on; it learns which side has ended without a word.
    mutating func enter<Sink: ConversationSink & ~Copyable>(_ layer: LayerStack.Current, sink: inout Sink) {
        stack = LayerStack(layer)
        phase = .running
        for side in [Side.client, .server] where sides.end(of: side) == .fin {
            stack.finish(at: endArrival(of: side), context: &context, sink: &sink)
        }
    }

    private func endArrival(of side: Side) -> Arrival { Arrival(side: side, offset: sides.offset(of: side), place: lastPlace) }

    // MARK: - Running

    mutating func deliver<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, side: Side, place: Place, sink: inout Sink
    ) {
        let arrival = Arrival(side: side, offset: sides.offset(of: side), place: place)
        switch stack.receive(bytes, at: arrival, context: &context, sink: &sink) {
        case .taken:
            sides.advance(side, by: UInt64(bytes.byteCount))
        case .hold(let consumed):
            sides.advance(side, by: UInt64(consumed))
            heldSide = side
            hold(bytes.suffix(from: consumed), direction: sides.direction(of: side), place: place)
            releaseServer(sink: &sink)
        case .release(let consumed):
            sides.advance(side, by: UInt64(consumed))
            releaseHold(sink: &sink)
            let rest = bytes.suffix(from: consumed)
            if rest.byteCount > 0 { dispatch(rest, direction: sides.direction(of: side), place: place, sink: &sink) }
        case .handOver(let consumed, let next):
            sides.advance(side, by: UInt64(consumed))
            handOver(to: next, sink: &sink)
            let rest = bytes.suffix(from: consumed)
            if rest.byteCount > 0 { dispatch(rest, direction: sides.direction(of: side), place: place, sink: &sink) }
        }
    }

    private mutating func deliverOther<Sink: ConversationSink & ~Copyable>(
        _ kind: PlacedQueue.Kind, side: Side, place: Place, sink: inout Sink
    ) {
        let arrival = Arrival(side: side, offset: sides.offset(of: side), place: place)
        switch kind {
        case .bytes:
            return
        case .gap(let length, let cause):
            stack.flush(at: arrival, context: &context, sink: &sink)
            context.emit(.gap(Gap(length: length, cause: cause)), at: arrival, sink: &sink)
            context.sight.note(cause, of: side)
            sides.advance(side, by: length)
            if let next = stack.skip(length, at: arrival, context: &context, sink: &sink) { handOver(to: next, sink: &sink) }
        case .finished:
            guard sides.end(of: side) == .open else { return }
            sides.setEnd(of: side, .fin)
            stack.finish(at: arrival, context: &context, sink: &sink)
            context.noteEnding(.fin, at: arrival)
        case .reset:
            guard sides.end(of: side) != .reset else { return }
            let wasOpen = sides.end(of: side) == .open
            sides.setEnd(of: side, .reset)
            if wasOpen { stack.finish(at: arrival, context: &context, sink: &sink) }
            context.noteEnding(.reset, at: arrival)
        }
    }

    private mutating func handOver<Sink: ConversationSink & ~Copyable>(to next: NextLayer, sink: inout Sink) {
        heldSide = nil
        handOvers += 1
        // Tunnels inside tunnels come to an end: each level costs a level of this recursion.
        switch handOvers > 8 ? .opaque : next {
        case .webSocket(let negotiation): stack = LayerStack(webSocket: negotiation)
        case .opaque: stack = LayerStack(.opaque)
        case .tls: stack = LayerStack(.tls)
        case .undecided(let fromStart):
            stack = LayerStack(.opaque)
            phase = .recognition(fromStart: fromStart)
            search = nil
        }
        if !queue.isEmpty { replay(sink: &sink) }
    }
}
