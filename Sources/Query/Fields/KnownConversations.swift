import Dissection
import Reports

/// What is known of the conversations that are open, and of the last ones that were closed: a finding may come after the end.
struct KnownConversations {
    private var table = ByConversation<KnownConversation?>(vacant: nil)
    private var closed: [UInt64] = []
    private var bytesOfConversations = 0
    private var last = LastAnswers()

    /// Conversations that are remembered after their end.
    private static let mostClosed = 256

    var heldBytes: Int { bytesOfConversations + table.heldBytes + last.heldBytes }

    /// Whether events of a kind say something of the events after them.
    @inline(__always)
    static func learns(from kind: FactKind) -> Bool {
        switch kind {
        case .opened, .tls, .request, .response, .upgrade, .closed: true
        case .body, .frame, .message, .ping, .pong, .close, .control, .data, .gap, .finding: false
        }
    }

    /// Takes what an event says of the events after it.
    mutating func take(_ event: borrowing ConversationEvent, _ needs: ConversationNeeds) {
        if event.kind == .closed { end(event.conversation) } else { note(event, needs) }
    }

    /// What is known of a conversation; nil for events about the input itself.
    @inline(__always)
    mutating func find(_ number: UInt64) -> KnownConversation? {
        guard let place = table.place(of: number) else { return nil }
        return table[place]
    }

    /// What was answered about a conversation; nil where it has to be asked.
    @inline(__always)
    func answer(about number: UInt64, _ asker: KnownAnswers.Asker, _ slot: Int) -> Bool? { last.answer(about: number, asker, slot) }

    /// Keeps the answers about a conversation where they are found soonest.
    mutating func remember(_ answers: KnownAnswers, about number: UInt64) { last.take(answers, about: number) }

    private mutating func note(_ event: borrowing ConversationEvent, _ needs: ConversationNeeds) {
        guard let place = table.placeAdding(event.conversation) else { return }
        last.forget(event.conversation)
        let known: KnownConversation
        if let there = table[place] {
            known = there
            bytesOfConversations -= known.heldBytes
        } else {
            known = KnownConversation()
            table[place] = known
        }
        known.note(event, needs)
        bytesOfConversations += known.heldBytes
    }

    private mutating func end(_ number: UInt64) {
        guard number != 0 else { return }
        closed.append(number)
        guard closed.count > 2 * Self.mostClosed else { return }
        for number in closed.prefix(Self.mostClosed) {
            last.forget(number)
            if let known = table.remove(number) ?? nil { bytesOfConversations -= known.heldBytes }
        }
        closed.removeFirst(Self.mostClosed)
    }
}
