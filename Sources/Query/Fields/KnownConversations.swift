import Dissection

/// What is known of the conversations that are open, and of the last ones that were closed: a finding may come after the end.
struct KnownConversations {
    private var table: [UInt64: KnownConversation] = [:]
    /// The one of the last event, which mostly is that of the next.
    private var last: (number: UInt64, known: KnownConversation)?
    private var closed: [UInt64] = []
    private(set) var heldBytes = 0

    /// Conversations that are remembered after their end.
    private static let mostClosed = 256

    /// Takes an event. Returns what is known of its conversation; nil for events about the input itself.
    mutating func take(_ event: borrowing ConversationEvent, _ needs: ConversationNeeds) -> KnownConversation? {
        let number = event.conversation
        guard number != 0 else { return nil }
        let known = find(number)
        switch event.fact {
        case .opened, .tls, .request, .response, .upgrade:
            heldBytes -= known.heldBytes
            known.note(event, needs)
            heldBytes += known.heldBytes
        case .closed: end(number)
        case _: break
        }
        return known
    }

    @inline(__always)
    private mutating func find(_ number: UInt64) -> KnownConversation {
        if let last, last.number == number { return last.known }
        return lookUp(number)
    }

    private mutating func lookUp(_ number: UInt64) -> KnownConversation {
        if let known = table[number] {
            last = (number, known)
            return known
        }
        let known = KnownConversation()
        table[number] = known
        heldBytes += known.heldBytes
        last = (number, known)
        return known
    }

    private mutating func end(_ number: UInt64) {
        closed.append(number)
        guard closed.count > 2 * Self.mostClosed else { return }
        for number in closed.prefix(Self.mostClosed) {
            if let known = table.removeValue(forKey: number) { heldBytes -= known.heldBytes }
        }
        closed.removeFirst(Self.mostClosed)
        last = nil
    }
}
