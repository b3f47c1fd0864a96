/// What one direction holds back because it cannot be told from something forged.
///
/// ```
///             ┌───── far ahead, or acknowledges what was never sent ─────┐
///             │                                                         ▼
/// a segment ──┴─ next, or in the window ──▶ stream ◀── borne out ──── parked ── refuted ──▶ a finding
///                                            after a gap
/// ```
///
/// Borne out: the next segment goes on from it, or the other side acknowledges it. Refuted: bytes come at the place that was
/// expected, or nothing more comes.
///
/// Outside the window a second segment is not enough, for who forges one can forge two: there it is the acknowledgement that
/// counts, with another one, or with a segment that goes on after it. Where none comes, neither of it nor of anything before it, as in a capture of one direction, many segments are
/// followed, and a few at the end: the place that was expected has never gone on.
///
/// Where the SYN of the other side was seen and no answer to it, every segment is held: what is the next number is what the
/// answer, an acknowledgement or a second segment has to say.
///
/// A receiver drops such a segment at once (RFC 9293, section 3.10.7.4). Who watches may have missed what came before it,
/// so it waits for a second packet that bears it out; one packet alone neither hides bytes nor makes a loss.
struct CandidateSegments: Sendable {
    /// Segments that hang together.
    struct Run: Sendable {
        var segments = OutOfOrderSegments()
        var start: SequenceNumber
        /// Behind its last byte.
        var end: SequenceNumber
        /// A FIN stands at `end`.
        var hasFin = false
        /// Bytes between the place that was expected and its start, in either direction.
        var distance: Int
        /// Its start lies before the place that was expected.
        var isBehind: Bool
        /// It lies outside the window; otherwise only what it acknowledges is impossible.
        var isFar: Bool
        /// A few zeros in an acknowledgement: filled up by something on the way, as it seems. They are taken only where the stream goes on
        /// from them, or they are acknowledged.
        var isPadding = false
        /// Nothing of its side was seen before but it ought to have been: the SYN of the other side was, and the answer to it was
        /// not. Then the number of the next byte is not known.
        var isEarly = false
        /// Where nothing refutes it, it is taken at the end: it came first of its side and acknowledges what the other has sent.
        var standsUnlessRefuted = false
        /// It came before the SYN of its side and lies a little ahead of it: captured before what precedes it.
        var mayBeLate = false
        /// The other side has acknowledged it once, where it lies outside the window. Something more has to say so, as it can be forged with it.
        var isAcknowledged = false
        /// How many segments have come of it since the other side last acknowledged something before it.
        var segmentCount = 1
        /// It lies no further away than a connection can lose, or nothing of the other side was seen that could acknowledge it.
        var mayStandAlone = false
        var place: Place

        /// So many segments outside the window are followed where the other side says nothing of them.
        static let manySegments = 16

        /// Outside the window, and gone on from while nothing spoke against it.
        var isGoneOnFrom: Bool { isFar && segmentCount > 1 && mayStandAlone }

        /// Whether it is followed where nothing more comes.
        var standsAtEnd: Bool { standsUnlessRefuted || isAcknowledged || isGoneOnFrom }

        /// Payload bytes on the wire.
        var bytes: Int { max(0, end.distance(from: start)) }

        /// Whether it may reach from `start` to `end`: further apart, numbers say nothing of which comes first.
        static func mayReach(from start: SequenceNumber, to end: SequenceNumber) -> Bool {
            (0...1 << 30).contains(end.distance(from: start))
        }

        /// Whether an acknowledgement covers a byte of it, and nothing that lies behind it. Of one that lies far ahead it is
        /// enough that the bytes before it are acknowledged.
        func isCovered(by acknowledgement: SequenceNumber) -> Bool {
            if isEarly { return (-Self.near...bytes + Self.near).contains(acknowledgement.distance(from: start)) }
            return acknowledgement.distance(from: start) >= (isFar ? 0 : 1) && acknowledgement.distance(from: end) <= (hasFin ? 1 : 0)
        }

        /// Whether a segment is this one once more.
        func isRepeated(_ payload: RawSpan, length: Int, at sequence: SequenceNumber) -> Bool {
            guard sequence == start, length == bytes else { return false }
            var kept = segments
            return kept.insert(payload, length: length, at: sequence, place: place) == nil
        }

        /// Where nothing else is known, numbers that lie so near each other are of one connection.
        static let near = 1 << 20
    }

    /// An acknowledgement by the other side of bytes that were not seen.
    struct Claim: Sendable {
        var number: SequenceNumber
        /// How far it lay ahead of everything seen.
        var ahead: Int
        /// The number of its packet, where that says how much its side had sent before.
        var sent: SequenceNumber?
        /// How many packets with lower ones may be late.
        var patience = LostBytes.mostPackets
        /// Where the stream of the other side stood.
        var offset: UInt64
        /// The window has room for it.
        var isPossible: Bool
        /// Its packet is told for another reason.
        var isTold: Bool
        /// A lower one came after it: it was forged, or the two were captured in another order than sent. Only a packet that says the same
        /// bears it out then.
        var isContradicted = false
        var place: Place
    }

    var run: Run?
    var claim: Claim?
    /// The number of the last packet of this side without payload, where it lies beyond everything seen: its side has sent so much.
    var sent: SequenceNumber?
    /// How many packets without payload may come, of lower numbers than a FIN that lies ahead, before they refute it: its side sends none
    /// of those after it, and those from before may only be late.
    var finPatience: UInt8?

    var isEmpty: Bool { run == nil && claim == nil && sent == nil && finPatience == nil }
    /// Bytes of buffers, against `Limits.totalBytes`.
    var heldBytes: Int { run?.segments.heldBytes ?? 0 }
}
