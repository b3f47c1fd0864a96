import CPrefetch

/// Finds the connection of a segment: open addressing over an array of connections, least recently used first.
///
/// ```
/// buckets   [ · | 3 | · | 0 | 2 | · … ]    slot and hash of its key, linear probing, at most half full
/// slots     [ A | B | C | D | … ]          key, connection, and apart the neighbours in order of use
/// ```
///
/// A connection is quiet first: it stands in its slot. When it speaks it gets an entry, which is many times as large.
///
/// A connection that has closed leaves a remnant for a while, so that late acknowledgements and retransmissions do not
/// look like a new one.
struct FlowTable: ~Copyable {
    /// One connection; a class, so that finding it copies nothing.
    final class Entry {
        /// Only the dissector reaches it, which is never entered twice at once: its own calls are exclusive, and neither a flow nor a sink
        /// has a way back to it. So nothing has to check at run time that an access is the only one, which cost more than the look-up.
        @exclusivity(unchecked) private var state: Flow
        var flow: Flow {
            @inline(__always)
            _read { yield unsafe state }
            @inline(__always)
            _modify { yield unsafe &state }
        }
        /// Bytes of an entry in memory, the head of its object included.
        static var bytes: Int { MemoryLayout<Flow>.size + 32 }

        /// The lower endpoint of the key sent the first packet.
        let firstIsLower: Bool
        /// The scope of the other direction, where that is another one.
        var answerScope: UInt32?

        init(flow: consuming Flow, firstIsLower: Bool) {
            unsafe state = flow
            self.firstIsLower = firstIsLower
        }

        /// Takes a segment without SYN if nothing about the connection is in doubt; otherwise nothing, and nil.
        @inline(__always)
        func receiveInOrder<Sink: ConversationSink & ~Copyable>(
            _ header: borrowing SegmentHeader, payload: RawSpan, sourceIsLower: Bool, sink: inout Sink
        ) -> Flow.Aftermath? {
            Self.receiveInOrder(
                header, payload: payload, direction: sourceIsLower == firstIsLower ? .first : .second, by: &flow, sink: &sink)
        }

        @inline(__always)
        private static func receiveInOrder<Sink: ConversationSink & ~Copyable>(
            _ header: borrowing SegmentHeader, payload: RawSpan, direction: Direction, by flow: inout Flow, sink: inout Sink
        ) -> Flow.Aftermath? {
            guard flow.doubts.isEmpty else { return nil }
            return flow.receive(header, payload: payload, direction: direction, sink: &sink)
        }
    }

    /// Of a connection that has closed: when, and what is kept of the stream of each endpoint.
    struct Remnant {
        struct Stream {
            /// The number of its SYN, if it is known.
            var initial: SequenceNumber?
            /// Behind its last byte, if anything of it was seen.
            var end: SequenceNumber?
            /// The last bytes that were told as missing; `gapLength` is 0 without any.
            var gapStart = SequenceNumber(0)
            var gapLength: UInt32 = 0
        }

        var closedAt: Timestamp?
        var lower: Stream
        var higher: Stream
        /// Its SYN came again since.
        var isAskedAgain = false
        /// The number of its conversation.
        var conversation: UInt64
    }

    struct Slot {
        /// What a slot is taken by, as long as it is not an `Entry`.
        enum State {
            case none
            case quiet(QuietConnection)
            case remnant(Remnant)
        }

        var key: FlowKey
        /// Counts the closings of this slot, so that an old place in the ring of remnants is known as such.
        var closings: UInt32 = 0
        var state = State.none

        /// The connection, where nothing that is to be told of has come of it.
        var quiet: QuietConnection? {
            @inline(__always) get { if case .quiet(let connection) = state { connection } else { nil } }
        }

        var isQuiet: Bool {
            @inline(__always) get { if case .quiet = state { true } else { false } }
        }
    }

    /// No slot.
    static let none: Int32 = UseOrder.none
    /// Remnants that are kept: 4,096, or as many as take an eighth of the memory.
    private let remnantLimit: Int

