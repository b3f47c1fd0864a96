/// A name with its value, as the tables of HPACK hold it.
struct HPACKEntry {
    /// Entries that refer to the name of another one share it: a block of few bytes names it thousands of times.
    var name: [UInt8] = []
    var value: [UInt8] = []
    /// The name, or all of it, is not known.
    var isUnknown = false
    /// The last block that gave it, or its name.
    var block: UInt64 = 0

    /// What it counts in the table (RFC 7541, section 4.1).
    var size: Int { name.count + value.count + 32 }

    /// An entry that was made where nobody saw it.
    static var unknown: HPACKEntry { HPACKEntry(isUnknown: true) }
}

/// The dynamic table of one direction (RFC 7541, section 2.3.2), seen from outside.
///
/// Where its beginning was not captured, or bytes were lost, it has entries that nobody has seen. They are older than those that were, and
/// so they are the first to leave: once what was seen fills the table, it is known again.
///
/// ```
/// index   62            63        64       …
///         newest ◀── seen ──▶ oldest │ not seen
/// ```
struct HPACKTable {
    /// The size of a table of which nothing else was agreed on (RFC 9113, section 6.5.2).
    static let usualSize = 4_096

    /// From the oldest to the newest; those before `first` have left.
    private var entries: [HPACKEntry] = []
    private var first = 0
    /// Sizes of the entries that were seen.
    private(set) var size = 0
    /// What they may be together, as the encoder has set it.
    private(set) var mostSize = HPACKTable.usualSize
    /// There may be entries before those that were seen.
    private(set) var hasUnseen = false
    /// How large the encoder has made it is not known.
    private var isSizeKnown = true
    /// More is not kept, whatever was agreed on: entries beyond are not known.
    let limit: Int

    /// - Parameter limit: bytes that are kept of it at most.
    init(limit: Int) { self.limit = max(HPACKTable.usualSize, limit) }

    /// Entries that were seen and have not left.
    var count: Int { entries.count - first }

    /// The entry `index` of the table, from 0 for the newest; nil where there is none.
    func entry(_ index: Int) -> HPACKEntry? {
        if index < count { return entries[entries.count - 1 - index] }
        return hasUnseen ? .unknown : nil
    }

    /// Notes that a block gives the entry `index`. False where it has done so before.
    mutating func note(_ index: Int, block: UInt64) -> Bool {
        guard index >= 0, index < count else { return true }
        let place = entries.count - 1 - index
        defer { entries[place].block = block }
        return entries[place].block != block
    }

    /// Inserts an entry, for which the oldest ones leave (RFC 7541, section 4.4).
    mutating func insert(_ entry: HPACKEntry) {
        let size = entry.size
        evict(to: bound - size)
        guard size <= bound else {
            // It empties the table, and is not in it; where the table is larger than what is kept of it, it is there unseen.
            hasUnseen = mostSize > bound || !isSizeKnown
            return
        }
        entries.append(entry)
        self.size += size
    }

    /// The encoder sets the size (RFC 7541, section 6.3).
    mutating func resize(to size: Int) {
        mostSize = size
        isSizeKnown = true
        evict(to: bound)
        if size == 0 { hasUnseen = false }
    }

    /// What it holds is not known from here on.
    ///
    /// - Parameter largest: what the encoder may have made of its size at most; nil where that is not known.
    mutating func lose(largest: Int?) {
        entries = []
        first = 0
        size = 0
        hasUnseen = true
        isSizeKnown = largest != nil
        if let largest { mostSize = largest }
    }

    private var bound: Int { isSizeKnown ? min(mostSize, limit) : limit }

    private mutating func evict(to size: Int) {
        // An entry that was not seen has 32 bytes at least.
        if isSizeKnown, mostSize <= limit, self.size + 32 > max(0, size) { hasUnseen = false }
        while self.size > max(0, size), first < entries.count {
            self.size -= entries[first].size
            entries[first] = .unknown
            first += 1
            if mostSize > limit || !isSizeKnown { hasUnseen = true }
        }
        if first > 64, first * 2 > entries.count {
            entries.removeFirst(first)
            first = 0
        }
    }

    /// Bytes of it in the heap.
    var heldBytes: Int { size + 32 * count + entries.capacity * MemoryLayout<HPACKEntry>.stride }
}
