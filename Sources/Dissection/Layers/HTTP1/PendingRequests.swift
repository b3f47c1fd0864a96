/// What the answer to a request depends on.
struct PendingRequest {
    struct Traits: OptionSet {
        let rawValue: UInt16
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
        /// Not all of its method or target is kept.
        static let longName = Traits(rawValue: 128)
        /// It takes a stream of events and nothing else.
        static let acceptsEvents = Traits(rawValue: 256)
    }

    var traits: Traits
    /// So many bytes of its method and of its target are kept.
    fileprivate var methodBytes: UInt8
    fileprivate var targetBytes: UInt16
    /// `RequestHead.exchange`.
    fileprivate var exchange: UInt64
    /// When its last byte came, the body included; none before that.
    var ended: Timestamp?
    /// Where its head ends, as `Place.received` counts.
    fileprivate(set) var headEnd: UInt32

    /// Whether a server that had received so much had all of its head.
    func wasSent(before received: UInt32) -> Bool { Int32(bitPattern: received &- headEnd) >= 0 }

    /// What its response says of it; nil where it has no number.
    var asked: AskedRequest? {
        guard exchange > 0 else { return nil }
        let method = Int(methodBytes)
        return AskedRequest(
            exchange: exchange, method: ByteRange(0..<method), target: ByteRange(method..<nameBytes), isCut: traits.contains(.longName))
    }

    fileprivate var nameBytes: Int { Int(methodBytes) + Int(targetBytes) }
}

/// What a response says of its request: its number, and as much of method and target as is kept for that.
struct RequestName: ~Escapable {
    /// More of a method is not kept. The longest that is registered has 17 bytes.
    static let longestMethod = 32
    /// More of a target is not kept, because so many requests may wait in each conversation.
    static let longestTarget = 256

    let exchange: UInt64
    let method: RawSpan
    let target: RawSpan
    /// The method or the target is longer.
    let isCut: Bool

    /// None, of a request without a number.
    @_lifetime(immortal)
    init() {
        (exchange, isCut) = (0, false)
        method = RawSpan()
        target = RawSpan()
    }

    @_lifetime(copy head)
    init(_ head: RawSpan, _ request: RequestHead) {
        exchange = request.exchange
        method = head.extracting(
            request.method.start..<min(request.method.end, request.method.start + RequestName.longestMethod))
        let whole = head.extracting(request.target.start..<request.target.end)
        var kept = whole.byteCount
        if kept > RequestName.longestTarget {
            kept = RequestName.longestTarget
            // To where a character begins.
            for _ in 0..<3 where whole[kept] & 0xC0 == 0x80 { kept -= 1 }
        }
        target = whole.extracting(0..<kept)
        isCut = method.byteCount < request.method.count || kept < whole.byteCount
    }
}

/// Requests in the order in which they have to be answered (RFC 9112, section 9.3).
struct PendingRequests {
    private var entries: [PendingRequest] = []
    private var firstIndex = 0
    /// Their methods and targets, one after the other; those before `nameStart` are done with.
    private var names: [UInt8] = []
    /// Where the first one's lie.
    private(set) var nameStart = 0

    var isEmpty: Bool { firstIndex == entries.count }
    var count: Int { entries.count - firstIndex }
    var heldBytes: Int {
        guard entries.capacity > 0 else { return 0 }
        return 48 + entries.capacity * MemoryLayout<PendingRequest>.stride + (names.capacity == 0 ? 0 : 48 + names.capacity)
    }

    /// The request that the next answer belongs to.
    var first: PendingRequest? { isEmpty ? nil : entries[firstIndex] }

    /// The one after it.
    var second: PendingRequest? { count < 2 ? nil : entries[firstIndex + 1] }

    mutating func append(_ request: PendingRequest.Traits, _ name: RequestName, headEnd: UInt32) {
        if isEmpty {
            // What one long line of requests took is not kept for good.
            if names.capacity > PendingRequests.usualNames { names = [] } else { names.removeAll(keepingCapacity: true) }
            nameStart = 0
        } else if nameStart > PendingRequests.usualNames, nameStart * 2 >= names.count {
            names.removeFirst(nameStart)
            nameStart = 0
        }
        names.append(copying: name.method)
        names.append(copying: name.target)
        entries.append(
            PendingRequest(
                traits: name.isCut ? request.union(.longName) : request, methodBytes: UInt8(clamping: name.method.byteCount),
                targetBytes: UInt16(clamping: name.target.byteCount), exchange: name.exchange, ended: nil, headEnd: headEnd))
    }

    private static let usualNames = 1024

    /// A method and a target that lie at `start`: those of the first request, or of the one before it until another is appended.
    @_lifetime(borrow self)
    func name(at start: Int, count: Int) -> RawSpan {
        guard start >= 0, count >= 0, start <= names.count, count <= names.count - start else { return RawSpan() }
        return names.rawBytes.extracting(start..<start + count)
    }

    mutating func removeFirst() {
        guard !isEmpty else { return }
        nameStart += entries[firstIndex].nameBytes
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
        names = []
        nameStart = 0
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
        nameStart = names.count - last.nameBytes
        entries.removeAll(keepingCapacity: true)
        firstIndex = 0
        entries.append(last)
    }
}
