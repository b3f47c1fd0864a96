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