    /// A place where a connection is looked for. It has the hash of its key beside it, so that passing over another one does not wait for
    /// the memory of its slot.
    private struct Bucket {
        var slot = FlowTable.none
        /// The lower half of the key's hash.
        var hash: UInt32 = 0

        /// The bucket in which its search begins.
        @inline(__always)
        func home(_ mask: Int) -> Int { Int(truncatingIfNeeded: hash) & mask }
    }

    private let seed: UInt64
    private var buckets: [Bucket]
    private var mask: Int
    private(set) var slots = ChunkedArray<Slot>()
    /// Open connections.
    private var order = UseOrder()
    /// The connection of each slot; none for a quiet one, for the remnant of a closed one, and for a free slot. Apart from
    /// the slots, so that looking at one counts no references.
    private(set) var entries: [Entry?] = []
    private var free: [Int32] = []
    private var used = 0
    private(set) var openCount = 0
    /// Remnants, oldest first: a ring.
    private var remnants: [(slot: Int32, closing: UInt32)] = []
    private var remnantHead = 0

    init(seed: UInt64, limits: Limits) {
        self.seed = seed
        remnantLimit = max(16, min(4_096, limits.totalBytes / 8 / FlowTable.bytesPerSlot))
        buckets = Array(repeating: Bucket(), count: 1_024)
        mask = 1_023
    }

    /// What a connection takes in this table, whether it has an entry or not: its slot, its place among the entries and in the
    /// order of use, and four buckets where they have just been doubled. The slot is used again when it has closed, and its
    /// memory is not given back.
    static var bytesPerSlot: Int {
        MemoryLayout<Slot>.stride + MemoryLayout<Entry?>.stride + 2 * MemoryLayout<Int32>.stride + 4 * MemoryLayout<Bucket>.stride
    }

    /// Bytes that the table takes.
    var tableBytes: Int { slots.count * FlowTable.bytesPerSlot }

    @inline(__always)
    func hash(of key: FlowKey) -> UInt64 { key.hash(seed: seed) }

    /// The connection that was not used for longest.
    var oldest: Int32 { order.oldest }

    /// The connection that was used next after that of `index`.
    func newer(_ index: Int32) -> Int32 { order.newer(index) }

    /// The slot of a key.
    ///
    /// Buckets are told by the lower half of the hash, which is enough for as many as fit in memory.
    @inline(__always)
    func find(_ key: FlowKey, hash: UInt64) -> Int32 {
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while true {
            let index = buckets[bucket].slot
            if index == FlowTable.none { return FlowTable.none }
            if buckets[bucket].hash == UInt32(truncatingIfNeeded: hash), slots[Int(index)].key == key { return index }
            bucket = (bucket + 1) & mask
        }
    }

    /// Asks for the memory that a segment of this connection is read with. A capture goes from one connection to the next, and what was
    /// kept of this one has mostly left the cache since its last segment: its parts come all at once so, not one after the other.
    ///
    /// By the address of the entry alone: to take hold of the entry itself would wait for it.
    @inline(__always)
    func prefetch(_ index: Int32) {
        unsafe entries.withUnsafeBytes { entries in
            let address = unsafe entries.load(fromByteOffset: Int(index) * MemoryLayout<Entry?>.stride, as: UnsafeRawPointer?.self)
            if let address = unsafe address { unsafe unmask_prefetch(address, Entry.bytes) }
        }
    }

    /// Makes the connection of a slot the most recently used one.
    @inline(__always)
    mutating func touch(_ index: Int32) { order.touch(index) }

    /// Whether a slot has a connection that has not closed.
    @inline(__always)
    func isOpen(_ index: Int32) -> Bool { entries[Int(index)] != nil || slots[Int(index)].isQuiet }

