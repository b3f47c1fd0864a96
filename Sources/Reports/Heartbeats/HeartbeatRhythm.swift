import Dissection

/// How regular a row of beats is: its period, what it strays from it, how many beats are missing.
///
/// The first interval is taken for the period; each later one is held against it and its multiples, because a beat may have been left out.
/// Where more intervals disagree than agree, the row begins anew. A constant cost for each beat.
struct HeartbeatRhythm: Sendable {
    /// Beats that came.
    private(set) var beats: UInt64 = 0
    private(set) var lastAt: Timestamp?
    /// Nanoseconds.
    private(set) var period: Int64 = 0
    /// The most that an interval strayed from the period, in nanoseconds.
    private(set) var jitter: Int64 = 0
    /// Beats that the intervals had room for and that did not come.
    private(set) var missed: UInt64 = 0
    /// Intervals that fit, and those that did not.
    private var fitting: Int64 = 0
    private var stray: Int64 = 0

    /// What is sent more often is no sign of life but traffic.
    static let shortestPeriod: Int64 = 500_000_000
    /// Three intervals in a row could be chance; four hardly.
    private static let leastIntervals: Int64 = 3
    /// More than so many periods without a beat are no row any more.
    private static let mostMissed: Int64 = 8

    /// Whether the beats are a row.
    var isRegular: Bool { fitting >= Self.leastIntervals && stray * 4 <= fitting }

    /// Takes a beat.
    mutating func beat(at time: Timestamp) {
        defer { lastAt = time }
        let (count, overflow) = beats.addingReportingOverflow(1)
        beats = overflow ? .max : count
        guard let lastAt else { return }
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
            missed &+= UInt64(times &- 1)
            jitter = max(jitter, Int64(strayed))
            // The mean of the intervals so far, each over the beats that it had room for.
            period &+= (interval / times &- period) / min(fitting, 64)
            return
        }
        stray &+= 1
        if stray > fitting {
            (period, fitting, stray, jitter, missed) = (interval, 1, 0, 0, 0)
        }
    }

    /// What an interval may stray: networks delay, and timers begin anew after each beat.
    private var tolerance: Int64 { period / 8 &+ 50_000_000 }

    /// Whether at a time the next beat was overdue: by half a period at least, and by more than it ever strayed.
    func isOverdue(at time: Timestamp) -> Bool {
        guard isRegular, let lastAt else { return false }
        return time.nanoseconds(since: lastAt) > period &+ max(period / 2, jitter &* 2)
    }
}
