/// Bytes of both sides that no layer reads, cut into messages where it is known how: by a rule of the user, by the protocol that the first
/// bytes show, or by a guess.
///
/// ```
///  opening   what came waits, for some turns at most ─┬─ a protocol, or lengths that fit ─▶ framed
///                                                     └─ nothing ─▶ plain: data as it comes ── many lines, lengths ─▶ framed
///  framed    messages; a guess that no longer fits ─▶ plain
/// ```
///
/// A class, so that a conversation of which nothing is cut costs no more than a reference.
final class FramedSession {
    private enum Phase {
        case opening(FramingOpening)
        case framed
        case plain(LineWatch)
    }

    private var phase: Phase
    private var client: FramedDirection
    private var server: FramedDirection
    private var guess: MessageFrame.Guess?
    /// Lengths that were not clear in time, and are followed on while bytes are shown as they come.
    private var lateGuesses: LateGuesses?
    /// JSON values that no rule cuts, and what else segments show of messages.
    private var values: JSONValueWatch?
    private var clues: SegmentClues?
    /// Lengths for which nothing waits.
    private var weakGuesses: LateGuesses?
    /// Bytes in which these are followed.
    private static let mostWeakBytes = 64 << 10
    /// Runs of both sides so far.
    private var runs: UInt64 = 0
    private var speaker: Side?
    private var endedSides = 0

    /// - Parameter rule: what the user said; nil to find out.
    init(_ rule: FramingPair?) {
        let pair = rule ?? FramingPair(client: .fixed(1), server: .fixed(1))
        client = FramedDirection(pair.client, .client)
        server = FramedDirection(pair.server, .server)
        phase = rule == nil ? .opening(FramingOpening()) : .framed
    }

    /// Whether a message of the side has begun that has not ended.
    func isInside(_ side: Side) -> Bool {
        guard case .framed = phase else { return false }
        return side == .client ? client.isInside : server.isInside
    }

    var heldBytes: Int {
        let own = MemoryLayout<FramedDirection>.size * 2 + 96
        return switch phase {
        case .opening(let opening): own + opening.heldBytes
        case .framed: own + client.heldBytes + server.heldBytes
        case .plain:
            own + (lateGuesses?.heldBytes ?? 0) + (weakGuesses?.heldBytes ?? 0) + (values == nil ? 0 : JSONValueWatch.heldBytes)
        }
    }

    /// Places that were looked at in search of messages, for tests of what it costs.
    var searchSteps: Int { client.searchSteps + server.searchSteps }

    // MARK: - Bytes

