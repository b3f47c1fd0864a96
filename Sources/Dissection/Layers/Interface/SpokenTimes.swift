/// When bytes of either side came last, by the latest clock so far.
struct SpokenTimes: Sendable {
    private var last: Timestamp?
    /// When before that.
    private var before: Timestamp?
    /// The longest silence that ended by then.
    private var longest: Int64 = 0
    /// When bytes of the client came last.
    private var lastOfClient: Timestamp?

    @inline(__always)
    mutating func note(_ time: Timestamp?, from side: Side) {
        guard let time else { return }
        if side == .client { lastOfClient = time }
        if let last, time <= last { return }
        if let before, let last { longest = max(longest, last.nanoseconds(since: before)) }
        before = last
        last = time
    }

    /// Nanoseconds from the client's last byte to an end; nil where that is not known.
    func clientSilence(until end: Timestamp?) -> Int64? {
        guard let end, let lastOfClient else { return nil }
        return end.nanoseconds(since: lastOfClient)
    }

    /// Nanoseconds without a byte until an end, whose own bytes may have been noted; nil where that is not known.
    func silence(until end: Timestamp?) -> Int64? {
        guard let end else { return nil }
        if let last, last < end { return end.nanoseconds(since: last) }
        if let before, before < end { return end.nanoseconds(since: before) }
        return nil
    }

    /// The longest silence before the one that an end ended, as `silence` has it: the connection has survived it.
    func longestSurvived(until end: Timestamp?) -> Int64 {
        guard let end, let last, let before, last < end else { return longest }
        return max(longest, last.nanoseconds(since: before))
    }
}
