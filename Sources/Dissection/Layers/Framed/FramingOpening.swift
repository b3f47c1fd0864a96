/// Finds out from the first bytes of both sides how they are cut into messages: what came waits until that is clear, for a bounded number of
/// bytes and turns.
struct FramingOpening {
    enum Verdict: Equatable {
        case undecided
        case framed(StreamFraming, isGuess: Bool)
        case plain
        /// It is not clear, but has taken long: bytes are shown as they come, and the lengths are followed on.
        case late
    }

    /// More is not waited for.
    static let mostBytes = 16 << 10
    private static let mostTurns = 12
    private static let mostNanoseconds: Int64 = 2_000_000_000
    /// What comes later after the bytes before it was not written with them.
    static let shortestPause: Int64 = 50_000_000
    /// Messages that come one by one wait so long, until there are enough of them to be certain of their lengths.
    private static let mostOfPaced: Int64 = 30_000_000_000

    private(set) var held = HeldRuns()
    private var client: [UInt8] = []
    private var server: [UInt8] = []
    private var turns = 0
    private var isOfProtocol = true
    private(set) var guesses = LengthGuesses()
    /// Where the first bytes lie in `held` that came late, which the guesses have not seen.
    private(set) var lateFrom: Int?
    /// Nanoseconds that the first bytes wait.
    private var mostWait = FramingOpening.mostNanoseconds
    /// The lengths that fitted first.
    private var guessed: LengthPrefix?

    var heldBytes: Int { held.heldBytes + client.capacity + server.capacity + guesses.heldBytes }

    /// - Parameter isTurn: the other side has spoken before.
    mutating func receive(_ bytes: RawSpan, at arrival: Arrival, isTurn: Bool, protocols: [any ProtocolGrammar.Type]) -> Verdict {
        // What counts is up to the bound, however the bytes are cut.
        let looked = bytes.extracting(0..<min(bytes.byteCount, Self.mostBytes - held.bytes.count))
        // Judged by when they begin to come, and not by how much comes at once.
        if isTurn {
            mostWait = Self.mostNanoseconds
        } else if lateFrom == nil, isAfterPause(arrival) {
            guesses.pause()
            // Where much waits already, what is followed on while bytes are shown keeps them from being too many.
            let isPaced = !isOfProtocol && guesses.mayBePaced && held.bytes.count <= Self.mostBytes / 2
            mostWait = isPaced ? Self.mostOfPaced : Self.mostNanoseconds
        }
        let isLate = isLate(arrival)
        if isTurn, lateFrom == nil {
            guesses.endTurn(before: arrival.side)
            noteGuess()
        }
        if isLate, lateFrom == nil { lateFrom = held.bytes.count }
        held.append(bytes, at: arrival)
        if isTurn {
            turns += 1
            guard turns <= Self.mostTurns else { return lastWord() }
        }
        if arrival.side == .client { client.append(copying: looked) } else { server.append(copying: looked) }
        if !isLate {
            guesses.receive(looked, from: arrival.side)
            noteGuess()
        }
        if isOfProtocol {
            let head = ContentLengthHead.begun(client: client.rawBytes, server: server.rawBytes)
            if head == .yes { return .framed(.contentLength, isGuess: false) }
            switch FramedProtocol.begun(protocols, client: client.rawBytes, server: server.rawBytes) {
            case .found(let name): return .framed(.protocol(name), isGuess: false)
            case .none where head == .no: isOfProtocol = false
            case .undecided, .none: if held.bytes.count < Self.mostBytes { return .undecided }
            }
        }
        guard guessed == nil, !guesses.isOver else { return lastWord() }
        if isLate { return .late }
        return held.bytes.count < Self.mostBytes ? .undecided : lastWord()
    }

    /// A side has ended: its turn is over, if it was its.
    mutating func finish(_ side: Side, isLast: Bool) -> Verdict {
        guesses.finish(side)
        noteGuess()
        return guessed != nil || isLast ? lastWord() : .undecided
    }

    /// Who looks on should not wait for a side that takes its time.
    private func isLate(_ arrival: Arrival) -> Bool {
        if lateFrom != nil { return true }
        guard let now = arrival.place.time, let first = held.runs.first?.arrival.place.time else { return false }
        return now.nanoseconds(since: first) > mostWait
    }

    private func isAfterPause(_ arrival: Arrival) -> Bool {
        guard let now = arrival.place.time, let last = held.runs.last?.arrival.place.time else { return false }
        return now.nanoseconds(since: last) >= Self.shortestPause
    }

    private mutating func noteGuess() { guessed = guessed ?? guesses.decided }

    private func lastWord() -> Verdict { guessed.map { .framed(.length($0), isGuess: true) } ?? .plain }
}
