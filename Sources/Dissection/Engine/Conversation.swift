/// One conversation: stream events of its two directions in, conversation events out.
///
/// It knows who speaks with whom, when it began and ended and how, and what came in all. What is spoken is the matter of its reader.
package struct Conversation {
    package internal(set) var context: ConversationContext
    /// Reads the bytes on the wire.
    private(set) var reader: Reader
    private(set) var isClosed = false
    /// What the side sends is shown, and not read.
    private var isClientAside = false
    private var isServerAside = false
    /// The layers know that no more comes of a side that has not ended.
    private var hasFinishedOpenSides = false

    /// A conversation that comes into sight at `place`.
    ///
    /// - Parameters:
    ///   - first: who sends in the first direction.
    ///   - roles: the side of `first`, where it is known; nil where the content has to tell.
    ///   - forced: what the user said it is, instead of recognition, and which port is the server's.
    ///   - layers: what may be spoken.
    package init(
        number: UInt64, first: Endpoint, second: Endpoint, sideOfFirst roles: Side?, start: Opening.Start, forced: DecodeRule?,
        layers: LayerTable = .standard, limits: Limits, place: Place
    ) {
        context = ConversationContext(
            number: number, limits: limits, layers: layers,
            parties: Parties(
                first: first, second: second, sideOfFirst: roles ?? .client, start: start, rulePort: forced?.port, openedPlace: place))
        reader = Reader(
            knowsRoles: roles != nil, fromStart: start != .midstream, forced: forced?.forcedLayer, framing: forced?.framing)
    }

    /// Tells `opened`, if the roles are known.
    package mutating func open<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        guard reader.knowsRoles else { return }
        context.tellOpened(roles: .handshake, sink: &sink)
        reader.begin(context: &context, sink: &sink)
    }

    /// Takes a SYN that came after other packets, before anything was told: it says who is who, and that the beginning is in sight.
    mutating func learnRoles<Sink: ConversationSink & ~Copyable>(sideOfSyn side: Side, direction: Direction, sink: inout Sink) {
        guard !reader.knowsRoles else { return }
        reader.takeRoles(isSwapped: context.learnRoles(sideOfFirst: direction == .first ? side : side.peer))
        open(sink: &sink)
        reader.resume(context: &context, sink: &sink)
    }

    /// Whether `opened` was told.
    var isOpened: Bool {
        get { context.parties.isOpened }
        set { context.parties.isOpened = newValue }
    }

    /// Steps of the search for what the conversation is, while it is undecided; for tests of what it costs.
    package var searchSteps: Int { reader.searchSteps }

    /// Bytes of buffers, against `Limits.totalBytes`.
    package var heldBytes: Int { reader.heldBytes }

    /// Asks for the memory of what reads; see `FlowTable.prefetch`.
    @inline(__always)
    func prefetchLayer() { reader.prefetchLayer() }

    /// Notes how much is seen of a direction, before anything that the other one brings is judged by it. Nothing has happened by that: it
    /// is what the source knows at any time.
    @inline(__always)
    package mutating func note(_ sight: Sight, of direction: Direction) {
        context.sight[context.parties.side(of: direction)] = sight
    }

    /// Notes at which position the first byte of a direction lies, where `Place.received` does not count from it.
    mutating func note(beginning position: UInt32, of direction: Direction) {
        context.sight.setBeginning(position, of: context.parties.side(of: direction))
    }

    /// Takes what one direction brought.
    ///
    /// Put into the caller, who knows which case it is: an event is large, because of what a source may have found.
    @inline(__always)
    package mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ event: borrowing StreamEvent, direction: Direction, place: Place, sink: inout Sink
    ) {
        switch event {
        case .bytes(let bytes): take(bytes, direction: direction, place: place, sink: &sink)
        default: takeOther(event, direction: direction, place: place, sink: &sink)
        }
    }

    /// Takes the next bytes of one direction.
    private mutating func take<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, direction: Direction, place: Place, sink: inout Sink
    ) {
        guard !isClosed else { return }
        noteArrival(place)
        let side = context.parties.side(of: direction)
        context.spoken.note(place.time, from: side)
        if sink.takesStreams { hand(.bytes, bytes, direction: direction, place: place, sink: &sink) }
        context.firstBytes.note(bytes, after: context[side].bytes, side)
        context[side].bytes &+= UInt64(bytes.byteCount)
        if side == .client ? isClientAside : isServerAside {
            reader.show(bytes, from: side, place: place, context: &context, sink: &sink)
        } else {
            reader.dispatch(bytes, from: side, place: place, context: &context, sink: &sink)
        }
        if sink.takesStreams { handRead(direction: direction, place: place, sink: &sink) }
    }

    /// Takes what is not bytes.
    private mutating func takeOther<Sink: ConversationSink & ~Copyable>(
        _ event: borrowing StreamEvent, direction: Direction, place: Place, sink: inout Sink
    ) {
        guard !isClosed else { return }
        switch event {
        case .found(let finding, let offset, let detail):
            tell(finding, offset: offset, detail, direction: direction, place: place, sink: &sink)
        case .secured(let facts, let names):
            sink.receive(
                ConversationEvent(
                    conversation: context.number, from: nil, place: place, offset: nil, fact: .tls(facts), content: names))
        case .aside:
            // What came before is told before.
            reader.settle(context: &context, sink: &sink)
            if context.parties.side(of: direction) == .client { isClientAside = true } else { isServerAside = true }
        case .gap(let length, let cause):
            noteArrival(place)
            if sink.takesStreams { hand(.gap(length), direction: direction, place: place, sink: &sink) }
            let side = context.parties.side(of: direction)
            if cause == .missing || cause == .truncated { context[side].missing &+= length }
            if side == .client ? isClientAside : isServerAside {
                reader.show(Gap(length: length, cause: cause), from: side, place: place, context: &context, sink: &sink)
            } else {
                reader.dispatch(.gap(length: length, cause: cause), from: side, place: place, context: &context, sink: &sink)
            }
            if sink.takesStreams { handRead(direction: direction, place: place, sink: &sink) }
        case .finished:
            noteArrival(place)
            reader.dispatch(.finished, from: context.parties.side(of: direction), place: place, context: &context, sink: &sink)
            // What waited for it comes before it.
            if sink.takesStreams { handEnd(.finished, direction: direction, place: place, sink: &sink) }
        case .reset:
            noteArrival(place)
            reader.dispatch(.reset, from: context.parties.side(of: direction), place: place, context: &context, sink: &sink)
            if sink.takesStreams { handEnd(.reset, direction: direction, place: place, sink: &sink) }
        case .bytes: return
        }
    }

    /// Notes where the last thing came, and that the conversation is in sight.
    @inline(__always)
    private mutating func noteArrival(_ place: Place) {
        let before = context.lastPlace
        context.lastPlace.extend(by: place)
        // What waited came before what was told meanwhile.
        if let latest = before.packets?.highest, (place.packets?.highest ?? 0) < latest { context.lastPlace.time = before.time }
        if context.parties.openedPlace.packets == nil { context.parties.openedPlace.packets = place.packets }
    }

    /// Tells what the source found, after what has been told so far.
    private mutating func tell<Sink: ConversationSink & ~Copyable>(
        _ finding: Finding, offset: UInt64?, _ detail: RawSpan, direction: Direction, place: Place, sink: inout Sink
    ) {
        guard let offset else { return context.emit(finding, at: place, content: detail, sink: &sink) }
        reader.decideRoles(nil, context: &context, sink: &sink)
        if finding.row == .tcpOverlapConflict { contest(direction) }
        context.emit(
            finding.row, a: finding.a, b: finding.b,
            at: Arrival(side: context.parties.side(of: direction), offset: offset, place: place), content: detail, isAlwaysTold: true,
            sink: &sink)
    }

    /// What is read of a direction may be none of its sender's words: from here on it accuses nobody.
    mutating func contest(_ direction: Direction) { context.sight.contest(context.parties.side(of: direction)) }

    /// Tells a finding about the connection itself (TCP), after what has been told so far.
    package mutating func find<Sink: ConversationSink & ~Copyable>(
        _ row: FindingRow, a: UInt64 = 0, b: UInt64 = 0, direction: Direction, offset: UInt64, place: Place, sink: inout Sink
    ) {
        receive(.found(Finding(row, a: a, b: b), offset: offset, detail: RawSpan()), direction: direction, place: place, sink: &sink)
    }

    /// Shows bytes of which nobody can tell whether they are the stream's, behind all that came.
    ///
    /// - Parameters:
    ///   - length: on the wire; `bytes` may be shorter.
    ///   - row: says why.
    mutating func show<Sink: ConversationSink & ~Copyable>(
        unread bytes: RawSpan, length: Int, because row: FindingRow = .connectionTentativeBytes, direction: Direction, place: Place,
        sink: inout Sink
    ) {
        guard !isClosed else { return }
        noteArrival(place)
        // What waits comes before them, and may say who sent them.
        reader.settle(context: &context, sink: &sink)
        reader.decideRoles(nil, context: &context, sink: &sink)
        // They are no part of what the direction carries as far as anybody can tell.
        if sink.takesStreams { hand(.gap(UInt64(clamping: length)), direction: direction, place: place, sink: &sink) }
        let side = context.parties.side(of: direction)
        context[side].bytes &+= UInt64(bytes.byteCount)
        if bytes.byteCount > 0 { reader.show(unread: bytes, because: row, from: side, place: place, context: &context, sink: &sink) }
        let cut = length - bytes.byteCount
        if cut > 0 {
            context[side].missing &+= UInt64(cut)
            reader.show(Gap(length: UInt64(cut), cause: .truncated), from: side, place: place, context: &context, sink: &sink)
        }
        if sink.takesStreams { handRead(direction: direction, place: place, sink: &sink) }
    }

    /// The same of what came first of a side: as soon as it is known who is who. What follows is read as if it were the first.
    mutating func show<Sink: ConversationSink & ~Copyable>(
        first bytes: RawSpan, direction: Direction, place: Place, sink: inout Sink
    ) {
        guard !isClosed else { return }
        noteArrival(place)
        let side = context.parties.side(of: direction)
        context[side].bytes &+= UInt64(bytes.byteCount)
        reader.passOver(bytes.byteCount, of: side)
        context.tellUnread(first: bytes, of: direction, at: place, sink: &sink)
    }

    /// Cuts the largest element that is being assembled. False when there was none.
    package mutating func cutAssembly<Sink: ConversationSink & ~Copyable>(sink: inout Sink) -> Bool {
        guard let side = reader.cutAssembly() else { return false }
        context.emit(.assemblyCut, at: reader.endArrival(of: side, context), sink: &sink)
        return true
    }

    /// Gives up the windows of inflaters that no message is in the middle of, to stay within `Limits.totalBytes`.
    package mutating func dropWindows() { reader.dropWindows() }

    /// Tells the layers that no more comes of a side that has not ended, once.
    mutating func finishOpenSides<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        reader.settle(context: &context, sink: &sink)
        guard !hasFinishedOpenSides else { return }
        hasFinishedOpenSides = true
        context.endIsUnseen = true
        reader.finishOpenSides(context: &context, sink: &sink)
    }

    /// Whether a RST of one side has ended it, and the other one had not ended.
    var wasCutOff: Bool {
        let (client, server) = (reader.sides.clientEnd, reader.sides.serverEnd)
        return !isClosed && (client == .reset && server == .open || client == .open && server == .reset)
    }

    /// Shows bytes that came after the RST of the other side, and that no layer reads.
    ///
    /// - Parameter offset: of the first of them, in the bytes of its direction.
    mutating func show<Sink: ConversationSink & ~Copyable>(
        afterReset bytes: RawSpan, at offset: UInt64, direction: Direction, place: Place, sink: inout Sink
    ) {
        guard isOpened, !isClosed, bytes.byteCount > 0 else { return }
        noteArrival(place)
        let arrival = Arrival(side: context.parties.side(of: direction), offset: offset, place: place)
        context.emit(.data(DataRun(length: UInt64(bytes.byteCount), isAfterClose: true)), at: arrival, content: bytes, sink: &sink)
    }

    /// Ends the conversation: decides what was open, tells what was held, then `closed`.
    ///
    /// - Parameter ends: how the sides had left by then, where that was no end of what they had to say.
    package mutating func close<Sink: ConversationSink & ~Copyable>(
        _ how: Closing.Manner, by closer: Closing.Closer = .unknown, ends: Closing.Ends = Closing.Ends(), sink: inout Sink
    ) {
        var lives = LifeSpans()
        close(how, by: closer, ends: ends, among: &lives, sink: &sink)
    }

    /// The same of one among others of the run.
    ///
    /// - Parameter lives: how long those lasted.
    mutating func close<Sink: ConversationSink & ~Copyable>(
        _ how: Closing.Manner, by: Closing.Closer = .unknown, ends: Closing.Ends = Closing.Ends(), among lives: inout LifeSpans,
        sink: inout Sink
    ) {
        guard !isClosed else { return }
        context.lacksServer = how.isBeforeServer
        finishOpenSides(sink: &sink)
        context.tellRepeated(sink: &sink)
        isClosed = true
        let isOfFrames = context.client.frames > 0 || context.server.frames > 0
        if let ending = context.ending, ending.how == .fin || ending.how == .closeFrame,
            !ending.isAnswered || (ending.how == .fin && isOfFrames),
            reader.sides.mayHaveEnded(
                ending.side.peer, before: ending.arrival.place, from: context.sight.beginning(of: ending.side.peer),
                saysSo: ending.how == .closeFrame || isOfFrames)
        {
            context.forgetCloser()
        }
        var closing = context.closing(how, by: by)
        closing.clientEnd = reader.sides.clientEnd == .open ? ends.client : reader.sides.clientEnd
        closing.serverEnd = reader.sides.serverEnd == .open ? ends.server : reader.sides.serverEnd
        let lastPlace = context.lastPlace
        if let begun = context.parties.openedPlace.time, let ended = lastPlace.time { closing.duration = ended.nanoseconds(since: begun) }
        if let ended = closing.endedAt, let last = lastPlace.time {
            let past = last.nanoseconds(since: ended)
            // What a reader of the record cannot work out by the answer.
            if past >= 0, past != closing.answered ?? 0 { closing.lingered = past }
        }
        let endPlace = context.ending?.arrival.place ?? lastPlace
        IdleClose.tell(closing, at: endPlace, context: &context, sink: &sink)
        Self.reportHeaderAlone(closing, at: endPlace, context: &context, sink: &sink)
        Self.reportLife(closing, at: endPlace, among: &lives, context: &context, sink: &sink)
        sink.receive(
            ConversationEvent(
                conversation: context.number, from: nil, place: lastPlace, offset: nil, fact: .closed(closing), content: RawSpan()))
        reader.release()
    }

    /// Both directions have ended, or one was reset.
    package var isOver: Bool { reader.sides.areOver }

    /// The time of the last packet that brought a stream event.
    package var lastTime: Timestamp? { context.lastPlace.time }
}
