/// What one packet said about a connection as a whole, and what nothing has borne out yet.
///
/// ```
/// SYN, or SYN and ACK, of
/// another number ───────▶ held ──┬─ the other side acknowledges it, or its side goes on from it ─▶ a new connection
///   and the one that answers it  └─ the known connection brings bytes ─▶ a finding: the receiver asked back (RFC 5961, 4)
/// RST, not exact ───────▶ held ──┬─ it is the next number after all, or its side says nothing more ─▶ the end
///                                └─ its side goes on behind it ─▶ a finding: the receiver asked back (RFC 5961, 3)
/// RST, exact, with bytes of
/// before it missing ────▶ held ──── they come, or a few packets or a second pass ─▶ the end
/// RST before anything
/// else was seen ────────▶ held ──┬─ nothing follows, or what fits its numbers comes ─▶ the end
///                                └─ what does not fit its numbers ─▶ the end, and another connection
/// two SYNs of one side ─▶ held ──── one is acknowledged or gone on from ─▶ a finding about the other
/// ```
struct FlowHypotheses: Sendable {
    /// A SYN, with or without ACK, of an open connection that names another number than the one that began it.
    struct Synchronisation: Sendable {
        var header: SegmentHeader
        var payload: [UInt8]
        var direction: Direction
        /// How far its number lies from the next byte of its side.
        var distance: Int
        /// Bytes of both directions when it came.
        var bytes: UInt64
        /// The one that answers it, or that it answers, and the packet without payload that acknowledges both. All three can be forged as
        /// one can: bytes have to follow, or an end.
        var partner: SegmentHeader?
        var third: SegmentHeader?
    }

    /// A RST in the window of its receiver.
    struct Reset: Sendable {
        var sequence: SequenceNumber
        var direction: Direction
        var distance: Int
        var place: Place
        /// What its sender had of the other side, if it says so.
        var acknowledged: SequenceNumber?
        /// Its number is the one that is expected, but bytes are missing that were sent before it and may only be late.
        var isExact = false
        /// Nothing of the connection was seen before it: it may have been captured ahead of everything.
        var isFirst = false
        /// How many packets may come before those; of its own side where its number is not the one that is expected.
        var patience = LostBytes.mostPackets
        /// Its own side has sent something since, which was captured late or says that it goes on.
        var isBesideOthers = false
    }

    /// Two SYNs of one side that name different numbers, as two servers behind one address send them.
    struct Competing: Sendable {
        var direction: Direction
        var first: SequenceNumber
        var second: SequenceNumber
        /// Of the second.
        var place: Place
    }

    var syn: Synchronisation?
    var reset: Reset?
    var rivals: Competing?
    /// The connection was reset, and bytes of the side that had not ended may be under way; see `Flow+AfterReset.swift`.
    var isAfterReset = false

    var isEmpty: Bool { syn == nil && reset == nil && rivals == nil && !isAfterReset }
    /// Bytes of buffers, against `Limits.totalBytes`.
    var heldBytes: Int { syn.map { $0.payload.count } ?? 0 }
}
