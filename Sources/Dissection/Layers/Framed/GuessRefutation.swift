/// What speaks against a guess in one direction: a message that announces much and does not come, while the other side speaks and time
/// passes; and turns that end inside of short messages.
///
/// ```
/// client  00 02 00 08 01 …                          a length of 131,080 bytes, of which 8 have come
/// server              00 02 00 08 …                 the other side answers
/// client                           00 02 00 09 …    after four such turns, or half a minute, it was none
///
/// client  30 0A x x x x │ 78 20 x x x               a message of 32 bytes, of which 3 have come
/// server                             40 02 00 01    the other side answers: three such turns, with few that fit between them, are enough
/// ```
struct GuessRefutation {
    /// Bytes of the open message that came in one run.
    struct Run {
        var run: UInt64
        var start: Int
        var arrival: Arrival
    }

    /// Of more runs the places are not kept apart.
    private static let mostRuns = 256
    private static let mostTurns = 4
    private static let mostTurnsAtAll = 64
    private static let mostNanoseconds: Int64 = 30_000_000_000
    /// What a turn that does not fit weighs, where one that fits weighs one: less than four of five have to.
    private static let misfitWeight = 4
    private static let mostWeight = 12
    /// A longer message may well come in pieces, between which the other side speaks.
    private static let shortMessage: UInt64 = 1_024
    /// A longer turn may end with a full segment, which ends wherever it is full.
    private static let fullTurn = 1_200
    /// So many turns inside of one short message count once more.
    private static let turnsThatCountAgain = 4

    /// The number of the run that is being read, of both sides.
    private(set) var run: UInt64 = 0
    /// Bytes of the turn under way, however they were cut.
    private var turnBytes = 0
    var runs: [Run] = []
    /// Turns of the side that ended inside of the open message.
    private var turns = 0
    /// How much turns that did not fit outweigh those that did, lately.
    private var weight = 0
    /// Whether the turn under way began inside of a message, and whether a message has ended in it.
    private var beganInside = false
    private var hasEnded = false

    var heldBytes: Int { runs.capacity * MemoryLayout<Run>.stride }

    /// Bytes of the open message come, kept from `start` on.
    mutating func note(_ start: Int, _ arrival: Arrival) {
        if let last = runs.last, last.run == run || runs.count == Self.mostRuns {
            runs[runs.count - 1].arrival.place.extend(by: arrival.place)
            return
        }
        runs.append(Run(run: run, start: start, arrival: arrival))
    }

    mutating func begin(run: UInt64, of bytes: Int) {
        self.run = run
        turnBytes = turnBytes.addingReportingOverflow(bytes).overflow ? .max : turnBytes + bytes
    }

    mutating func endMessage() {
        turns = 0
        hasEnded = true
    }

    /// Whether a turn that did not fit is not long past.
    var isShaken: Bool { weight >= Self.misfitWeight }

    /// Whether nobody has spoken inside of the open message.
    var isUndisturbed: Bool { turns == 0 }

    /// The other side speaks.
    ///
    /// - Parameters:
    ///   - open: bytes of the message that is open, as far as they are known; nil where none is.
    ///   - mayPause: its sender may well pause here.
    /// - Returns: whether the guess has to go.
    mutating func endTurn(open: UInt64?, mayPause: Bool, isFarOff: Bool) -> Bool {
        defer {
            beganInside = open != nil
            hasEnded = false
            turnBytes = 0
        }
        guard let open else {
            if hasEnded { weight = max(0, weight - 1) }
            return false
        }
        if !mayPause, turnBytes < Self.fullTurn, isMisfit(open) { weight += Self.misfitWeight }
        turns += 1
        return turns >= Self.mostTurns && isFarOff || turns >= Self.mostTurnsAtAll || weight >= Self.mostWeight
    }

    /// Whether a turn that ends inside of a message speaks against the guess: of a long one, where the turn began inside of another.
    private func isMisfit(_ open: UInt64) -> Bool {
        open <= Self.shortMessage ? turns % Self.turnsThatCountAgain == 0 : beganInside && hasEnded
    }

    /// Whether a message takes too long of which little has come.
    func isOverdue(since first: Timestamp?, at now: Timestamp?) -> Bool {
        guard let first, let now else { return false }
        return now.nanoseconds(since: first) > Self.mostNanoseconds
    }
}

extension FramedDirection {
    /// Of the open message, which was cut by a guess, less than a sixteenth has come.
    var isFarOff: Bool {
        guard doubt != nil, isInside, let missing = cutter.remaining else { return false }
        return missing / 15 > came
    }

    /// Whether the guess has to go at the end of the side. Where the capture ended in the middle of a message, nothing speaks against it,
    /// unless turns have ended so before.
    func isTentativeAtEnd(isUnseen: Bool) -> Bool {
        isFarOff && !(isUnseen && doubt?.isUndisturbed != false) || isInside && doubt?.isShaken == true
    }

    /// The other side speaks. Whether the guess has to go.
    mutating func endTurn(at time: Timestamp?) -> Bool {
        let (isFarOff, mayPause) = (isFarOff, mayPause)
        let open = isInside ? came.addingReportingOverflow(cutter.remaining ?? 0) : nil
        let isOver = doubt?.endTurn(
            open: open.map { $0.overflow ? .max : $0.partialValue }, mayPause: mayPause, isFarOff: isFarOff)
        return isOver == true || isOverdue(at: time)
    }

    /// A sender may write a header by itself, and a line as it is typed.
    private var mayPause: Bool {
        guard case .length = framing else { return true }
        return cutter.remaining != nil && came == UInt64(cutter.header)
    }

    /// Whether the open message takes too long.
    func isOverdue(at time: Timestamp?) -> Bool {
        guard isFarOff, let doubt else { return false }
        return doubt.isOverdue(since: doubt.runs.first?.arrival.place.time, at: time)
    }

    /// What is kept of the open message, run by run.
    var doubtfulRuns: [GuessRefutation.Run] { isInside ? doubt?.runs ?? [] : [] }

    /// Tells a run of what is kept as data; with the last one, what is not kept as a gap.
    func tell<Sink: ConversationSink & ~Copyable>(_ run: GuessRefutation.Run, context: inout ConversationContext, sink: inout Sink) {
        let next = doubt?.runs.first { $0.run > run.run }
        let end = min(kept.count, next?.start ?? kept.count)
        let begin = min(run.start, end)
        tellData(kept.rawBytes.extracting(begin..<end), at: run.arrival, context: &context, sink: &sink)
        guard next == nil, let start, came > UInt64(kept.count) else { return }
        let rest = Gap(length: came - UInt64(kept.count), cause: .limit)
        context.emit(.gap(rest), at: start.advanced(by: kept.count), sink: &sink)
    }

    /// Nothing is open any more.
    mutating func forget() {
        clear()
        cutter.restart()
        doubt = nil
    }
}
