/// What the answer to a request depends on.
struct PendingRequest {
    struct Traits: OptionSet {
        let rawValue: UInt8
        static let head = Traits(rawValue: 1)
        static let connect = Traits(rawValue: 2)
        /// The request said HTTP/1.0 or less.
        static let before11 = Traits(rawValue: 4)
        /// HTTP/0.9: the answer has no head.
        static let simple = Traits(rawValue: 8)
        /// It offers an upgrade, and the offer is kept.
        static let upgrade = Traits(rawValue: 16)
        /// Not all of the head was seen.
        static let cut = Traits(rawValue: 32)
        /// It offers an upgrade, and the offer is not kept, because there was another beside it.
        static let forgotten = Traits(rawValue: 64)
    }

    var traits: Traits
    /// When its last byte came, the body included; none before that.
    var ended: Timestamp?
}

/// Requests in the order in which they have to be answered (RFC 9112, section 9.3).
struct PendingRequests {
    private var entries: [PendingRequest] = []
    private var firstIndex = 0

    var isEmpty: Bool { firstIndex == entries.count }
    var count: Int { entries.count - firstIndex }
    var heldBytes: Int { entries.capacity == 0 ? 0 : 48 + entries.capacity * MemoryLayout<PendingRequest>.stride }

    /// The request that the next answer belongs to.
    var first: PendingRequest? { isEmpty ? nil : entries[firstIndex] }

    mutating func append(_ request: PendingRequest) { entries.append(request) }

    mutating func removeFirst() {
        guard !isEmpty else { return }
        firstIndex += 1
        if firstIndex == entries.count {
            entries.removeAll(keepingCapacity: true)
            firstIndex = 0
        } else if firstIndex >= 64, firstIndex * 2 >= entries.count {
            entries.removeFirst(firstIndex)
            firstIndex = 0
        }
    }

    mutating func removeAll() {
        entries = []
        firstIndex = 0
    }

    /// The last request is whole.
    mutating func endLast(at time: Timestamp?) {
        guard !isEmpty else { return }
        entries[entries.count - 1].ended = time
    }

    /// The offers of those that wait are not kept any more.
    mutating func forgetOffers() {
        for index in firstIndex..<entries.count where entries[index].traits.contains(.upgrade) {
            entries[index].traits.remove(.upgrade)
            entries[index].traits.insert(.forgotten)
        }
    }

    /// Leaves the last one only: answers were lost, and without pipelining the next answer is the last request's.
    mutating func keepLast() {
        guard count > 1 else { return }
        let last = entries[entries.count - 1]
        entries.removeAll(keepingCapacity: true)
        firstIndex = 0
        entries.append(last)
    }
}
