/// Payload that came for conversations after they had closed: counted by the place of the remnant in the table, until that
/// is taken by another conversation or the input ends, and then told once a conversation.
struct LateData {
    /// What came for one conversation.
    struct Account {
        let conversation: UInt64
        /// Not counting what was sent again.
        var bytes: UInt64 = 0
        var packets: UInt64 = 0
        var place: Place
        /// Behind the last byte of each endpoint so far.
        fileprivate var lowerEnd: SequenceNumber?
        fileprivate var higherEnd: SequenceNumber?
    }

    /// Conversations at once; there are few, so then all are told.
    private static let most = 1_024

    private var accounts: [Int32: Account] = [:]

    var isEmpty: Bool { accounts.isEmpty }
    var isFull: Bool { accounts.count >= Self.most }

    /// Counts the payload of a segment for the remnant at `index`.
    mutating func note(_ header: borrowing SegmentHeader, at index: Int32, of remnant: FlowTable.Remnant, sourceIsLower: Bool) {
        let (length, place) = (header.payloadLength, header.place)
        var account =
            accounts[index]
            ?? Account(conversation: remnant.conversation, place: place, lowerEnd: remnant.lowerEnd, higherEnd: remnant.higherEnd)
        let end = SequenceNumber(header.sequence).advanced(by: length)
        var new = length
        if let known = sourceIsLower ? account.lowerEnd : account.higherEnd { new = min(length, end.distance(from: known)) }
        guard new > 0 else { return }
        if sourceIsLower { account.lowerEnd = end } else { account.higherEnd = end }
        account.bytes &+= UInt64(new)
        account.packets &+= 1
        account.place.extend(by: place)
        accounts[index] = account
    }

    /// Takes out the account of a place.
    mutating func take(at index: Int32) -> Account? { accounts.removeValue(forKey: index) }

    /// Takes out all accounts, in order of their conversations.
    mutating func takeAll() -> [Account] {
        defer { accounts = [:] }
        return accounts.values.sorted { $0.conversation < $1.conversation }
    }
}
