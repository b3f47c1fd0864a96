import Dissection

/// Where an output's bytes go, and the buffer in front of it.
///
/// Bytes are collected and leave in runs of whole lines: when the buffer passes 64 KiB, when told to `flush`, or after
/// each record where a reader is waiting for it.
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
    private let descriptor: Int32?
    private let drain: Drain

    /// Writes to an open descriptor, which the caller owns and closes.
    ///
    /// The caller ignores SIGPIPE, so that a reader that went away shows as `OutputError.readerGone`.
    public init(descriptor: Int32, drain: Drain = .whenFull) {
        self.descriptor = descriptor
        self.drain = drain
    }

    /// Keeps everything in memory until `take`.
    public init() {
        descriptor = nil
        drain = .whenFull
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
        if buffer.count >= Output.drainSize || drain == .everyRecord { write() }
    }

    /// Writes out what has been collected.
    public mutating func flush() { write() }

    @inline(never)
    private mutating func write() {
        guard let descriptor else { return }
        if error == nil, buffer.count > 0 { error = writeAll(buffer.bytes, to: descriptor) }
        buffer.truncate(to: 0)
    }
}
