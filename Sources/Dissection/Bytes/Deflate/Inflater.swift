/// Undoes DEFLATE (RFC 1951) piece by piece, with a window that may outlast a message (RFC 7692, section 7.2.2).
///
/// The output is written behind the window in one flat buffer, so that a message that fits is read where it was
/// inflated, without a copy:
///
/// ```
/// history   │ …window: what distances may reach… │ pending: output not yet taken │ room      │ overshoot │
///           0                                    taken                           end     end may reach     count
/// ```
///
/// When the room is used up, the owner takes what is pending and the last `windowSize` bytes move to the front. The
/// buffer starts small and grows with the output to one and a half windows; it is the only memory that grows with the
/// input and the only one that is kept between messages.
///
/// A class, because its state is large and most directions have none; what it does is in `InflaterCore`, so that a call
/// costs one check for exclusive access.
package final class Inflater {
    /// Why a stream cannot go on.
    package enum Fault: Sendable {
        /// A block type, a length or a code that does not exist (RFC 1951).
        case malformed
        /// A distance beyond the agreed window.
        case beyondWindow
        /// A distance within the window to before the first byte that was inflated.
        case beyondHistory
    }

    package enum Outcome: Sendable {
        /// The input is used up.
        case needsInput
        /// There is no room for output until what is pending was taken and `makeRoom` called.
        case needsRoom
        /// More output came than was allowed.
        case overAllowance
        case invalid(Fault)
    }

    /// How a message ended.
    package enum Ending: Sendable {
        /// With a flush whose `00 00 FF FF` was left off, or with a final block (RFC 7692, section 7.2.1).
        case complete
        /// Somewhere else.
        case unterminated
    }

    private var core: InflaterCore

    /// - Parameter windowBits: 8 to 15; others are held at these bounds.
    package init(windowBits: UInt8) { core = InflaterCore(windowBits: windowBits) }

    /// How far back a distance may reach, in bytes.
    package var windowSize: Int { core.windowSize }

    /// Bytes of its buffers.
    package var heldBytes: Int { core.heldBytes }

    /// Lends the output that was not taken yet. `body` must not touch the inflater.
    @inline(__always)
    package func withPending<Result>(_ body: (RawSpan) -> Result) -> Result {
        let history = core.history
        return body(history.rawBytes.extracting(core.pending))
    }

    package var pendingCount: Int { core.pending.count }

    /// Says that what was pending is not needed any more.
    package func take() { core.take() }

    /// Whole bytes of the input that were read ahead and not used yet.
    package var unusedBytes: Int { core.unusedBytes }

    /// The message that is read is the first that refers to bytes of those before it. Asked before `finishMessage`.
    package var needsEarlier: Bool { core.needsEarlier }

    /// Forgets everything: the next distance may reach nothing.
    package func reset() { core.reset() }

    /// Makes room for output. What is pending has to be taken before.
    package func makeRoom() { core.makeRoom() }

    /// Inflates `input` from `position` on, which moves behind what was used, and stops once more than `allowance` bytes
    /// of output came.
    package func inflate(_ input: RawSpan, from position: inout Int, allowance: UInt64 = .max) -> Outcome {
        core.inflate(input, from: &position, allowance: allowance)
    }

    /// Learns that the message has no more input. The window stays for the next one.
    package func finishMessage() -> Ending { core.finishMessage() }
}
