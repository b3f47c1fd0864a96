/// What speaks against a guess in one direction: a message that announces much and does not come, while the other side speaks and time
/// passes.
///
/// ```
/// client  00 02 00 08 01 …                          a length of 131,080 bytes, of which 8 have come
/// server              00 02 00 08 …                 the other side answers
/// client                           00 02 00 09 …    after four such turns, or half a minute, it was none
/// ```
struct GuessDoubt {
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

    /// The number of the run that is being read, of both sides.
    var run: UInt64 = 0
    var runs: [Run] = []
    /// Turns of the side that ended inside of the open message.
    private var turns = 0

    var heldBytes: Int { runs.capacity * MemoryLayout<Run>.stride }

    /// Bytes of the open message come, kept from `start` on.
    mutating func note(_ start: Int, _ arrival: Arrival) {
        if let last = runs.last, last.run == run || runs.count == Self.mostRuns {
            runs[runs.count - 1].arrival.place.extend(by: arrival.place)
            return
        }
        runs.append(Run(run: run, start: start, arrival: arrival))
    }

    mutating func endMessage() { turns = 0 }

    /// Whether nobody has spoken inside of the open message.
    var isUndisturbed: Bool { turns == 0 }

    /// The other side speaks inside of the open message. Whether the guess has to go.
    mutating func endTurn(isFarOff: Bool) -> Bool {
        turns += 1
        return turns >= Self.mostTurns && isFarOff || turns >= Self.mostTurnsAtAll
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

    /// Whether the guess has to go at the end of the side. Where the capture ended in the middle of a message, nothing speaks against it.
    func isDoubtfulAtEnd(isUnseen: Bool) -> Bool { isFarOff && !(isUnseen && doubt?.isUndisturbed != false) }

    /// The other side speaks. Whether the guess has to go.
    mutating func endTurn(at time: Timestamp?) -> Bool {
        guard isInside, var doubt else { return false }
        let isOver = doubt.endTurn(isFarOff: isFarOff)
        self.doubt = doubt
        return isOver || isOverdue(at: time)
    }

    /// Whether the open message takes too long.
    func isOverdue(at time: Timestamp?) -> Bool {
        guard isFarOff, let doubt else { return false }
        return doubt.isOverdue(since: doubt.runs.first?.arrival.place.time, at: time)
    }

    /// What is kept of the open message, run by run.
    var doubtfulRuns: [GuessDoubt.Run] { isInside ? doubt?.runs ?? [] : [] }

    /// Tells a run of what is kept as data; with the last one, what is not kept as a gap.
    func tell<Sink: ConversationSink & ~Copyable>(_ run: GuessDoubt.Run, context: inout ConversationContext, sink: inout Sink) {
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
