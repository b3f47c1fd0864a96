/// When bytes of either side came last, by the latest clock so far.
struct SpokenTimes: Sendable {
    private var last: Timestamp?
    /// When before that.
    private var before: Timestamp?

    @inline(__always)
    mutating func note(_ time: Timestamp?) {
        guard let time else { return }
        if let last, time <= last { return }
        before = last
        last = time
    }

    /// Nanoseconds without a byte until an end, whose own bytes may have been noted; nil where that is not known.
    func silence(until end: Timestamp?) -> Int64? {
        guard let end else { return nil }
        if let last, last < end { return end.nanoseconds(since: last) }
        if let before, before < end { return end.nanoseconds(since: before) }
        return nil
    }
}
