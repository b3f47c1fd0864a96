import Dissection

/// What an expression asked of a conversation, and found: the same for each event of one side until something new is known.
struct KnownAnswers {
    /// Which events get the same answer.
    struct Asker {
        /// How far the two bits of the answer are from the first ones.
        fileprivate let shift: UInt16

        /// - Parameter isAnswered: the event belongs to the last request that was answered, and not to the last one that was asked.
        @inline(__always)
        init(_ side: Side?, isAnswered: Bool) {
            let place: UInt16 =
                switch side {
                case nil: 0
                case .client: 2
                case .server: 4
                }
            shift = isAnswered ? place + 6 : place
        }
    }

    /// Questions whose answers can be kept.
    static let slots = 8

    /// For each question two bits for each asker: that it was answered, and how.
    private var words = SIMD8<UInt16>()

    @inline(__always)
    func answer(_ asker: Asker, _ slot: Int) -> Bool? {
        let bits = words[slot] >> asker.shift & 3
        return bits == 0 ? nil : bits == 3
    }

    mutating func keep(_ answer: Bool, _ asker: Asker, _ slot: Int) { words[slot] |= (answer ? 3 : 1) << asker.shift }
}

/// The answers about the conversations that were asked about last, in a plain table of their own: looking up all that is known of a conversation costs more
/// than most answers are worth.
struct LastAnswers {
    /// A power of two.
    private static let places = 1_024

    /// Empty until something is asked.
    private var numbers: [UInt64] = []
    private var answers: [KnownAnswers] = []

    var heldBytes: Int { numbers.count * (MemoryLayout<UInt64>.stride + MemoryLayout<KnownAnswers>.stride) }

    @inline(__always)
    private static func place(of number: UInt64) -> Int { Int(truncatingIfNeeded: number & UInt64(places - 1)) }

    @inline(__always)
    func answer(about number: UInt64, _ asker: KnownAnswers.Asker, _ slot: Int) -> Bool? {
        let place = Self.place(of: number)
        guard place < numbers.count else { return nil }
        return numbers[place] == number && number != 0 ? answers[place].answer(asker, slot) : nil
    }

    /// Takes all answers about a conversation, in the place of those about another.
    mutating func take(_ known: KnownAnswers, about number: UInt64) {
        if numbers.isEmpty {
            numbers = [UInt64](repeating: 0, count: Self.places)
            answers = [KnownAnswers](repeating: KnownAnswers(), count: Self.places)
        }
        numbers[Self.place(of: number)] = number
        answers[Self.place(of: number)] = known
    }

    /// Something new is known of a conversation.
    mutating func forget(_ number: UInt64) {
        if !numbers.isEmpty, numbers[Self.place(of: number)] == number { answers[Self.place(of: number)] = KnownAnswers() }
    }
}
