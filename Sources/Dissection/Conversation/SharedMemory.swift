/// Conversations that share `Limits.totalBytes`, each at a place of a table, least recently used first.
///
/// What happens when they hold too much is told here once, for conversations out of packets and for live ones.
protocol SharedMemory: ~Copyable {
    var limits: Limits { get }
    /// Bytes of buffers over all open conversations.
    var heldBytes: Int { get }
    var openCount: Int { get }
    /// The place of the conversation that was not used for longest; `UseOrder.none` where none is open.
    var leastRecentlyUsed: Int32 { get }
    /// The place that was used next after `index`.
    func usedAfter(_ index: Int32) -> Int32
    /// Bytes that a conversation was last counted with; 0 where there is none.
    func countedBytes(at index: Int32) -> Int
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

    /// Gets back under the limit: delivered bytes that are kept to compare with go first, those of the least recently used
    /// connections before others; where that frees little, the largest assembly is cut; where that frees little, the least recently used
    /// conversations lose the windows of their inflaters, and then are given up altogether, until an eighth is free. Each
    /// search therefore pays for many bytes that have to arrive before the next.
    mutating func giveUp<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        let enough = limits.totalBytes - limits.totalBytes / 8
        var index = leastRecentlyUsed
        while heldBytes > enough, index != UseOrder.none {
            if countedBytes(at: index) > 0 { dropHistory(at: index) }
            index = usedAfter(index)
        }
        guard heldBytes > enough else { return }
        var largest = UseOrder.none
        index = leastRecentlyUsed
        while index != UseOrder.none {
            if countedBytes(at: index) > (largest == UseOrder.none ? 0 : countedBytes(at: largest)) { largest = index }
            index = usedAfter(index)
        }
        if largest != UseOrder.none, countedBytes(at: largest) >= limits.totalBytes / 64 { _ = cutAssembly(at: largest, sink: &sink) }
        index = leastRecentlyUsed
        while heldBytes > enough, index != UseOrder.none {
            if countedBytes(at: index) > 0 { dropWindows(at: index) }
            index = usedAfter(index)
        }
        while heldBytes > enough, openCount > 1 { evict(at: leastRecentlyUsed, sink: &sink) }
    }
}
