/// Finds the connection of a segment: open addressing over an array of connections, least recently used first.
///
/// ```
/// buckets   [ · | 3 | · | 0 | 2 | · … ]    hash of the key, linear probing, at most half full
/// slots     [ A | B | C | D | … ]          key, connection, and apart the neighbours in order of use
/// ```
///
/// A connection that has closed leaves a remnant for a while, so that late acknowledgements and retransmissions do not
/// look like a new one.
struct FlowTable: ~Copyable {
    /// One connection; a class, so that finding it copies nothing.
    final class Entry {
        var flow: Flow
        /// The lower endpoint of the key sent the first packet.
        let firstIsLower: Bool
        /// The scope of the other direction, where that is another one.
        var answerScope: UInt32?

        init(flow: Flow, firstIsLower: Bool) {
            self.flow = flow
            self.firstIsLower = firstIsLower
        }
    }

    struct Slot {
        var key: FlowKey
        var hash: UInt64
        var closedAt: Timestamp?
        /// Of a remnant: where the stream of each endpoint ended, if anything of it was seen.
        var lowerEnd: SequenceNumber?
        var higherEnd: SequenceNumber?
        /// Of a remnant: the number of its conversation.
        var conversation: UInt64 = 0
        /// Counts the closings of this slot, so that an old place in the ring of remnants is known as such.
        var closings: UInt32 = 0
    }

    /// No slot.
    static let none: Int32 = UseOrder.none
    /// Remnants that are kept.
    static let remnantLimit = 4_096

    private let seed: UInt64
    private var buckets: [Int32]
    private var mask: Int
    private(set) var slots: [Slot] = []
    /// Open connections.
    private var order = UseOrder()
    /// The connection of each slot; none for the remnant of a closed one, and for a free slot. Apart from the slots, so
    /// that looking at one counts no references.
    private(set) var entries: [Entry?] = []
    private var free: [Int32] = []
    private var used = 0
    private(set) var openCount = 0
    /// Remnants, oldest first: a ring.
    private var remnants: [(slot: Int32, closing: UInt32)] = []
    private var remnantHead = 0

    init(seed: UInt64) {
        self.seed = seed
        buckets = Array(repeating: FlowTable.none, count: 1_024)
        mask = 1_023
    }

    @inline(__always)
    func hash(of key: FlowKey) -> UInt64 { key.hash(seed: seed) }

    /// The connection that was not used for longest.
    var oldest: Int32 { order.oldest }

    /// The connection that was used next after that of `index`.
    func newer(_ index: Int32) -> Int32 { order.newer(index) }

    /// The slot of a key.
    @inline(__always)
    func find(_ key: FlowKey, hash: UInt64) -> Int32 {
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while true {
            let index = buckets[bucket]
            if index == FlowTable.none { return FlowTable.none }
            if slots[Int(index)].hash == hash, slots[Int(index)].key == key { return index }
            bucket = (bucket + 1) & mask
        }
    }

    /// Makes the connection of a slot the most recently used one.
    @inline(__always)
    mutating func touch(_ index: Int32) { order.touch(index) }

    /// Adds an open connection under a key that the table does not have.
    mutating func insert(_ key: FlowKey, hash: UInt64, entry: Entry) -> Int32 {
        if (used + 1) * 2 > buckets.count { grow() }
        var slot = Slot(key: key, hash: hash)
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
        place(index, hash: hash)
        order.insert(index)
        return index
    }

    /// Puts another connection into an open slot or a remnant with the same key.
    mutating func replace(_ index: Int32, entry: Entry) {
        if entries[Int(index)] == nil {
            openCount += 1
            slots[Int(index)].closedAt = nil
            order.insert(index)
        } else {
            touch(index)
        }
        entries[Int(index)] = entry
    }

    /// Turns an open connection into a remnant.
    mutating func close(
        _ index: Int32, conversation: UInt64, at time: Timestamp?, lowerEnd: SequenceNumber?, higherEnd: SequenceNumber?
    ) {
        guard entries[Int(index)] != nil else { return }
        order.remove(index)
        openCount -= 1
        entries[Int(index)] = nil
        slots[Int(index)].closedAt = time
        slots[Int(index)].lowerEnd = lowerEnd
        slots[Int(index)].higherEnd = higherEnd
        slots[Int(index)].conversation = conversation
        slots[Int(index)].closings &+= 1
        let remnant = (slot: index, closing: slots[Int(index)].closings)
        if remnants.count < FlowTable.remnantLimit {
            remnants.append(remnant)
            return
        }
        let expired = remnants[remnantHead]
        remnants[remnantHead] = remnant
        remnantHead = (remnantHead + 1) % FlowTable.remnantLimit
        // Its slot may have been taken over by a new connection, which may even have closed in its turn.
        let slot = slots[Int(expired.slot)]
        if entries[Int(expired.slot)] == nil, slot.closings == expired.closing { remove(expired.slot) }
    }

    // MARK: - Buckets

    private mutating func place(_ index: Int32, hash: UInt64) {
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while buckets[bucket] != FlowTable.none { bucket = (bucket + 1) & mask }
        buckets[bucket] = index
    }

    private mutating func grow() {
        let old = buckets
        buckets = Array(repeating: FlowTable.none, count: old.count * 2)
        mask = buckets.count - 1
        for index in old where index != FlowTable.none { place(index, hash: slots[Int(index)].hash) }
    }

    /// Takes a slot out, and moves back what had to give way to it (linear probing without tombstones).
    private mutating func remove(_ index: Int32) {
        var bucket = Int(truncatingIfNeeded: slots[Int(index)].hash) & mask
        while buckets[bucket] != index { bucket = (bucket + 1) & mask }
        var hole = bucket
        var probe = (bucket + 1) & mask
        while buckets[probe] != FlowTable.none {
            let home = Int(truncatingIfNeeded: slots[Int(buckets[probe])].hash) & mask
            // What stands at `probe` may move to the hole if its home is not between the two.
            if ((probe - home) & mask) >= ((probe - hole) & mask) {
                buckets[hole] = buckets[probe]
                hole = probe
            }
            probe = (probe + 1) & mask
        }
        buckets[hole] = FlowTable.none
        free.append(index)
        // Its closings go on counting, whoever comes next: an old place in the ring never fits again.
        slots[Int(index)].closings &+= 1
        used -= 1
    }
}
