import Dissection

/// The conversations of a log that are open, in order of use, with what is needed to close them.
///
/// A log may have any number of conversations that never close, and each of them costs the outputs memory.
struct LoggedConversations {
    struct Conversation {
        fileprivate(set) var number: UInt64 = 0
        /// When its first record was, and its last.
        fileprivate(set) var firstAt: Timestamp?
        fileprivate(set) var last = Place()
        fileprivate(set) var client = SideTotals()
        fileprivate(set) var server = SideTotals()
        /// Its `opened` was there: what comes after an end, such as a finding, opens nothing.
        fileprivate var isOpened = false
        /// Neighbours in order of use.
        fileprivate var older = LoggedConversations.none
        fileprivate var newer = LoggedConversations.none

        /// How it ends where its log does not say so, with what its records amount to.
        func closing(_ how: Closing.Manner) -> Closing {
            var duration: Int64?
            if let firstAt, let last = last.time { duration = last.nanoseconds(since: firstAt) }
            return Closing(by: .unknown, how: how, duration: duration, client: client, server: server)
        }
    }

    private static let none: Int32 = -1

    private var slots = ChunkedArray<Conversation>()
    private var free: [Int32] = []
    private var places: [UInt64: Int32] = [:]
    private var oldest = LoggedConversations.none
    private var newest = LoggedConversations.none

    /// How many are open.
    var count: Int { places.count }

    /// Bytes of memory. Places of conversations that have closed are used again, and count.
    var heldBytes: Int {
        slots.count * (MemoryLayout<Conversation>.stride + MemoryLayout<Int32>.stride)
            + places.capacity * (MemoryLayout<UInt64>.size + MemoryLayout<Int32>.size)
    }

    /// Takes note of a record, whose conversation is now the last that was used.
    ///
    /// - Returns: whether the conversation was not open before.
    mutating func note(_ fact: Fact, of number: UInt64, from side: Side?, _ place: Place, offset: UInt64?) -> Bool {
        let known = places[number]
        let index = known ?? begin(number, place)
        unlink(index)
        link(index)
        slots[Int(index)].last = place
        if case .opened = fact { slots[Int(index)].isOpened = true }
        if let side { slots[Int(index)].count(fact, from: side, offset: offset) }
        return known == nil
    }

    /// Forgets a conversation that has closed.
    mutating func remove(_ number: UInt64) {
        guard let index = places.removeValue(forKey: number) else { return }
        unlink(index)
        free.append(index)
    }

    /// Takes out the one that was not used for longest; nil where there is none but the one in use.
    mutating func takeOldest() -> Conversation? {
        guard oldest != newest else { return nil }
        let conversation = slots[Int(oldest)]
        remove(conversation.number)
        return conversation
    }

    /// Takes out those above a number, which are the last in use. Returns those that were opened, in the order of their numbers.
    mutating func takeAll(above base: UInt64) -> [Conversation] {
        var taken: [Conversation] = []
        while newest != Self.none, slots[Int(newest)].number > base {
            if slots[Int(newest)].isOpened { taken.append(slots[Int(newest)]) }
            remove(slots[Int(newest)].number)
        }
        return taken.sorted { $0.number < $1.number }
    }

    private mutating func begin(_ number: UInt64, _ place: Place) -> Int32 {
        var conversation = Conversation()
        conversation.number = number
        conversation.firstAt = place.time
        let index = free.popLast() ?? Int32(truncatingIfNeeded: slots.count)
        if Int(index) == slots.count { slots.append(conversation) } else { slots[Int(index)] = conversation }
        places[number] = index
        link(index)
        return index
    }

    private mutating func link(_ index: Int32) {
        slots[Int(index)].older = newest
        slots[Int(index)].newer = Self.none
        if newest != Self.none { slots[Int(newest)].newer = index } else { oldest = index }
        newest = index
    }

    private mutating func unlink(_ index: Int32) {
        let (older, newer) = (slots[Int(index)].older, slots[Int(index)].newer)
        if older != Self.none { slots[Int(older)].newer = newer } else { oldest = newer }
        if newer != Self.none { slots[Int(newer)].older = older } else { newest = older }
    }
}

extension LoggedConversations.Conversation {
    /// Adds what a record says that a side sent. Bytes are counted up to the last element whose place and length on the wire are known.
    fileprivate mutating func count(_ fact: Fact, from side: Side, offset: UInt64?) {
        var totals = side == .client ? client : server
        var length: UInt64 = 0
        switch fact {
        case .message(let message):
            totals.messages &+= 1
            totals.frames &+= UInt64(message.fragments)
            length = message.wireLength
        case .ping, .pong, .close: totals.frames &+= 1
        case .body(let part):
            if part.element == .message { totals.messages &+= 1 }
            length = part.wireLength
        case .data(let run):
            if run.isAfterClose { return }
            length = run.length
        case .gap(let gap):
            length = gap.length
            if gap.cause == .missing { totals.missing = totals.missing.clampedSum(gap.length) }
        case .opened, .tls, .request, .response, .upgrade, .frame, .control, .finding, .closed: break
        }
        if let offset { totals.bytes = max(totals.bytes, offset.clampedSum(length)) }
        if side == .client { client = totals } else { server = totals }
    }
}
