/// Which request a response belongs to, by how much of the client's stream its server had received when it sent it. A capture that begins in
/// the middle, has packets in another order than they were sent, or lacks some, has that all the same: a response answers none that the
/// server did not have yet, and without pipelining the last one that it had.
///
/// ```
/// client   GET /1                    GET /2           GET /2 was captured after its response, or not at all:
/// server            200 (had /1)              200 (had /2)      that belongs to no request seen by then
/// ```
struct AheadResponses {
    /// Final responses that no request was seen for, as far as is known.
    private var count: UInt8 = 0
    /// How much of the client's stream the server had at the last of them.
    private var received: UInt32 = 0

    /// One more.
    mutating func note(_ received: UInt32) {
        if count == 0 || Int32(bitPattern: received &- self.received) > 0 { self.received = received }
        if count < .max { count += 1 }
    }

    /// Whether a request, whose head ends there, was answered by one of them; none are left for those that the client sent later.
    ///
    /// - Returns: nil where they were fewer than the requests that ought to have had one.
    mutating func answers(_ headEnd: UInt32) -> Bool? {
        guard isExpecting else { return false }
        guard Int32(bitPattern: received &- headEnd) >= 0 else {
            self = AheadResponses()
            return false
        }
        if count > 1 {
            count -= 1
            return true
        }
        // The last one stays, for those that a client sends in one go.
        let isFirst = !isUsed
        isUsed = true
        return isFirst ? true : nil
    }

    private var isExpecting: Bool { count > 0 }
    /// The last one has had its request.
    private var isUsed = false
}

extension ExchangePairing {
    /// Whether a request has had its response, which was captured ahead of it.
    mutating func takeAhead(_ headEnd: UInt32) -> Bool {
        switch ahead.answers(headEnd) {
        case true?: return true
        case false?: return false
        case nil:
            // Of several that were sent in one go nobody knows which.
            lose()
            return true
        }
    }

    /// Leaves out requests whose responses were lost, where the client does not ask again before it has its response.
    mutating func skipAnswered(by received: UInt32) {
        guard !isPipelined else { return }
        while let first = waiting.first, first.traits.isDisjoint(with: [.upgrade, .connect]),
            waiting.second?.wasSent(before: received) == true
        {
            waiting.removeFirst()
        }
    }

    /// Whether a response answers another request than the first of those that wait: its server did not have all of that one. One that
    /// refuses does not wait for that.
    func isToAnother(_ status: UInt16, _ received: UInt32) -> Bool {
        guard status < 400, let first = waiting.first else { return false }
        return !first.wasSent(before: received)
    }

    /// Whether a server had nothing yet of the request that waits, and no more than when it sent the response before.
    func hadNothing(_ received: UInt32?, since before: UInt32) -> Bool {
        guard let received, received == before, let first = waiting.first else { return false }
        return !first.wasSent(before: received)
    }

    /// The server's start line is found again. Where responses were lost, the next one is the last request's, without pipelining.
    mutating func alignServer() { if certainty != .sure { waiting.keepLast() } }

    /// How many requests have no final response yet.
    var waitingCount: Int { waiting.count }

    /// Every request has its response, and none can be missing.
    var isAllAnswered: Bool { waiting.isEmpty && certainty == .sure }

    /// No response will come any more. Returns how many requests are surely without one.
    mutating func end() -> Int {
        guard certainty == .sure else { return 0 }
        let count = waiting.count
        waiting.removeAll()
        return count
    }
}
