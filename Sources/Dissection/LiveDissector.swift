/// The shared dissector over live conversations: what sockets brought in, conversation events out.
///
/// ```
/// socket ─ StreamEvent ─ Conversation ─ ConversationEvent ─▶ sink
/// ```
///
/// It takes the place of `Dissector` where there are no packets, and tells the same of the same bytes at the same times. A
/// pure value as well: it opens nothing, reads no clock, starts no thread.
///
/// A conversation has a place, by which its source names it, from `begin` until both of its sides have ended, one was
/// reset, or `close` was called. When memory runs out it is the dissection that is given up; the place stays.
package struct LiveDissector: ~Copyable {
    /// One conversation; a class, so that finding it copies nothing.
    private final class Entry {
        var conversation: Conversation
        var countedBytes = 0

        init(_ conversation: Conversation) { self.conversation = conversation }

        /// Bytes that it takes before it holds anything, its place in the heap included.
        static var ownBytes: Int { MemoryLayout<Conversation>.size + 64 }
    }

    private struct Slot {
        /// None where the dissection was given up, and in a free place.
        var entry: Entry?
        var isTaken = true
        var clientHasEnded = false
        var serverHasEnded = false
    }

    let limits: Limits
    private let rules: [DecodeRule]
    private let layers: LayerTable
    private var slots: [Slot] = []
    private var free: [Int32] = []
    private var order = UseOrder()
    /// How long conversations lasted that ended sharply.
    private var lives = LifeSpans()
    /// What sessions of Engine.IO have announced.
    private var engineIOSessions = EngineIOSessions()
    /// Conversations that are being dissected.
    package private(set) var openCount = 0
    /// Bytes that the open conversations take, with their buffers; at most `Limits.totalBytes` after each event.
    package private(set) var heldBytes = 0
    /// Bytes of `Limits.totalBytes` that the source takes itself for its conversations.
    package var reservedBytes = 0
    /// What came so far; `bytes` are those of the streams, and `packets` stays 0.
    package private(set) var totals = Totals()

    /// - Parameters:
    ///   - payloadDemand: bytes of one payload that the sinks show at most; what nobody shows is not kept, whatever the limits allow.
    ///   - layers: what may be spoken.
    ///   - rules: what to take conversations for, by port, instead of recognising them.
    package init(limits: Limits = Limits(), payloadDemand: Int = .max, layers: LayerTable = .standard, decodeAs rules: [DecodeRule] = []) {
        self.limits = limits.meeting(payloadDemand)
        self.rules = rules
        self.layers = layers
    }

    /// Begins the next conversation, and gives its place.
    ///
    /// - Parameters:
    ///   - number: greater than all before.
    ///   - content: what the names of `opening` point to.
    package mutating func begin<Sink: ConversationSink & ~Copyable>(
        _ opening: Opening, content: RawSpan, number: UInt64, at time: Timestamp, sink: inout Sink
    ) -> Int32 {
        if openCount >= limits.conversations, order.oldest != UseOrder.none { evict(at: order.oldest, sink: &sink) }
        totals.conversations &+= 1
        let ports = (opening.client.port, opening.server.port)
        let entry = Entry(
            Conversation(
                number: number, first: opening.client, second: opening.server, sideOfFirst: .client, start: opening.start,
                forced: rules.rule(for: ports.0, ports.1), layers: layers, limits: limits, place: Place(time: time)))
        entry.conversation.open(as: opening, content: content, sink: &sink)
        let index = free.popLast() ?? Int32(truncatingIfNeeded: slots.count)
        if Int(index) == slots.count { slots.append(Slot(entry: entry)) } else { slots[Int(index)] = Slot(entry: entry) }
        order.insert(index)
        openCount += 1
        heldBytes += Entry.ownBytes
        if isOverLimit(sink) { giveUp(sink: &sink) }
        return index
    }

    /// Takes what one side brought. Returns whether the conversation goes on; its place is free when it does not.
    package mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ event: borrowing StreamEvent, from side: Side, at index: Int32, _ time: Timestamp, sink: inout Sink
    ) -> Bool {
        switch event {
        case .bytes(let bytes): totals.bytes &+= UInt64(bytes.byteCount)
        case .gap, .found, .secured, .aside: break
        case .finished: noteEnd(of: side, at: index)
        case .reset:
            noteEnd(of: side, at: index)
            noteEnd(of: side.peer, at: index)
        }
        if let entry = slots[Int(index)].entry {
            order.touch(index)
            entry.conversation.receive(event, direction: side == .client ? .first : .second, place: Place(time: time), sink: &sink)
            if let shown = entry.conversation.context.engineIOSession { engineIOSessions.take(shown, &entry.conversation.context) }
            recount(entry)
        }
        if slots[Int(index)].clientHasEnded, slots[Int(index)].serverHasEnded {
            close(index, .fin, by: .unknown, sink: &sink)
            return false
        }
        if isOverLimit(sink) { giveUp(sink: &sink) }
        return true
    }

    /// Tells a finding of the source itself that is about no conversation.
    package mutating func tell<Sink: ConversationSink & ~Copyable>(
        _ finding: Finding, content: RawSpan, at time: Timestamp, sink: inout Sink
    ) {
        totals.findings &+= 1
        sink.receive(
            ConversationEvent(
                conversation: 0, from: nil, place: Place(time: time), offset: nil, fact: .finding(finding), content: content))
    }

    /// Ends a conversation that its source has ended, and frees its place.
    ///
    /// - Parameter ends: how the sides had left by then, where that was no end of what they had to say.
    package mutating func close<Sink: ConversationSink & ~Copyable>(
        _ how: Closing.Manner, by closer: Closing.Closer, ends: Closing.Ends = Closing.Ends(), at index: Int32, _ time: Timestamp,
        sink: inout Sink
    ) {
        slots[Int(index)].entry?.conversation.close(how, by: closer, ends: ends, at: time, among: &lives, sink: &sink)
        close(index, how, by: closer, sink: &sink)
    }

    /// Closes what is open, in order of their numbers, because the source is shut down.
    package mutating func finish<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        let open = slots.indices.compactMap { index in slots[index].entry.map { (number: $0.conversation.context.number, index: index) } }
        for (_, index) in open.sorted(by: { $0.number < $1.number }) {
            close(Int32(truncatingIfNeeded: index), .shutdown, by: .proxy, sink: &sink)
        }
    }

    private mutating func noteEnd(of side: Side, at index: Int32) {
        if side == .client { slots[Int(index)].clientHasEnded = true } else { slots[Int(index)].serverHasEnded = true }
    }

    private mutating func close<Sink: ConversationSink & ~Copyable>(
        _ index: Int32, _ how: Closing.Manner, by closer: Closing.Closer, sink: inout Sink
    ) {
        guard slots[Int(index)].isTaken else { return }
        endDissection(at: index, how, by: closer, sink: &sink)
        slots[Int(index)].isTaken = false
        free.append(index)
    }

    private mutating func endDissection<Sink: ConversationSink & ~Copyable>(
        at index: Int32, _ how: Closing.Manner, by closer: Closing.Closer, sink: inout Sink
    ) {
        guard let entry = slots[Int(index)].entry else { return }
        entry.conversation.close(how, by: closer, among: &lives, sink: &sink)
        let context = entry.conversation.context
        totals.messages &+= context.client.messages &+ context.server.messages
        totals.findings &+= context.findings
        heldBytes -= entry.countedBytes + Entry.ownBytes
        slots[Int(index)].entry = nil
        order.remove(index)
        openCount -= 1
    }

    @inline(__always)
    private mutating func recount(_ entry: Entry) {
        let held = entry.conversation.heldBytes
        heldBytes += held - entry.countedBytes
        entry.countedBytes = held
    }
}

extension LiveDissector: SharedMemory {
    /// What names the conversations, here and where they come from, and what they take there.
    var overheadBytes: Int { slots.count * 64 + lives.heldBytes + engineIOSessions.heldBytes + reservedBytes }

    func isWorthEvicting(at index: Int32) -> Bool { true }

    var leastRecentlyUsed: Int32 { order.oldest }

    func usedAfter(_ index: Int32) -> Int32 { order.newer(index) }

    func countedBytes(at index: Int32) -> Int { slots[Int(index)].entry?.countedBytes ?? 0 }

    mutating func cutAssembly<Sink: ConversationSink & ~Copyable>(at index: Int32, sink: inout Sink) -> Bool {
        guard let entry = slots[Int(index)].entry, entry.conversation.cutAssembly(sink: &sink) else { return false }
        recount(entry)
        return true
    }

    mutating func dropWindows(at index: Int32) {
        guard let entry = slots[Int(index)].entry else { return }
        entry.conversation.dropWindows()
        recount(entry)
    }

    mutating func evict<Sink: ConversationSink & ~Copyable>(at index: Int32, sink: inout Sink) {
        endDissection(at: index, .evicted, by: .unknown, sink: &sink)
    }
}
