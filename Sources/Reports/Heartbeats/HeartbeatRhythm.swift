import Dissection

/// How regular a row of beats is: its period, what it strays from it, how many beats are missing.
///
/// The first interval is taken for the period; each later one is held against it and its multiples, because a beat may have been left out.
/// Where more intervals disagree than agree, the row begins anew. A constant cost for each beat.
struct HeartbeatRhythm: Sendable {
    /// Beats that came.
    private(set) var beats: UInt64 = 0
    private(set) var firstAt: Timestamp?
    private(set) var lastAt: Timestamp?
    /// Nanoseconds.
    private(set) var period: Int64 = 0
    /// The most that an interval strayed from the period, in nanoseconds.
    private(set) var jitter: Int64 = 0
    /// Beats that the intervals had room for and that did not come.
    private(set) var missed: UInt64 = 0
    /// Intervals that fit, and those that did not.
    private(set) var fitting: Int64 = 0
    private var stray: Int64 = 0
    /// The capture lost bytes of its side since the last beat: others may be among them.
    private var isInterrupted = false

    /// What is sent more often is no sign of life but traffic.
    static let shortestPeriod: Int64 = 500_000_000
    /// Three intervals in a row could be chance; four hardly.
    private static let leastIntervals: Int64 = 3
    /// More than so many periods without a beat are no row any more.
    private static let mostMissed: Int64 = 8

    /// Whether the beats are a row. Where a third and more are missing between those that came, a message only happens to come again, as a price
    /// does in a feed once a second.
    var isRegular: Bool { fitting >= Self.leastIntervals && stray * 4 <= fitting && missed <= UInt64(fitting) / 2 }

    /// Whether they may become one: a second one has come, and nothing speaks against it.
    var isPromising: Bool { beats >= 2 && stray <= fitting }

    /// Bytes of its side were not captured.
    mutating func interrupt() { isInterrupted = lastAt != nil }

    /// Takes a beat.
    ///
    /// - Parameter rest: the last bytes since the beat before that took the place of one; nil where there are none.
    mutating func beat(at time: Timestamp, after rest: Timestamp? = nil) {
        defer { (lastAt, isInterrupted) = (time, false) }
        let (count, overflow) = beats.addingReportingOverflow(1)
        beats = overflow ? .max : count
        guard let lastAt else {
            firstAt = time
            return
        }
        if let rest, rest > lastAt { return takeInterval(time.nanoseconds(since: lastAt), time.nanoseconds(since: rest)) }
        let interval = time.nanoseconds(since: lastAt)
        // Two at once are one beat that was said twice.
        guard interval >= Self.shortestPeriod else {
            if interval < 0 || period > 0 { stray &+= 1 }
            return
        }
        guard period > 0 else {
            period = interval
            fitting = 1
            return
        }
        let times = (interval &+ period / 2) / period
        let strayed = (interval &- times &* period).magnitude
        if (1...Self.mostMissed).contains(times), strayed <= UInt64(tolerance) {
            fitting &+= 1
            if !isInterrupted { missed &+= UInt64(times &- 1) }
            jitter = max(jitter, Int64(strayed))
            // The mean of the intervals so far, each over the beats that it had room for.
            period &+= (interval / times &- period) / min(fitting, 64)
            return
        }
        guard !isInterrupted else { return }
        stray &+= 1
        if stray > fitting {
            (period, fitting, stray, jitter, missed) = (interval, 1, 0, 0, 0)
        }
    }

    /// Takes an interval in which other bytes took the place of beats: a timer that runs on, or began anew with them, agrees with the
    /// period; any other says nothing.
    private mutating func takeInterval(_ interval: Int64, _ quiet: Int64) {
        guard period > 0 else {
            // Where something else is sent in each interval, a timer that runs on shows in several of them.
            if interval >= Self.shortestPeriod { (period, fitting) = (interval, 1) }
            return
        }
        guard interval > 0 else { return }
        let times = (interval &+ period / 2) / period
        let isOnTime = times >= 1 && (interval &- times &* period).magnitude <= UInt64(tolerance)
        if isOnTime || (quiet &- period).magnitude <= UInt64(tolerance) { fitting &+= 1 }
    }

    /// What an interval may stray: networks delay, and timers begin anew after each beat.
    private var tolerance: Int64 { period / 8 &+ 50_000_000 }

    /// Whether a beat is due about now, as far as the last interval tells.
    func isDue(at time: Timestamp) -> Bool {
        guard period > 0, let lastAt else { return false }
        return (time.nanoseconds(since: lastAt) &- period).magnitude <= UInt64(tolerance)
    }

    /// Whether beats were left out since the last one.
    func isLate(at time: Timestamp) -> Bool {
        guard period > 0, let lastAt else { return false }
        return time.nanoseconds(since: lastAt) > period &+ tolerance
    }

    /// When the next beat is due, after the last one or what took its place.
    func due(after rest: Timestamp?) -> Timestamp? {
        guard isRegular, let lastAt else { return nil }
        let last = max(lastAt, rest ?? lastAt)
        return Timestamp(nanoseconds: last.nanoseconds &+ period)
    }

    /// Whether at a time the next beat was overdue: by half a period at least, and by more than it ever strayed.
    func isOverdue(at time: Timestamp, after rest: Timestamp? = nil) -> Bool {
        guard !isInterrupted, let due = due(after: rest) else { return false }
        return time.nanoseconds(since: due) > max(period / 2, jitter &* 2)
    }
}
