import Dissection

/// Where an output's bytes go, and the buffer in front of it.
///
/// Bytes are collected and leave in runs of whole lines: when the buffer passes 64 KiB, when told to `flush`, or after
/// each record where a reader is waiting for it.
///
/// An output that cannot be written to is given up; or, where it `keepsTrying`, it keeps what it holds, leaves out the
/// records that follow, counts them, and writes again when told to `retry`. A reader that went away never comes back.
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

    var buffer = OutputBuffer(capacity: Output.drainSize + 16_384)
    /// Why nothing more is written.
    public private(set) var error: OutputError?
    /// Records that were left out since the last call of `retry` that succeeded.
    public private(set) var lostRecords: UInt64 = 0
    private let descriptor: Int32?
    private let drain: Drain
    private let keepsTrying: Bool
    /// Of the buffer, what waits for the next try.
    private var waiting = 0

    /// Writes to an open descriptor, which the caller owns and closes.
    ///
    /// The caller ignores SIGPIPE, so that a reader that went away shows as `OutputError.readerGone`; and SIGXFSZ where
    /// the output `keepsTrying`.
    ///
    /// - Parameter keepsTrying: whether an output that fails may work again later, as a disk that is full does.
    public init(descriptor: Int32, drain: Drain = .whenFull, keepsTrying: Bool = false) {
        self.descriptor = descriptor
        self.drain = drain
        self.keepsTrying = keepsTrying
    }

    /// Keeps everything in memory until `take`.
    public init() {
        descriptor = nil
        drain = .whenFull
        keepsTrying = false
    }

    /// Everything written since the last call; only for an output that stays in memory.
    public mutating func take() -> [UInt8] {
        guard descriptor == nil else { return [] }
        let taken = [UInt8](buffer.bytes)
        buffer.truncate(to: 0)
        return taken
    }

    /// Called after each whole record: writes out if it is time to.
    @inline(__always)
    mutating func endRecord() {
        if error != nil { return leaveOut() }
        if buffer.count >= Output.drainSize || drain == .everyRecord { write() }
    }

    /// Writes out what has been collected.
    public mutating func flush() { write() }

    /// Whether a record that comes now would be composed for nothing.
    @inline(__always)
    var isUseless: Bool { error != nil }

    /// Counts a record that comes while nothing can be written, and drops what was composed of it.
    @inline(never)
    mutating func leaveOut() {
        lostRecords &+= 1
        buffer.truncate(to: waiting)
    }

    /// Tries once more to write what waits since an error.
    ///
    /// - Returns: The error before, and the records that were left out because of it; nil where all is well, or still not.
    public mutating func retry() -> (error: OutputError, lostRecords: UInt64)? {
        guard keepsTrying, let before = error, before != .readerGone else { return nil }
        error = nil
        write()
        guard error == nil else { return nil }
        defer { lostRecords = 0 }
        return (before, lostRecords)
    }

    @inline(never)
    private mutating func write() {
        guard let descriptor else { return }
        guard error == nil else { return buffer.truncate(to: waiting) }
        if buffer.count > 0 {
            let outcome = writeWhole(buffer.bytes, to: descriptor) { written in
                // Up to the last line that was written whole.
                (written.lastIndex(of: 0x0a) ?? -1) + 1
            }
            error = outcome.error
            buffer.dropFirst(outcome.kept)
        }
        if error != nil, !keepsTrying { buffer.truncate(to: 0) }
        waiting = buffer.count
    }
}
