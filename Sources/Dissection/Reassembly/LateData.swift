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
        /// The stream of each endpoint so far.
        fileprivate var lower: FlowTable.Remnant.Stream
        fileprivate var higher: FlowTable.Remnant.Stream
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
            accounts[index] ?? Account(conversation: remnant.conversation, place: place, lower: remnant.lower, higher: remnant.higher)
        let new =
            sourceIsLower
            ? account.lower.take(length, at: SequenceNumber(header.sequence))
            : account.higher.take(length, at: SequenceNumber(header.sequence))
        guard new > 0 else { return }
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

extension FlowTable.Remnant.Stream {
    /// Takes a segment: how many of its bytes lie behind the end, or in the last gap.
    fileprivate mutating func take(_ length: Int, at sequence: SequenceNumber) -> Int {
        let last = sequence.advanced(by: length)
        guard let known = end else {
            end = last
            return length
        }
        let beyond = min(length, last.distance(from: known))
        if beyond > 0 { end = last }
        let from = max(0, sequence.distance(from: gapStart))
        let to = min(Int(gapLength), last.distance(from: gapStart))
        guard from < to else { return max(0, beyond) }
        // One piece of the gap is kept: what comes next of it most likely follows.
        if from == 0 || to < Int(gapLength) {
            gapStart = gapStart.advanced(by: to)
            gapLength -= UInt32(to)
        } else {
            gapLength = UInt32(from)
        }
        return max(0, beyond) + to - from
    }
}
