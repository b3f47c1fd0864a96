import Dissection

/// Where an output's bytes go, and the buffer in front of it.
///
/// Bytes are collected and leave in runs of whole lines: when the buffer passes 64 KiB, when told to `flush`, or after
/// each record where a reader is waiting for it.
///
/// An output that cannot be written to is given up; or, where it `keepsTrying`, it keeps what it holds, leaves out the
/// records that follow, counts them, and writes again when told to `retry`. A reader that went away never comes back.
///
/// On a lossy outlet what the reader does not take at once waits in the buffer, up to 4 MiB; the records after that are
/// left out until half of it is taken.
public struct Output: ~Copyable {
    /// When collected bytes are written.
    public enum Drain: Sendable {
        /// When 64 KiB have come together: files and pipes.
        case whenFull
        /// After each record: terminals, `--follow`, live captures.
        case everyRecord
    }

    /// Bytes that are collected before they are written.
    static let drainSize = 64 << 10
    /// Bytes that wait for the reader of a lossy outlet at most.
    static let mostWaiting = 4 << 20

    var buffer = OutputBuffer(capacity: Output.drainSize + 16_384)
    /// Why nothing more is written.
    public private(set) var error: OutputError?
    /// What kept the outlet before the last move from taking all.
    private var errorBeforeMove: OutputError?
    /// Records that were left out since the last call of `retry` that succeeded, and over all.
    private var lostRecords: UInt64 = 0
    private var allLostRecords: UInt64 = 0
    /// Records that are in the buffer, the last bytes of each at least.
    private var bufferedRecords: UInt64 = 0
    /// Line feeds at the beginning of the buffer that end no record.
    private var foreignBreaks: UInt64 = 0
    private var outlet: Outlet?
    private let drain: Drain
    private let keepsTrying: Bool
    /// Of the buffer, what waits for the next try.
    private var waiting = 0
    /// Of the buffer, what is before the record that is being composed.
    private var recordStart = 0

    /// Writes to an open descriptor, which the caller owns and closes.
    ///
    /// The caller ignores SIGPIPE, so that a reader that went away shows as `OutputError.readerGone`; and SIGXFSZ where
    /// the output `keepsTrying`.
    ///
    /// - Parameter keepsTrying: whether an output that fails may work again later, as a disk that is full does.
    public init(descriptor: Int32, drain: Drain = .whenFull, keepsTrying: Bool = false) {
        self.init(Outlet(descriptor: descriptor), drain: drain, keepsTrying: keepsTrying)
    }

    /// Writes to an outlet.
    package init(_ outlet: Outlet, drain: Drain = .whenFull, keepsTrying: Bool = false) {
        self.outlet = outlet
        self.drain = drain
        self.keepsTrying = keepsTrying
    }

    /// Keeps everything in memory until `take`.
    public init() {
        outlet = nil
        drain = .whenFull
        keepsTrying = false
    }

    /// Everything written since the last call; only for an output that stays in memory.
    public mutating func take() -> [UInt8] {
        guard outlet == nil else { return [] }
        let taken = buffer.bytes.copy
        buffer.truncate(to: 0)
        recordStart = 0
        return taken
    }

    /// Records that were not written, so far: those left out, and those that wait.
    var unwrittenRecords: UInt64 { allLostRecords &+ bufferedRecords }

    /// Whether something waits that could not be written when it was tried.
    var isHeldUp: Bool { keepsTrying && error != .readerGone && (error != nil || waiting > 0) }

    /// Called after each whole record: writes out if it is time to.
    ///
    /// - Parameter lines: how many lines it has; records of a log have one.
    @inline(__always)
    mutating func endRecord(lines: UInt64 = 1) {
        if error != nil { return leaveOut(lines) }
        bufferedRecords &+= lines
        if buffer.count - waiting >= Output.drainSize || drain == .everyRecord { write() }
        if waiting > 0, buffer.count > Output.mostWaiting { leaveOutLast(lines) }
        recordStart = buffer.count
    }

    /// Notes that a line feed in the buffer will end no record, such as that of the `[` of an array.
    mutating func addForeignBreak() { foreignBreaks &+= 1 }

    /// Writes out what has been collected.
    public mutating func flush() { write() }

    /// Whether a record that comes now would be composed for nothing.
    @inline(__always)
    var isUseless: Bool { error != nil }

    /// Counts a record that comes while nothing can be written, and drops what was composed of it.
    @inline(never)
    mutating func leaveOut(_ lines: UInt64 = 1) {
        lostRecords &+= lines
        allLostRecords &+= lines
        buffer.truncate(to: waiting)
        recordStart = waiting
    }

    /// Leaves out the record that was composed last, because too much waits for the reader; and those that follow.
    @inline(never)
    private mutating func leaveOutLast(_ lines: UInt64) {
        // Of a record that is out in part, the rest has to follow.
        guard recordStart > 0 else { return }
        waiting = recordStart
        bufferedRecords &-= lines
        error = .blocked
        leaveOut(lines)
    }

    /// Tries once more to write what waits since an error.
    ///
    /// - Returns: The error before, and the records that were left out because of it; nil where all is well, or still not.
    public mutating func retry() -> (error: OutputError, lostRecords: UInt64)? {
        guard keepsTrying, let before = error, before != .readerGone else { return nil }
        error = nil
        write()
        guard error == nil else { return nil }
        guard waiting <= Output.mostWaiting / 2 else {
            error = before
            return nil
        }
        defer { lostRecords = 0 }
        return (before, lostRecords)
    }

    /// Writes out what has been collected, and goes on at another outlet. What the first one does not take is lost; that is told by the
    /// next `retry` after `tellMove`.
    mutating func move(to other: Outlet) {
        write()
        if buffer.count > 0 || error != nil { errorBeforeMove = error ?? .blocked }
        let lost = bufferedRecords
        (bufferedRecords, foreignBreaks, waiting) = (0, 0, 0)
        leaveOut(lost)
        outlet = other
        error = nil
    }

    /// The beginning of what is written to the new outlet is complete.
    mutating func tellMove() {
        write()
        if keepsTrying, error == nil { error = errorBeforeMove }
        errorBeforeMove = nil
    }

    @inline(never)
    private mutating func write() {
        guard let outlet else { return }
        guard error == nil else { return buffer.truncate(to: waiting) }
        if buffer.count > 0 {
            let outcome = writeWhole(buffer.bytes, to: outlet) { $0.wholeLines }
            error = outcome.error
            countWritten(outcome.kept)
            buffer.dropFirst(outcome.kept)
            recordStart = max(0, recordStart - outcome.kept)
        }
        if error != nil, !keepsTrying {
            buffer.truncate(to: 0)
            recordStart = 0
        }
        waiting = buffer.count
    }

    /// Takes those records off the count that end within the first bytes of the buffer.
    private mutating func countWritten(_ count: Int) {
        if count == buffer.count {
            bufferedRecords = 0
            foreignBreaks = 0
            return
        }
        var ended = UInt64(buffer.bytes.prefix(count).count(of: 0x0a))
        let foreign = min(ended, foreignBreaks)
        foreignBreaks &-= foreign
        ended &-= foreign
        bufferedRecords &-= min(bufferedRecords, ended)
    }
}