    /// Adds an open connection, which is quiet or has an entry, under a key that the table does not have.
    mutating func insert(_ key: FlowKey, hash: UInt64, quiet: QuietConnection?, entry: Entry?) -> Int32 {
        if (used + 1) * 2 > buckets.count { grow() }
        var slot = Slot(key: key)
        if let quiet { slot.state = .quiet(quiet) }
        let index: Int32
        if let freed = free.popLast() {
            index = freed
            slot.closings = slots[Int(index)].closings
            slots[Int(index)] = slot
            entries[Int(index)] = entry
        } else {
            index = Int32(truncatingIfNeeded: slots.count)
            slots.append(slot)
            entries.append(entry)
        }
        used += 1
        openCount += 1
        place(Bucket(slot: index, hash: UInt32(truncatingIfNeeded: hash)))
        order.insert(index)
        return index
    }

    /// Puts another connection into an open slot or a remnant with the same key.
    mutating func replace(_ index: Int32, quiet: QuietConnection?, entry: Entry?) {
        if isOpen(index) {
            touch(index)
        } else {
            openCount += 1
            order.insert(index)
        }
        slots[Int(index)].state = quiet.map(Slot.State.quiet) ?? .none
        entries[Int(index)] = entry
    }

    /// Takes a segment of a quiet connection, if it stays one with it; otherwise it has to be woken.
    @inline(__always)
    mutating func takeQuietly(_ header: borrowing SegmentHeader, at index: Int32, sourceIsLower: Bool) -> Bool {
        guard slots[Int(index)].key.scope == header.scope else { return false }
        guard var connection = slots[Int(index)].quiet, connection.take(header, sourceIsLower: sourceIsLower) else { return false }
        slots[Int(index)].state = .quiet(connection)
        return true
    }

    /// Gives a quiet connection the entry of one that speaks.
    mutating func wake(_ index: Int32, entry: Entry) {
        slots[Int(index)].state = .none
        entries[Int(index)] = entry
    }

    /// Notes that the SYN of a connection that has closed came again.
    mutating func noteAskedAgain(_ index: Int32) {
        guard case .remnant(var remnant) = slots[Int(index)].state else { return }
        remnant.isAskedAgain = true
        slots[Int(index)].state = .remnant(remnant)
    }

    /// Turns an open connection into a remnant.
    mutating func close(_ index: Int32, leaving remnant: Remnant) {
        guard isOpen(index) else { return }
        order.remove(index)
        openCount -= 1
        entries[Int(index)] = nil
        slots[Int(index)].state = .remnant(remnant)
        slots[Int(index)].closings &+= 1
        let remnant = (slot: index, closing: slots[Int(index)].closings)
        if remnants.count < remnantLimit {
            remnants.append(remnant)
            return
        }
        let expired = remnants[remnantHead]
        remnants[remnantHead] = remnant
        remnantHead = (remnantHead + 1) % remnantLimit
        // Its slot may have been taken over by a new connection, which may even have closed in its turn.
        if !isOpen(expired.slot), slots[Int(expired.slot)].closings == expired.closing { remove(expired.slot) }
    }

    // MARK: - Buckets

    private mutating func place(_ new: Bucket) {
        var bucket = new.home(mask)
        while buckets[bucket].slot != FlowTable.none { bucket = (bucket + 1) & mask }
        buckets[bucket] = new
    }

    private mutating func grow() {
        let old = buckets
        buckets = Array(repeating: Bucket(), count: old.count * 2)
        mask = buckets.count - 1
        for bucket in old where bucket.slot != FlowTable.none { place(bucket) }
    }

    /// Takes a slot out, and moves back what had to give way to it (linear probing without tombstones).
    private mutating func remove(_ index: Int32) {
        var bucket = Int(truncatingIfNeeded: hash(of: slots[Int(index)].key)) & mask
        while buckets[bucket].slot != index { bucket = (bucket + 1) & mask }
        var hole = bucket
        var probe = (bucket + 1) & mask
        while buckets[probe].slot != FlowTable.none {
            // What stands at `probe` may move to the hole if its home is not between the two.
            if ((probe - buckets[probe].home(mask)) & mask) >= ((probe - hole) & mask) {
                buckets[hole] = buckets[probe]
                hole = probe
            }
            probe = (probe + 1) & mask
        }
        buckets[hole] = Bucket()
        free.append(index)
        // Its closings go on counting, whoever comes next: an old place in the ring never fits again.
        slots[Int(index)].closings &+= 1
        used -= 1
    }
}