    func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard bytes.byteCount > 0 else { return }
        let isTurn = speaker != arrival.side
        let isAfterPeer = speaker == arrival.side.peer
        speaker = arrival.side
        runs &+= 1
        switch phase {
        case .framed: cut(bytes, at: arrival, isTurn: isAfterPeer, context: &context, sink: &sink)
        case .plain(var watch):
            values?.receive(bytes, at: arrival)
            clues?.receive(bytes, at: arrival)
            phase = .plain(LineWatch(isOver: true))
            let line = watch.receive(bytes, from: arrival.side, isTurn: isTurn)
            let weak = weakGuesses?.receive(bytes, from: arrival.side, at: arrival.place.time)
            let late = lateGuesses?.receive(bytes, from: arrival.side, at: arrival.place.time)
            guard let found = late ?? line.map({ ($0, 0) }) ?? weak else {
                if weakGuesses?.isOver == true { weakGuesses = nil }
                phase = .plain(watch)
                return tellData(bytes, at: arrival, context: &context, sink: &sink)
            }
            let (framing, position) = found
            if position > 0 { tellData(bytes.extracting(0..<position), at: arrival, context: &context, sink: &sink) }
            frame(by: FramingPair(client: framing, server: framing), isGuess: true)
            guard position < bytes.byteCount else { return }
            let here = arrival.advanced(by: position)
            cut(bytes.suffix(from: position), at: here, isTurn: position == 0, context: &context, sink: &sink)
        case .opening(var opening):
            phase = .plain(LineWatch(isOver: true))
            let verdict = opening.receive(bytes, at: arrival, isTurn: isTurn, protocols: context.layers.protocols)
            conclude(opening, verdict, context: &context, sink: &sink)
        }
    }

    private func frame(by pair: FramingPair, isGuess: Bool) {
        client = FramedDirection(pair.client, .client, isGuess: isGuess, isTentative: pair.client.isOfOneSide)
        server = FramedDirection(pair.server, .server, isGuess: isGuess, isTentative: pair.server.isOfOneSide)
        lateGuesses = nil
        weakGuesses = nil
        values = nil
        clues = nil
        if isGuess { guess = MessageFrame.Guess(fits: 0, of: 0) }
        phase = .framed
    }

    /// Reads what has waited, where it is clear by now what it is.
    private func conclude<Sink: ConversationSink & ~Copyable>(
        _ opening: FramingOpening, _ verdict: FramingOpening.Verdict, context: inout ConversationContext, sink: inout Sink
    ) {
        switch verdict {
        case .undecided:
            phase = .opening(opening)
            return
        case .framed(let framing, let isGuess): frame(by: FramingPair(client: framing, server: framing), isGuess: isGuess)
        case .plain, .late:
            phase = .plain(LineWatch())
            weakGuesses = LateGuesses(.weak, mostBytes: Self.mostWeakBytes)
            if JSONValueWatch.mayBegin(opening.held.bytes.rawBytes) { values = JSONValueWatch() }
            clues = SegmentClues()
        }
        speaker = nil
        let late = verdict == .late ? opening.lateFrom : nil
        for run in opening.held.runs {
            if let late, run.range.lowerBound >= late, lateGuesses == nil { lateGuesses = LateGuesses(opening.guesses) }
            receive(opening.held.bytes.rawBytes.extracting(run.range), at: run.arrival, context: &context, sink: &sink)
        }
    }

    private func cut<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, isTurn: Bool, context: inout ConversationContext, sink: inout Sink
    ) {
        let time = arrival.place.time
        let isClient = arrival.side == .client
        if guess != nil {
            // A turn that ends inside of a message fits less well.
            if isTurn, isClient ? server.isInside : client.isInside { guess?.of += 1 }
            let isUnconfirmed = isTurn && (isClient ? server.endTurn(at: time) : client.endTurn(at: time))
            if isUnconfirmed || (isClient ? client.isOverdue(at: time) : server.isOverdue(at: time)) {
                dropGuess(at: isUnconfirmed ? arrival.side.peer : arrival.side, context: &context, sink: &sink)
                return tellData(bytes, at: arrival, context: &context, sink: &sink)
            }
        }
        let misfit: FramedDirection.Misfit
        if isClient {
            client.doubt?.begin(run: runs, of: bytes.byteCount)
            misfit = client.receive(bytes, at: arrival, afterPeer: isTurn, guess: &guess, context: &context, sink: &sink)
        } else {
            server.doubt?.begin(run: runs, of: bytes.byteCount)
            misfit = server.receive(bytes, at: arrival, afterPeer: isTurn, guess: &guess, context: &context, sink: &sink)
        }
        if isClient ? client.hasLeft : server.hasLeft {
            client.leave(context: &context, sink: &sink)
            server.leave(context: &context, sink: &sink)
        }
        guard case .broken(let position) = misfit else { return }
        let here = arrival.advanced(by: position)
        dropGuess(at: arrival.side, or: here, context: &context, sink: &sink)
        tellData(bytes.suffix(from: position), at: here, context: &context, sink: &sink)
    }

    /// The guess was wrong, or holds no longer: what was kept of the messages that are open is told as data, in the order in which it came.
    ///
    /// - Parameters:
    ///   - side: whose messages do not fit.
    ///   - arrival: where they do not, unless one is open.
    private func dropGuess<Sink: ConversationSink & ~Copyable>(
        at side: Side, or arrival: Arrival? = nil, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let guess else { return }
        let direction = side == .client ? client : server
        if let begin = direction.start ?? arrival {
            context.emit(.framingGuessDropped, a: guess.fits, at: begin, content: direction.framing.words.rawBytes, sink: &sink)
        }
        self.guess = nil
        phase = .plain(LineWatch(isOver: true))
        let (ours, theirs) = (client.doubtfulRuns, server.doubtfulRuns)
        var (next, other) = (0, 0)
        while next < ours.count || other < theirs.count {
            if next < ours.count, other == theirs.count || ours[next].run < theirs[other].run {
                client.tell(ours[next], context: &context, sink: &sink)
                next += 1
            } else {
                server.tell(theirs[other], context: &context, sink: &sink)
                other += 1
            }
        }
        client.forget()
        server.forget()
    }

    private func tellData<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) { context.emit(.data(DataRun(length: UInt64(bytes.byteCount))), at: arrival, content: bytes, sink: &sink) }

    // MARK: - Losses and ends

    /// Tells what is held: the next bytes of the side are lost, or another layer goes on.
    func flush<Sink: ConversationSink & ~Copyable>(_ side: Side, context: inout ConversationContext, sink: inout Sink) {
        settle(context: &context, sink: &sink)
        guard case .framed = phase else { return }
        if side == .client {
            client.cut(guess: &guess, isEnd: false, context: &context, sink: &sink)
        } else {
            server.cut(guess: &guess, isEnd: false, context: &context, sink: &sink)
        }
    }

    /// Bytes of a side are lost, after `flush`.
    func skip(_ length: UInt64, of side: Side) {
        switch phase {
        case .framed: if side == .client { client.skip(length) } else { server.skip(length) }
        case .plain, .opening:
            phase = .plain(LineWatch(isOver: true))
            lateGuesses = nil
            weakGuesses = nil
            values = nil
            clues = nil
        }
    }

    /// A side has ended.
    func finish<Sink: ConversationSink & ~Copyable>(at arrival: Arrival, context: inout ConversationContext, sink: inout Sink) {
        endedSides += 1
        if case .opening(var opening) = phase {
            phase = .plain(LineWatch(isOver: true))
            conclude(opening, opening.finish(arrival.side, isLast: endedSides > 1), context: &context, sink: &sink)
        }
        emitClues(at: arrival, context: &context, sink: &sink)
        guard case .framed = phase else { return }
        let isUnseen = context.endIsUnseen
        if arrival.side == .client ? client.isTentativeAtEnd(isUnseen: isUnseen) : server.isTentativeAtEnd(isUnseen: isUnseen) {
            dropGuess(at: arrival.side, context: &context, sink: &sink)
        }
        if arrival.side == .client {
            client.cut(guess: &guess, isEnd: true, context: &context, sink: &sink)
            client.emitSegments(at: arrival, context: &context, sink: &sink)
        } else {
            server.cut(guess: &guess, isEnd: true, context: &context, sink: &sink)
            server.emitSegments(at: arrival, context: &context, sink: &sink)
        }
        guard endedSides > 1, let guess, guess.of > 0 else { return }
        context.emit(.framingGuessed, a: guess.fits, b: guess.of, at: arrival, content: client.framing.words.rawBytes, sink: &sink)
        self.guess = nil
    }

    /// Nanoseconds from the last byte to the end, from which on a side may have waited for more.
    private static let leastWait: Int64 = 200_000_000

    /// Notes what the segments show of messages that are not cut; nothing in a channel inside, whose records cut them once more.
    private func emitClues<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard context.channel.depth == 0, context.isWhole(arrival.side) else { return }
        if let (values, segments, words) = values?.words(of: arrival.side) {
            context.emit(.framingJSONValues, a: values, b: segments, at: arrival, content: Array(words.utf8).rawBytes, sink: &sink)
        }
        guard endedSides > 1 else { return }
        ByteOrderMark.emit(at: arrival, context: &context, sink: &sink)
        guard var clues, context.isWhole(arrival.side.peer) else { return }
        clues.end()
        if let words = clues.lengths {
            context.emit(.framingLengthsDiffer, at: arrival, content: Array(words.utf8).rawBytes, sink: &sink)
        } else if let (side, lines) = clues.lineEnds, context.ending?.how == .reset, context.ending?.side == side {
            context.emit(.framingLineEndsDiffer, a: side == .client ? 1 : 2, b: UInt64(lines), at: arrival, sink: &sink)
        } else if !context.endIsUnseen, let (hasReturn, bytes) = clues.lineEndMissing,
            context.spoken.clientSilence(until: context.ending?.time) ?? 0 >= SideClues.longestResponse
        {
            let place = Arrival(side: .client, offset: 0, place: arrival.place)
            context.emit(.framingLineEndMissing, a: hasReturn ? 1 : 2, b: bytes, at: place, sink: &sink)
        } else if !context.endIsUnseen, let (side, words) = clues.length,
            // Who ends at once has not waited for more.
            context.spoken.silence(until: context.ending?.time) ?? 0 >= Self.leastWait
        {
            context.emit(.framingLengthSeen, b: side == .client ? 1 : 2, at: arrival, content: Array(words.utf8).rawBytes, sink: &sink)
        }
    }

    /// Ends all waiting for what the first bytes are.
    func settle<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard case .opening(let opening) = phase else { return }
        phase = .plain(LineWatch(isOver: true))
        conclude(opening, .plain, context: &context, sink: &sink)
    }

    /// Frees the longer of the messages that are being put together.
    func cutAssembly() -> Side? {
        let isClient = client.heldBytes >= server.heldBytes
        if isClient, client.giveUp() { return .client }
        if server.giveUp() { return .server }
        return client.giveUp() ? .client : nil
    }
}
