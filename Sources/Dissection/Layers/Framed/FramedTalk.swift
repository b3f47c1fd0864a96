/// Bytes of both sides that no layer reads, cut into messages where it is known how: by a rule of the user, by the protocol that the first
/// bytes show, or by a guess.
///
/// ```
///  opening   what came waits, for some turns at most ─┬─ a protocol, or lengths that fit ─▶ framed
///                                                     └─ nothing ─▶ plain: data as it comes ── many lines ─▶ framed
///  framed    messages; a guess that no longer fits ─▶ plain
/// ```
///
/// A class, so that a conversation of which nothing is cut costs no more than a reference.
final class FramedTalk {
    private enum Phase {
        case opening(FramingOpening)
        case framed
        case plain(LineWatch)
    }

    private var phase: Phase
    private var client: FramedDirection
    private var server: FramedDirection
    private var guess: MessageFrame.Guess?
    private var speaker: Side?
    private var endedSides = 0

    /// - Parameter rule: what the user said; nil to find out.
    init(_ rule: FramingPair?) {
        let pair = rule ?? FramingPair(client: .lines, server: .lines)
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
        case .plain: own
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
        switch phase {
        case .framed: cut(bytes, at: arrival, isTurn: isAfterPeer, context: &context, sink: &sink)
        case .plain(var watch):
            phase = .plain(LineWatch(isOver: true))
            let found = watch.receive(bytes, from: arrival.side, isTurn: isTurn)
            guard let found else {
                phase = .plain(watch)
                return tellData(bytes, at: arrival, context: &context, sink: &sink)
            }
            frame(by: FramingPair(client: found, server: found), isGuess: true)
            cut(bytes, at: arrival, isTurn: true, context: &context, sink: &sink)
        case .opening(var opening):
            phase = .plain(LineWatch(isOver: true))
            let verdict = opening.receive(bytes, at: arrival, isTurn: isTurn)
            conclude(opening, verdict, context: &context, sink: &sink)
        }
    }

    private func frame(by pair: FramingPair, isGuess: Bool) {
        client = FramedDirection(pair.client, .client, isGuess: isGuess)
        server = FramedDirection(pair.server, .server, isGuess: isGuess)
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
        case .plain: phase = .plain(LineWatch())
        }
        speaker = nil
        for run in opening.held.runs {
            receive(opening.held.bytes.rawBytes.extracting(run.range), at: run.arrival, context: &context, sink: &sink)
        }
    }

    private func cut<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, isTurn: Bool, context: inout ConversationContext, sink: inout Sink
    ) {
        let misfit: FramedDirection.Misfit
        if arrival.side == .client {
            // A turn that ends inside of a message fits less well.
            if isTurn, server.isInside { guess?.of += 1 }
            misfit = client.receive(bytes, at: arrival, afterPeer: isTurn, guess: &guess, context: &context, sink: &sink)
        } else {
            if isTurn, client.isInside { guess?.of += 1 }
            misfit = server.receive(bytes, at: arrival, afterPeer: isTurn, guess: &guess, context: &context, sink: &sink)
        }
        if misfit == .broken { dropGuess(context: &context, sink: &sink) }
    }

    /// The guess was wrong, or holds no longer, as was told.
    private func dropGuess<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard guess != nil else { return }
        cutOpen(context: &context, sink: &sink)
        guess = nil
        phase = .plain(LineWatch(isOver: true))
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
            client.cut(guess: &guess, context: &context, sink: &sink)
        } else {
            server.cut(guess: &guess, context: &context, sink: &sink)
        }
    }

    /// Bytes of a side are lost, after `flush`.
    func skip(_ length: UInt64, of side: Side) {
        switch phase {
        case .framed: if side == .client { client.skip(length) } else { server.skip(length) }
        case .plain, .opening: phase = .plain(LineWatch(isOver: true))
        }
    }

    /// A side has ended.
    func finish<Sink: ConversationSink & ~Copyable>(at arrival: Arrival, context: inout ConversationContext, sink: inout Sink) {
        endedSides += 1
        if case .opening(var opening) = phase {
            phase = .plain(LineWatch(isOver: true))
            conclude(opening, opening.finish(arrival.side, isLast: endedSides > 1), context: &context, sink: &sink)
        }
        guard case .framed = phase else { return }
        if arrival.side == .client {
            client.cut(guess: &guess, context: &context, sink: &sink)
        } else {
            server.cut(guess: &guess, context: &context, sink: &sink)
        }
        guard endedSides > 1, let guess, guess.of > 0 else { return }
        context.emit(.framingGuessed, a: guess.fits, b: guess.of, at: arrival, content: client.framing.words.rawBytes, sink: &sink)
        self.guess = nil
    }

    /// Ends all waiting for what the first bytes are.
    func settle<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard case .opening(let opening) = phase else { return }
        phase = .plain(LineWatch(isOver: true))
        conclude(opening, .plain, context: &context, sink: &sink)
    }

    /// Tells the messages of both sides that are open.
    private func cutOpen<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        client.cut(guess: &guess, context: &context, sink: &sink)
        server.cut(guess: &guess, context: &context, sink: &sink)
    }

    /// Frees the longer of the messages that are being put together.
    func cutAssembly() -> Side? {
        let isClient = client.heldBytes >= server.heldBytes
        if isClient, client.giveUp() { return .client }
        if server.giveUp() { return .server }
        return client.giveUp() ? .client : nil
    }
}
