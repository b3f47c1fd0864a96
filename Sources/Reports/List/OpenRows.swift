import Dissection

/// The rows of the conversations that are open, of a list and of a session file.
struct OpenRows {
    private var rows = ConversationSlots(vacant: ListRow(0))
    private var rowBytes = 0

    /// Bytes of memory that they take.
    var heldBytes: Int { rowBytes + rows.heldBytes }

    /// The conversations that are open, in order.
    var numbers: [UInt64] { rows.all.sorted() }

    /// The row of a conversation; nil where it has none.
    subscript(number: UInt64) -> ListRow? {
        mutating get { rows.slot(of: number).map { rows[$0] } }
    }

    /// What is spoken in a conversation; nil where it has no row.
    mutating func spoken(in number: UInt64) -> [UInt8]? { rows.slot(of: number).map { rows[$0].spoken } }

    /// Begins the row of a conversation, which has none before.
    mutating func begin(_ number: UInt64) {
        remove(number)
        guard let slot = rows.slotAdding(number) else { return }
        rows[slot] = ListRow(number)
        rowBytes += rows[slot].heldBytes
    }

    /// Takes what an event says into the row of its conversation. Returns false where there is none.
    @discardableResult
    mutating func take(_ event: borrowing ConversationEvent) -> Bool {
        guard let slot = rows.slot(of: event.conversation) else { return false }
        rowBytes -= rows[slot].heldBytes
        rows[slot].take(event)
        rowBytes += rows[slot].heldBytes
        return true
    }

    /// A conversation is over. Returns its row.
    @discardableResult
    mutating func remove(_ number: UInt64) -> ListRow? {
        guard let row = rows.remove(number) else { return nil }
        rowBytes -= row.heldBytes
        return row
    }
}
