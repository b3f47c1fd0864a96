/// Lengths that are followed on in bytes that are shown as they come: once they are certain, messages are cut from there on.
struct LateGuesses {
    private var guesses: LengthGuesses
    private var turns = 0
    private var speaker: Side?
    private static let mostTurns = 64

    init(_ guesses: LengthGuesses) { self.guesses = guesses }

    var heldBytes: Int { guesses.heldBytes }

    /// Takes the next bytes of a side. Returns how messages are cut, and from which of these bytes on.
    mutating func receive(_ bytes: RawSpan, from side: Side) -> (StreamFraming, Int)? {
        guard !guesses.isOver, turns <= Self.mostTurns else { return nil }
        if speaker != side {
            turns += 1
            guesses.endTurn(before: side)
            if let certain = guesses.certain { return (.length(certain), 0) }
        }
        speaker = side
        guard let position = guesses.receive(bytes, from: side), let decided = guesses.decided else { return nil }
        return (.length(decided), position)
    }
}
