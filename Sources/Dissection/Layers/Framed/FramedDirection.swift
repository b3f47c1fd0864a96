/// Messages of one direction: puts them together, tells each when its last byte came, and finds the next one after trouble.
struct FramedDirection {
    enum Phase {
        /// In a message, or before one.
        case cutting
        /// What came of a message was told, and so many bytes of it are still to come.
        case rest(UInt64)
        /// After a loss or a wrong length.
        case searching(any MessageSearch)
        /// The same, where lengths say too little: until the other side has spoken.
        case untilTurn
        /// The same, until the delimiter.
        case untilDelimiter(DelimiterCutter, skipped: UInt64)
        /// No more messages are looked for.
        case data
    }

    let framing: StreamFraming
    let side: Side
    /// What checks each message, where a protocol cuts them.
    let rules: (any ProtocolGrammar.Type)?
    var cutter: any CuttingMachine
    /// Its messages may have bytes before them that only separate them.
    private let hasLead: Bool
    var phase = Phase.cutting
    /// What came of the open message, its first bytes at most.
    var kept: [UInt8] = []
    var isGivenUp = false
    var came: UInt64 = 0
    /// Places that were looked at in search of a message, for tests of what it costs.
    var searchSteps = 0
    var start: Arrival?
    /// What a guess has come to so far; nil where nothing was guessed.
    var doubt: GuessRefutation?
    /// How messages lie in the segments.
    var segments = SegmentCounts()
    /// A message has ended.
    var hasEnded = false
    /// With its last message both sides have agreed to go on with other bytes.
    var hasLeft = false
    /// How the first message with a length begins and ends; nil after the second one.
    var firstEnds: PayloadEnds?
    /// What the other side showed holds for this one only from its first message on: until then other bytes are data.
    var isTentative: Bool

    /// - Parameters:
    ///   - isGuess: lines, and what ends with NUL, are messages as long as they are text.
    ///   - isTentative: it is not known whether the side has messages of this kind.
    init(_ framing: StreamFraming, _ side: Side, isGuess: Bool = false, isTentative: Bool = false) {
        self.framing = framing
        self.side = side
        rules = if case .protocol(let name) = framing { name.rules } else { nil }
        self.isTentative = isTentative
        hasLead = framing == .json
        cutter = framing.cutter(isText: isGuess)
        if isGuess { doubt = GuessRefutation() }
    }

    /// A message has begun that has not ended.
    var isInside: Bool { came > 0 && (!hasLead || came > UInt64(cutter.lead)) }

    var heldBytes: Int {
        let own = kept.capacity + (doubt?.heldBytes ?? 0)
        return switch phase {
        case .searching(let search): own + search.heldBytes
        case .cutting, .rest, .untilTurn, .untilDelimiter, .data: own
        }
    }

    /// What becomes of a guess.
    enum Misfit: Equatable {
        case none
        /// No message can begin with the bytes from this place of the run on, and those that are kept before them.
        case broken(at: Int)
    }

    // MARK: - Bytes

