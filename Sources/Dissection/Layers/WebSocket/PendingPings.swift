/// The pings of one side that no pong has answered yet, oldest first (RFC 6455, sections 5.5.2 and 5.5.3).
struct PendingPings: Sendable {
    private struct Ping {
        var time: Timestamp?
        var start: Int
        var count: Int
        /// A pong answered a later one with the same payload: it is waited for no more, and may be answered all the same.
        var isPassed = false
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

    /// What a pong answers: of the pings with its payload that nothing has answered the oldest, because pings that are sent in a burst are
    /// answered in order; or the latest, where the pong follows that so soon that it was most likely sent for it. A peer may answer the
    /// latest ping alone (RFC 6455, section 5.5.3), and the pongs of several may come in any order; those with other payloads wait on.
    ///
    /// Returns nil where no ping is known that it could answer; otherwise when that ping came, which nobody knows where all that are left
    /// were passed over.
    mutating func answer(_ payload: RawSpan, at now: Timestamp?) -> Timestamp?? {
        let count = min(payload.byteCount, PendingPings.longestPayload)
        var oldest: Int?
        var beforeLatest: Int?
        var latest: Int?
        var passed: Int?
        for index in pings.indices where pings[index].count == count && matches(pings[index], payload) {
            if pings[index].isPassed {
                if passed == nil { passed = index }
                continue
            }
            if oldest == nil { oldest = index }
            beforeLatest = latest
            latest = index
        }
        if let latest, let beforeLatest, isSoon(now, after: pings[latest].time, since: pings[beforeLatest].time) {
            for index in 0..<latest where pings[index].count == count && matches(pings[index], payload) { pings[index].isPassed = true }
            return .some(remove(latest).time)
        }
        if let oldest { return .some(remove(oldest).time) }
        guard let passed else { return nil }
        remove(passed)
        return .some(nil)
    }

    /// Whether a pong came after a ping within half of the time that lies between that ping and the one before it.
    private func isSoon(_ now: Timestamp?, after ping: Timestamp?, since before: Timestamp?) -> Bool {
        guard let now, let ping, let before else { return false }
        let (trip, interval) = (now.nanoseconds(since: ping), ping.nanoseconds(since: before))
        return interval > 0 && trip >= 0 && trip <= interval / 2
    }

    @discardableResult
    private mutating func remove(_ index: Int) -> Ping {
        let ping = pings.remove(at: index)
        payloads.removeSubrange(ping.start..<ping.start + ping.count)
        for later in index..<pings.count { pings[later].start -= ping.count }
        return ping
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
