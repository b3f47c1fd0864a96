/// Lengths that are followed on in bytes that are shown as they come: once they are certain, messages are cut from there on.
struct LateGuesses {
    private var guesses: LengthGuesses
    private var turns = 0
    private var speaker: Side?
    private var lastAt: Timestamp?
    /// Bytes that are still followed.
    private var bytesLeft: Int
    private static let mostTurns = 64

    /// - Parameter mostBytes: after more of both sides it gives up.
    init(_ guesses: LengthGuesses, mostBytes: Int = .max) {
        self.guesses = guesses
        bytesLeft = mostBytes
    }

    /// Nothing is found any more.
    var isOver: Bool { guesses.isOver || turns > Self.mostTurns || bytesLeft == 0 }

    var heldBytes: Int { guesses.heldBytes }

    /// Takes the next bytes of a side. Returns how messages are cut, and from which of these bytes on.
    mutating func receive(_ bytes: RawSpan, from side: Side, at time: Timestamp?) -> (StreamFraming, Int)? {
        guard !isOver else { return nil }
        if speaker == side, let time, let lastAt, time.nanoseconds(since: lastAt) >= FramingOpening.shortestPause { guesses.pause() }
        lastAt = time
        if speaker != side {
            turns += 1
            guesses.endTurn(before: side)
            if let certain = guesses.certain { return (.length(certain), 0) }
        }
        speaker = side
        // What counts is up to the bound, however the bytes are cut.
        let looked = bytes.extracting(0..<min(bytesLeft, bytes.byteCount))
        bytesLeft -= looked.byteCount
        guard let position = guesses.receive(looked, from: side), let decided = guesses.decided else { return nil }
        return (.length(decided), position)
    }
}
