import Dissection

/// A body as it comes.
struct HARBody {
    private(set) var kept: [UInt8] = []
    /// After every coding was undone, and on the wire.
    private(set) var length: UInt64 = 0
    private(set) var wireLength: UInt64 = 0
    private(set) var isFinal = false

    /// Whether it has begun and not ended.
    var isOpen: Bool { length > 0 && !isFinal }

    /// Takes the next part.
    ///
    /// - Parameters:
    ///   - most: bytes of the whole body that are kept.
    ///   - room: bytes that there is room for.
    mutating func take(_ part: BodyPart, _ payload: RawSpan, most: Int, room: Int) {
        length = length.clampedSum(part.length)
        wireLength = wireLength.clampedSum(part.wireLength)
        if part.final { isFinal = true }
        // After something was left out nothing follows that would stand in the wrong place.
        guard UInt64(kept.count).clampedSum(part.length) == length else { return }
        let slack = kept.capacity - kept.count
        kept.append(copying: payload.prefix(max(0, min(room.clampedSum(slack), most - kept.count))), room: room)
    }
}

extension [UInt8] {
    /// Whether so many bytes fit behind those that it has, when it may take so many more bytes of memory.
    func hasRoom(for count: Int, _ room: Int) -> Bool { count <= room.clampedSum(capacity - self.count) }

    /// Appends bytes that there is room for. It grows as arrays do, by as much again as it has, but into no more than the room.
    mutating func append(copying bytes: RawSpan, room: Int) {
        let needed = count + bytes.byteCount
        if needed > capacity { reserveCapacity(Swift.max(needed, capacity + Swift.min(capacity, room))) }
        append(copying: bytes)
    }
}

extension Int {
    fileprivate func clampedSum(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
