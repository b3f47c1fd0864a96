/// The exchanges of one conversation that are not over, in the order of their requests. Most leave it at the front.
struct HAREntries: RandomAccessCollection, MutableCollection {
    private var slots: [HAREntry] = []
    /// Of the slots, those at the front that are vacant.
    private var vacant = 0

    var startIndex: Int { 0 }
    var endIndex: Int { slots.count - vacant }

    subscript(_ index: Int) -> HAREntry {
        get { slots[vacant + index] }
        // In place: what an entry has kept may be long.
        _modify { yield &slots[vacant + index] }
    }

    mutating func append(_ entry: HAREntry) { slots.append(entry) }

    /// Takes an entry out. Costs what lies between it and the front, or the back where that is nearer.
    @discardableResult
    mutating func remove(at index: Int) -> HAREntry {
        if index > count / 2 { return slots.remove(at: vacant + index) }
        let entry = slots[vacant + index]
        var place = vacant + index
        while place > vacant {
            slots.swapAt(place, place - 1)
            place -= 1
        }
        slots[vacant] = .vacant
        vacant += 1
        if vacant == slots.count {
            slots.removeAll()
            vacant = 0
        } else if vacant >= 64, vacant * 2 > slots.count {
            slots.removeFirst(vacant)
            vacant = 0
        }
        return entry
    }

    mutating func removeAll(where shouldBeRemoved: (HAREntry) -> Bool) {
        slots.removeFirst(vacant)
        vacant = 0
        slots.removeAll(where: shouldBeRemoved)
    }

    /// Where the entry of an exchange lies, looked for from both ends: what is answered is the oldest, what is asked the newest.
    func index(of exchange: UInt64?) -> Int? {
        guard let exchange else { return nil }
        var (low, high) = (0, count - 1)
        while low <= high {
            if self[low].exchange == exchange { return low }
            if self[high].exchange == exchange { return high }
            low += 1
            high -= 1
        }
        return nil
    }
}
