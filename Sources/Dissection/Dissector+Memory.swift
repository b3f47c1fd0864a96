// What of a dissector over packets can be given up to stay within `Limits.totalBytes`.
extension Dissector: SharedMemory {
    package var overheadBytes: Int {
        flows.tableBytes + twins.heldBytes + clock.heldBytes + lives.heldBytes + engineIOSessions.heldBytes + decoder.fragmentBytes
            + reservedBytes
    }

    func isWorthEvicting(at index: Int32) -> Bool { flows.entries[Int(index)] != nil }

    var leastRecentlyUsed: Int32 { flows.oldest }

    func usedAfter(_ index: Int32) -> Int32 { flows.newer(index) }

    func countedBytes(at index: Int32) -> Int { flows.entries[Int(index)]?.flow.countedBytes ?? 0 }

    mutating func cutAssembly<Sink: ConversationSink & ~Copyable>(at index: Int32, sink: inout Sink) -> Bool {
        guard let entry = flows.entries[Int(index)], entry.flow.conversation.cutAssembly(sink: &sink) else { return false }
        heldBytes += entry.flow.countHeld()
        return true
    }

    mutating func dropWindows(at index: Int32) {
        guard let entry = flows.entries[Int(index)] else { return }
        entry.flow.conversation.dropWindows()
        heldBytes += entry.flow.countHeld()
    }

    mutating func dropHistory(at index: Int32) {
        guard let entry = flows.entries[Int(index)] else { return }
        entry.flow.dropHistory()
        heldBytes += entry.flow.countHeld()
    }

    mutating func evict<Sink: ConversationSink & ~Copyable>(at index: Int32, sink: inout Sink) {
        close(index, .evicted, sink: &sink)
    }
}
