import Dissection
import Libc

/// For how long an outlet has waited for its reader, and what of that was said.
struct OutletStall {
    private var since: Int64 = 0
    private var sinceWhen = ""
    /// When the program was first seen to be stopping; 0 before.
    private var stoppingSince: Int64 = 0
    private var nextNotice: Int64 = 0
    private var pause = OutletStall.firstPause
    /// Whether this wait was told.
    private var isTold = false

    private static let second: Int64 = 1_000_000_000
    /// Nanoseconds from the first notice to the next; each one after that takes twice as long.
    private static let firstPause = 10 * second

    /// The reader takes nothing any more.
    mutating func begin() {
        since = OutletStall.now(CLOCK_MONOTONIC)
        sinceWhen = OutletStall.timeOfDay
        isTold = false
        pause = OutletStall.firstPause
        // A reader that is merely slow gets a notice now and then, not one for each piece that it takes.
        nextNotice = max(nextNotice, since + OutletStall.second)
    }

    /// Whether it is time to give the reader up.
    mutating func isOver(isStopping: Bool, isHurried: Bool) -> Bool {
        if isHurried { return true }
        guard isStopping else { return false }
        let now = OutletStall.now(CLOCK_MONOTONIC)
        if stoppingSince == 0 { stoppingSince = now }
        return now - max(stoppingSince, since) >= OutletStall.second
    }

    /// The time of day since which nothing was taken, where it is time to say so.
    mutating func whatToTell() -> String? {
        let now = OutletStall.now(CLOCK_MONOTONIC)
        guard now >= nextNotice else { return nil }
        nextNotice = now + pause
        if isTold { pause *= 2 }
        isTold = true
        return sinceWhen
    }

    /// The reader has taken something: how long that took, where the wait was told.
    mutating func end() -> String? {
        guard isTold else { return nil }
        isTold = false
        let tenths = (OutletStall.now(CLOCK_MONOTONIC) - since + 50_000_000) / 100_000_000
        return "\(tenths / 10).\(tenths % 10) s"
    }

    private static func now(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * second + Int64(time.tv_nsec)
    }

    /// Such as `21:48:00 UTC`.
    private static var timeOfDay: String {
        var buffer = OutputBuffer(capacity: 64)
        buffer.append(timeOfDay: CivilTime(seconds: now(CLOCK_REALTIME) / second))
        return String(decoding: buffer.bytes.copy, as: UTF8.self) + " UTC"
    }
}
