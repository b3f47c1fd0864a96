/// The pings of one side that no pong has answered yet, oldest first (RFC 6455, sections 5.5.2 and 5.5.3).
struct PendingPings: Sendable {
    private struct Ping {
        var time: Timestamp?
        var start: Int
        var count: Int
    }

    private var pings: [Ping] = []
    /// Their payloads, one behind the other.
    private var payloads: [UInt8] = []

    /// More of a payload is not compared; a legal one is no longer.
    static let longestPayload = 125

    var heldBytes: Int { payloads.capacity + pings.capacity * MemoryLayout<Ping>.stride }

    /// Notes a ping. Of more than `most` the oldest is forgotten.
    mutating func append(_ payload: RawSpan, time: Timestamp?, most: Int) {
        guard most > 0 else { return }
        while pings.count >= most { removeFirst(1) }
        let count = min(payload.byteCount, PendingPings.longestPayload)
        pings.append(Ping(time: time, start: payloads.count, count: count))
        payloads.append(copying: payload.extracting(0..<count))
    }

    /// What a pong answers: the oldest ping with its payload that nothing has answered. A peer may skip pings (RFC 6455,
    /// section 5.5.3), and the pongs of several may come in any order; those that are left wait on.
    ///
    /// Returns nil where no ping is known that it could answer, otherwise when that ping came.
    mutating func answer(_ payload: RawSpan) -> Timestamp?? {
        let count = min(payload.byteCount, PendingPings.longestPayload)
        for index in pings.indices where pings[index].count == count && matches(pings[index], payload) {
            let ping = pings.remove(at: index)
            payloads.removeSubrange(ping.start..<ping.start + ping.count)
            for later in index..<pings.count { pings[later].start -= ping.count }
            return .some(ping.time)
        }
        return nil
    }

    private func matches(_ ping: Ping, _ payload: RawSpan) -> Bool {
        for offset in 0..<ping.count where payloads[ping.start + offset] != payload[offset] { return false }
        return true
    }

    private mutating func removeFirst(_ number: Int) {
        if number >= pings.count {
            pings.removeAll(keepingCapacity: true)
            payloads.removeAll(keepingCapacity: true)
            return
        }
        let cut = pings[number].start
        pings.removeFirst(number)
        payloads.removeFirst(cut)
        for index in pings.indices { pings[index].start -= cut }
    }
}
