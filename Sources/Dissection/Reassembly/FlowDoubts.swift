/// What one packet said about a connection as a whole, and what nothing has borne out yet.
///
/// ```
/// SYN, or SYN and ACK, of
/// another number ───────▶ held ──┬─ the other side acknowledges it, or its side goes on from it ─▶ a new connection
///                                └─ the known connection brings bytes ─▶ a finding: the receiver asked back (RFC 5961, 4)
/// RST, not exact ───────▶ held ──┬─ it is the next number after all, or its side says nothing more ─▶ the end
///                                └─ its side goes on ─▶ a finding: the receiver asked back (RFC 5961, 3)
/// RST, exact, with bytes
/// missing before it ────▶ held ──── they come, or a few packets or a second pass ─▶ the end
/// two SYNs of one side ─▶ held ──── one is acknowledged or gone on from ─▶ a finding about the other
/// ```
struct FlowDoubts: Sendable {
    /// A SYN, with or without ACK, of an open connection that names another number than the one that began it.
    struct Synchronisation: Sendable {
        var header: SegmentHeader
        var payload: [UInt8]
        var direction: Direction
        /// How far its number lies from the next byte of its side.
        var distance: Int
        /// Bytes of both directions when it came.
        var bytes: UInt64
    }

    /// A RST in the window of its receiver.
    struct Reset: Sendable {
        var sequence: SequenceNumber
        var direction: Direction
        var distance: Int
        var place: Place
        /// The other side has gone on since, so that nothing of its own side can still have been under way.
        var isAnswered = false
        /// Its number is the one that is expected, but bytes before it are missing that may only be late.
        var isExact = false
        /// How many packets may come before those.
        var patience = LostBytes.mostPackets
    }

    /// Two SYNs of one side that name different numbers, as two servers behind one address send them.
    struct Rivals: Sendable {
        var direction: Direction
        var first: SequenceNumber
        var second: SequenceNumber
        /// Of the second.
        var place: Place
    }

    var syn: Synchronisation?
    var reset: Reset?
    var rivals: Rivals?

    var isEmpty: Bool { syn == nil && reset == nil && rivals == nil }
    /// Bytes of buffers, against `Limits.totalBytes`.
    var heldBytes: Int { syn.map { $0.payload.count } ?? 0 }
}