    /// Takes the next bytes.
    ///
    /// - Parameters:
    ///   - guess: what the framing rests on, where it was guessed; each message counts.
    ///   - afterPeer: the other side has spoken since the last bytes of this one.
    mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, afterPeer: Bool, guess: inout MessageFrame.Guess?, context: inout ConversationContext,
        sink: inout Sink
    ) -> Misfit {
        if afterPeer { beginTurn() }
        cutter.note(arrival.place.time)
        segments.receive(at: arrival.place, isInside: isInside)
        var position = 0
        while position < bytes.byteCount {
            let rest = bytes.suffix(from: position)
            let here = arrival.advanced(by: position)
            switch phase {
            case .cutting:
                let wasInside = isInside
                let cut = cutter.advance(over: rest)
                switch cut {
                case .inside:
                    keep(rest, at: here, context)
                    if isInside, !wasInside { segments.beginMessage() }
                    return .none
                case .ends(let count):
                    let last = rest.extracting(0..<count)
                    if !wasInside, came + UInt64(count) > UInt64(cutter.lead) { segments.beginMessage() }
                    if came > 0, count > 0 { keep(last, at: here, context) }
                    tell(last, at: here, guess: &guess, context: &context, sink: &sink)
                    position += count
                case .broken(let fault):
                    if isTentative { return stop(rest, at: here, context: &context, sink: &sink) }
                    if guess != nil { return .broken(at: position) }
                    position += take(fault, rest, at: here, guess: &guess, context: &context, sink: &sink)
                }
            case .rest(let left):
                let count = Int(min(left, UInt64(rest.byteCount)))
                tellData(rest.extracting(0..<count), at: here, context: &context, sink: &sink)
                phase = left == UInt64(count) ? .cutting : .rest(left - UInt64(count))
                position += count
            case .searching(var search):
                phase = .untilTurn
                // In small steps, so that little lies behind what is found: it is read again.
                let step = rest.extracting(0..<min(search.room, rest.byteCount))
                position += step.byteCount
                let before = search.steps
                let found = search.receive(step, at: here)
                searchSteps += search.steps - before
                if let found {
                    let skipped = search.skipped + UInt64(found)
                    resume(search.held, at: found, skipped: skipped, guess: &guess, context: &context, sink: &sink)
                    continue
                }
                let settled = search.settled
                if settled > 0 {
                    search.held.tellData(before: settled, context: &context, sink: &sink)
                    search.drop(first: settled)
                }
                phase = .searching(search)
            case .untilDelimiter(let machine, let skipped):
                position += skip(rest, machine, skipped, at: here, context: &context, sink: &sink)
            case .untilTurn, .data:
                tellData(rest, at: here, context: &context, sink: &sink)
                return .none
            }
        }
        return .none
    }

    mutating func beginTurn() {
        if case .searching(var search) = phase {
            search.beginTurn()
            phase = .searching(search)
        }
        guard case .untilTurn = phase else { return }
        phase = .cutting
        cutter.restart()
    }

    /// Goes on where a message was found to begin.
    ///
    /// - Parameter skipped: bytes before it that were told as data.
    mutating func resume<Sink: ConversationSink & ~Copyable>(
        _ held: HeldRuns, at first: Int, skipped: UInt64, guess: inout MessageFrame.Guess?, context: inout ConversationContext,
        sink: inout Sink
    ) {
        held.tellData(before: first, context: &context, sink: &sink)
        phase = .cutting
        cutter.restart()
        let pieces = held.pieces(from: first)
        if let begin = pieces.first { context.emit(.framingResynchronised, a: skipped, at: begin.arrival, sink: &sink) }
        for piece in pieces {
            let run = held.bytes.rawBytes.extracting(piece.range)
            let misfit = receive(run, at: piece.arrival, afterPeer: false, guess: &guess, context: &context, sink: &sink)
            guard case .broken(let position) = misfit else { continue }
            // It was no message that was found. The guess has still held for those before the loss: others are looked for.
            let rest = piece.arrival.advanced(by: position)
            let (begin, before, count) = (start ?? rest, kept, came)
            clear()
            tellKept(before, count, at: begin, context: &context, sink: &sink)
            tellData(run.suffix(from: position), at: rest, context: &context, sink: &sink)
            lose()
        }
    }

    /// Tells bytes up to the delimiter as data. Returns how many.
    mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, _ before: DelimiterCutter, _ skipped: UInt64, at arrival: Arrival, context: inout ConversationContext,
        sink: inout Sink
    ) -> Int {
        var machine = before
        guard case .ends(let count) = machine.advance(over: bytes) else {
            tellData(bytes, at: arrival, context: &context, sink: &sink)
            phase = .untilDelimiter(machine, skipped: skipped + UInt64(bytes.byteCount))
            return bytes.byteCount
        }
        tellData(bytes.extracting(0..<count), at: arrival, context: &context, sink: &sink)
        phase = .cutting
        cutter.restart()
        context.emit(.framingResynchronised, a: skipped + UInt64(count), at: arrival.advanced(by: count), sink: &sink)
        return count
    }

    func tellData<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard bytes.byteCount > 0 else { return }
        context.emit(.data(DataRun(length: UInt64(bytes.byteCount))), at: arrival, content: bytes, sink: &sink)
    }
}
