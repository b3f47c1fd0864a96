/// Conversations that share `Limits.totalBytes`, each at a place of a table, least recently used first.
///
/// What happens when they hold too much is told here once, for conversations out of packets and for live ones.
protocol SharedMemory: ~Copyable {
    var limits: Limits { get }
    /// Bytes that the open conversations take, with their buffers.
    var heldBytes: Int { get }
    /// Bytes that giving up a conversation does not free: tables, and what else there is to be counted.
    var overheadBytes: Int { get }
    /// The place of the conversation that was not used for longest; `UseOrder.none` where none is open.
    var leastRecentlyUsed: Int32 { get }
    /// The place that was used next after `index`.
    func usedAfter(_ index: Int32) -> Int32
    /// Bytes of buffers that a conversation was last counted with; 0 where there is none.
    func countedBytes(at index: Int32) -> Int
    /// Whether giving up a conversation frees memory: a quiet one has only its place in a table.
    func isWorthEvicting(at index: Int32) -> Bool
    /// Cuts the largest element that a conversation is putting together, and counts it anew. False when there was none.
    mutating func cutAssembly<Sink: ConversationSink & ~Copyable>(at index: Int32, sink: inout Sink) -> Bool
    /// Gives up the windows of a conversation's inflaters, and counts it anew.
    mutating func dropWindows(at index: Int32)
    /// Gives up the delivered bytes that a connection keeps to compare what is sent again with, and counts it anew.
    mutating func dropHistory(at index: Int32)
    /// Gives a conversation up.
    mutating func evict<Sink: ConversationSink & ~Copyable>(at index: Int32, sink: inout Sink)
}

extension SharedMemory where Self: ~Copyable {
    /// A live conversation keeps no delivered bytes.
    mutating func dropHistory(at index: Int32) {}

    /// What the conversations may hold at least, whatever else takes memory: getting back under the limit never means to give up
    /// everything, again with each packet.
    private var leastRoom: Int { limits.totalBytes / 8 }

    /// What the conversations may hold together: the limit without what cannot be given up.
    private func roomForConversations<Sink: ConversationSink & ~Copyable>(_ sink: borrowing Sink) -> Int {
        max(leastRoom, limits.totalBytes - overheadBytes - sink.heldBytes)
    }

    /// Whether they hold more than that. Asked after every packet: what the sink holds is counted only where it can matter.
    func isOverLimit<Sink: ConversationSink & ~Copyable>(_ sink: borrowing Sink) -> Bool {
        heldBytes > leastRoom && heldBytes > roomForConversations(sink)
    }

    /// Gets back under the limit: delivered bytes that are kept to compare with go first, those of the least recently used
    /// connections before others; where that frees little, the largest assembly is cut; where that frees little, the least recently used
    /// conversations lose the windows of their inflaters, and then are given up altogether, until an eighth is free. Each
    /// search therefore pays for many bytes that have to arrive before the next.
    mutating func giveUp<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        let room = roomForConversations(sink)
        let enough = room - room / 8
        var largest = UseOrder.none
        // Bytes of buffers that a conversation does not have by itself.
        var large = 0
        var index = leastRecentlyUsed
        while heldBytes > enough, index != UseOrder.none {
            if countedBytes(at: index) > 0 { dropHistory(at: index) }
            index = usedAfter(index)
        }
        guard heldBytes > enough else { return }
        index = leastRecentlyUsed
        while index != UseOrder.none {
            let counted = countedBytes(at: index)
            if counted > (largest == UseOrder.none ? 0 : countedBytes(at: largest)) { largest = index }
            if counted > 4_096 { large += counted }
            index = usedAfter(index)
        }
        if largest != UseOrder.none, countedBytes(at: largest) >= limits.totalBytes / 64 { _ = cutAssembly(at: largest, sink: &sink) }
        // Where many small conversations are what fills the memory, those that are large and in use do not pay for them.
        if large >= heldBytes / 2 {
            index = leastRecentlyUsed
            while heldBytes > enough, index != UseOrder.none {
                if countedBytes(at: index) > 0 { dropWindows(at: index) }
                index = usedAfter(index)
            }
        }
        index = leastRecentlyUsed
        while heldBytes > enough, index != UseOrder.none {
            let next = usedAfter(index)
            // The one in use, which is the last, stays.
            if next != UseOrder.none, isWorthEvicting(at: index) { evict(at: index, sink: &sink) }
            index = next
        }
    }
}
