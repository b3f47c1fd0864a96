import Dissection

/// Lines or records of open conversations of which it is not known yet whether they are shown: the last few messages before a hit, or all of a
/// conversation. Bounded for each conversation and over all; what came first goes first.
struct KeptOutput {
    /// What one event was made into.
    struct Unit {
        fileprivate(set) var bytes: [UInt8]
        private(set) var lines: UInt64
        /// The event, so that all its lines stay together.
        let event: UInt64
        /// Messages in it, for the totals.
        private(set) var messages: UInt64
        /// It counts as one of the messages before a hit.
        private(set) var counts: Bool

        init(_ bytes: [UInt8], lines: UInt64, of event: UInt64, messages: UInt64, counts: Bool) {
            (self.bytes, self.lines, self.event, self.messages, self.counts) = (bytes, lines, event, messages, counts)
        }

        fileprivate var heldBytes: Int { bytes.count + MemoryLayout<Unit>.stride }

        fileprivate mutating func add(_ other: Unit) {
            bytes += other.bytes
            lines &+= other.lines
            messages &+= other.messages
            counts = counts || other.counts
        }
    }

    private struct Conversation {
        /// The line that it opened, which goes before whatever is shown.
        var opening: Unit?
        private(set) var units: [Unit] = []
        /// Where the first unit is that is still there.
        private var first = 0
        private(set) var counted = 0
        private(set) var unitBytes = 0
        /// Its turn among those that are kept.
        let turn: UInt64

        init(turn: UInt64) { self.turn = turn }

        var kept: ArraySlice<Unit> { units[first...] }

        var heldBytes: Int { MemoryLayout<Conversation>.stride * 2 + unitBytes + (opening?.heldBytes ?? 0) }

        mutating func add(_ unit: Unit) {
            unitBytes += unit.heldBytes
            if unit.counts { counted += 1 }
            guard first < units.count, units[units.count - 1].event == unit.event else { return units.append(unit) }
            if unit.counts, units[units.count - 1].counts { counted -= 1 }
            units[units.count - 1].add(unit)
        }

        /// - Returns: How many lines that were; nil where there is nothing.
        mutating func dropFirst() -> UInt64? {
            guard first < units.count else { return nil }
            let unit = units[first]
            units[first].bytes = []
            first += 1
            unitBytes -= unit.heldBytes
            if unit.counts { counted -= 1 }
            if first > 64, first > units.count / 2 {
                units.removeFirst(first)
                first = 0
            }
            return unit.lines
        }
    }

    /// Counted messages of a conversation that are kept; `Int.max` for all.
    private let most: Int
    private let conversationBytes: Int
    private let totalBytes: Int
    private var conversations: [UInt64: Conversation] = [:]
    /// Conversations in the order in which they began to be kept, from `next` on; those that were given up since have another turn, or none.
    private var order: [(number: UInt64, turn: UInt64)] = []
    private var next = 0
    private var turns: UInt64 = 0
    /// Bytes of what is kept.
    private var keptBytes = 0
    /// Lines that went because there was no room for them.
    private var lost: [UInt64: UInt64] = [:]

    /// Nothing is kept, and nothing was lost.
    var isEmpty: Bool { conversations.isEmpty && lost.isEmpty }

    /// Bytes of memory that it takes.
    var heldBytes: Int { keptBytes + order.capacity * 16 + lost.capacity * 16 }

    init(messages most: Int, conversationBytes: Int, totalBytes: Int) {
        self.most = most
        self.conversationBytes = conversationBytes
        self.totalBytes = totalBytes
    }

    /// Keeps a line that goes before whatever is shown of its conversation.
    mutating func keepOpening(_ unit: Unit, of number: UInt64) {
        change(number) { $0.opening = unit }
        makeRoom()
    }

    /// Keeps a line or record; lines of the same event stay together.
    ///
    /// - Returns: Whether something of the conversation went for it.
    mutating func keep(_ unit: Unit, of number: UInt64) -> Bool {
        var (hasDropped, missed) = (false, UInt64(0))
        let (most, conversationBytes) = (most, conversationBytes)
        change(number) { conversation in
            conversation.add(unit)
            while conversation.counted > most || conversation.unitBytes > conversationBytes {
                // What is beyond the number of messages is not missed; what is beyond the memory is.
                let isMissed = conversation.counted <= most
                guard let lines = conversation.dropFirst() else { break }
                hasDropped = true
                if isMissed { missed &+= lines }
            }
        }
        if missed > 0 { lost[number, default: 0] &+= missed }
        makeRoom()
        return hasDropped
    }

    /// Gives up what is kept of a conversation, to be shown.
    mutating func take(_ number: UInt64) -> (units: [Unit], lost: UInt64) {
        let lost = lost.isEmpty ? 0 : lost.removeValue(forKey: number) ?? 0
        guard let conversation = forget(number) else { return ([], lost) }
        return ((conversation.opening.map { [$0] } ?? []) + conversation.kept, lost)
    }

    /// Drops what is kept of a conversation.
    mutating func drop(_ number: UInt64) {
        if isEmpty { return }
        if !lost.isEmpty { lost[number] = nil }
        _ = forget(number)
    }

    /// Drops what is kept of all conversations. Returns how many lines that were.
    mutating func takeAll() -> UInt64 {
        var lines: UInt64 = 0
        for number in Array(conversations.keys) { lines = (forget(number)?.kept ?? []).reduce(lines) { $0 &+ $1.lines } }
        (order, next, lost) = ([], 0, [:])
        return lines
    }

    private mutating func change(_ number: UInt64, _ body: (inout Conversation) -> Void) {
        var conversation: Conversation
        if let known = forget(number) {
            conversation = known
        } else {
            turns &+= 1
            conversation = Conversation(turn: turns)
            order.append((number, turns))
            tidyOrder()
        }
        body(&conversation)
        keptBytes += conversation.heldBytes
        conversations[number] = conversation
    }

    private mutating func forget(_ number: UInt64) -> Conversation? {
        guard let conversation = conversations.removeValue(forKey: number) else { return nil }
        keptBytes -= conversation.heldBytes
        return conversation
    }

    /// Drops what has been kept for longest until all of it fits.
    private mutating func makeRoom() {
        while keptBytes > totalBytes, next < order.count {
            let oldest = order[next]
            next += 1
            guard conversations[oldest.number]?.turn == oldest.turn, let given = forget(oldest.number) else { continue }
            let lines = given.kept.reduce(0) { $0 &+ $1.lines }
            // That something is missing has to be said when the conversation is shown after all.
            if lines > 0 { lost[oldest.number, default: 0] &+= lines }
        }
        tidyOrder()
    }

    /// Forgets the places of those that are not kept any more, now and then.
    private mutating func tidyOrder() {
        guard order.count > 64, order.count > 2 * conversations.count || next > order.count / 2 else { return }
        let live = conversations
        order = order[next...].filter { live[$0.number]?.turn == $0.turn }
        next = 0
    }
}
