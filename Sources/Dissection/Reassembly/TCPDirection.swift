/// One direction of a TCP connection as seen from outside: how far it was delivered, what waits, what the other side
/// has acknowledged.
///
/// ```
///        offset ▼ next
/// ───────────────┬─ ─ ─ ─ ─┬───────┬─ ─ ─┬──────┬─┐
///   delivered    │  hole   │waiting│     │wait. │F│   sequence ▶
/// ───────────────┴─ ─ ─ ─ ─┴───────┴─ ─ ─┴──────┴─┘
/// ```
///
/// A hole is waited for until the other side acknowledges past it (then it was received, and only the capture lacks
/// it), until more than `Limits.outOfOrderBytes` wait behind it, or until the connection ends.
struct TCPDirection: Sendable {
    let direction: Direction
    private let outOfOrderBytes: Int
    /// The initial sequence number, if the SYN was seen.
    private(set) var initial: SequenceNumber?
    /// Another initial sequence number that a SYN of this side named: the other side's acknowledgement decides.
    private var rival: SequenceNumber?
    /// The sequence number of the next byte to deliver; meaningless before `isBegun`.
    private var next = SequenceNumber(0)
    private(set) var isBegun = false
    /// Stream offset of `next`: 0 is the byte after SYN, or the first byte seen.
    private(set) var offset: UInt64 = 0
    /// The highest acknowledgement of this direction's bytes by the other side.
    private var acknowledged: SequenceNumber?
    private var waiting = OutOfOrderSegments()
    private var history = DeliveredHistory()
    /// The sequence number of the FIN, once seen.
    private var fin: SequenceNumber?
    private var finPlace = Place()
    private(set) var isFinished = false
    private var hasToldBeforeBeginning = false
    /// The receive window of the side that sends in this direction is shut.
    private var windowIsShut = false

    init(_ direction: Direction, limits: Limits) {
        self.direction = direction
        outOfOrderBytes = limits.outOfOrderBytes
    }

    /// Bytes of buffers, against `Limits.totalBytes`.
    var heldBytes: Int { waiting.heldBytes + history.heldBytes }

    /// Whether segments wait, which a segment without payload may let go.
    var isHolding: Bool { waiting.heldBytes > 0 }

    /// Begins where the SYN says. Where SYNs name different numbers (two servers behind one address, a path that answers
    /// in a server's place), the one that the other side acknowledged counts, until then the last.
    mutating func begin(initial: SequenceNumber) {
        // What waits already lies before this SYN: it is none of theirs.
        if let first = waiting.firstStart ?? fin, first.distance(from: initial) < 1 { return }
        if let known = self.initial, known != initial {
            if acknowledged == known.advanced(by: 1) {
                rival = initial
                return
            }
            rival = known
        }
        self.initial = initial
        next = initial.advanced(by: 1)
        isBegun = true
    }

    /// Begins without a SYN: at what the other side has acknowledged if that is just before the first byte seen, so that
    /// a segment that comes out of order at the beginning is not taken for an old one.
    mutating func begin(midstream first: SequenceNumber) {
        next = first
        if let acknowledged {
            let behind = first.distance(from: acknowledged)
            if behind > 0, behind <= 1 << 20 { next = acknowledged }
        }
        isBegun = true
    }

    /// Notes an acknowledgement by the other side; one that lies far from anything seen is not believed.
    @inline(__always)
    mutating func acknowledge(_ number: SequenceNumber) {
        if rival != nil { settleRival(number) }
        if isBegun {
            let ahead = number.distance(from: next)
            guard ahead > -(1 << 30), ahead < 1 << 30 else { return }
        }
        if let acknowledged, number.distance(from: acknowledged) <= 0 { return }
        acknowledged = number
    }

    /// The number of the next byte; none where nothing was seen.
    var end: SequenceNumber? { isBegun ? next : nil }

    /// The rival is the true one if the other side acknowledges its SYN, or if the first bytes follow it.
    private mutating func settleRival(_ number: SequenceNumber) {
        guard offset == 0, !isFinished, let other = rival, number == other.advanced(by: 1) else { return }
        rival = initial
        initial = other
        next = number
        acknowledged = nil
    }

    /// Whether something waits that an acknowledgement could release.
    var isWaiting: Bool { !waiting.isEmpty || (fin != nil && !isFinished) }

    /// How far `sequence` lies ahead of the next expected byte; 0 before the beginning.
    func distance(of sequence: SequenceNumber) -> Int { isBegun ? sequence.distance(from: next) : 0 }

    /// Whether a RST with this sequence number lies in the window of the receiver (RFC 9293, section 3.10.7.4), whose
    /// scale may be unknown, so generously.
    func acceptsReset(at sequence: SequenceNumber) -> Bool {
        let distance = distance(of: sequence)
        if distance >= -1 { return distance <= 1 << 24 }
        // Bytes that were seen here may have been lost behind the point of capture: the receiver still expects what it
        // has not acknowledged.
        guard let acknowledged, UInt64(distance.magnitude) <= offset else { return false }
        return sequence.distance(from: acknowledged) >= 0
    }

    /// Notes whether the receive window is shut. True when it has just been shut.
    @inline(__always)
    mutating func noteWindow(isShut: Bool) -> Bool {
        if windowIsShut == isShut { return false }
        windowIsShut = isShut
        return isShut
    }

    // MARK: - Segments

    /// Takes the payload of one segment, `length` bytes on the wire of which the capture has `payload`.
    @inline(__always)
    mutating func take<Sink: ConversationSink & ~Copyable>(
        _ payload: RawSpan, length: Int, at sequence: SequenceNumber, place: Place, into conversation: inout Conversation,
        sink: inout Sink
    ) {
        if !isBegun { begin(midstream: sequence) }
        if sequence == next, waiting.isEmpty, fin == nil {
            deliver(payload, length: length, place: place, into: &conversation, sink: &sink)
        } else {
            takeOutOfOrder(payload, length: length, at: sequence, place: place, into: &conversation, sink: &sink)
        }
    }

    /// A segment that is not simply the next one: a repetition, a part of one, or one that has to wait.
    private mutating func takeOutOfOrder<Sink: ConversationSink & ~Copyable>(
        _ payload: RawSpan, length: Int, at sequence: SequenceNumber, place: Place, into conversation: inout Conversation,
        sink: inout Sink
    ) {
        if rival != nil { settleRival(sequence) }
        var conflict: UInt64?
        var beforeBeginning = 0
        var start = sequence
        var run = payload
        var rest = length
        let old = -sequence.distance(from: next)
        if old > 0 {
            // A keep-alive probe repeats the last byte, whatever it puts there (RFC 9293, section 3.8.4).
            let isProbe = old == 1 && length == 1
            // Without a SYN the first byte seen may not be the first that comes.
            if initial == nil, UInt64(old) > offset { beforeBeginning = min(length, old - Int(offset)) }
            if !isProbe, UInt64(old) <= offset {
                let known = min(old, payload.byteCount)
                conflict = history.firstDifference(from: payload.extracting(0..<known), at: offset &- UInt64(old))
            }
            start = next
            run = payload.suffix(from: min(old, payload.byteCount))
            rest = max(0, length - old)
        }
        var behindFin = 0
        if rest > 0, let fin {
            let room = max(0, fin.distance(from: start))
            if rest > room {
                behindFin = rest - room
                rest = room
                if run.byteCount > room { run = run.extracting(0..<room) }
            }
        }
        if rest > 0 {
            let runOffset = offset &+ UInt64(max(0, start.distance(from: next)))
            if let difference = waiting.insert(run, length: rest, at: start, place: place) {
                conflict = conflict ?? (runOffset &+ UInt64(difference))
            }
        }
        if let conflict {
            conversation.find(.tcpOverlapConflict, a: conflict, direction: direction, offset: conflict, place: place, sink: &sink)
        }
        if beforeBeginning > 0, !hasToldBeforeBeginning {
            hasToldBeforeBeginning = true
            conversation.find(
                .tcpBeforeBeginning, a: UInt64(beforeBeginning), direction: direction, offset: 0, place: place, sink: &sink)
        }
        if behindFin > 0 {
            conversation.find(
                .tcpDataAfterFin, a: UInt64(behindFin), direction: direction, offset: offset, place: place, sink: &sink)
        }
        release(at: place.time, into: &conversation, sink: &sink)
    }

    /// Takes the FIN, whose sequence number lies behind the last byte.
    mutating func takeFin<Sink: ConversationSink & ~Copyable>(
        at sequence: SequenceNumber, place: Place, into conversation: inout Conversation, sink: inout Sink
    ) {
        if !isBegun { begin(midstream: sequence) }
        guard fin == nil, sequence.distance(from: next) >= 0 else { return }
        fin = sequence
        finPlace = place
        // What waits behind the end came before its FIN, and is left out as if it had come after.
        let behindFin = waiting.drop(from: sequence)
        if behindFin > 0 {
            conversation.find(
                .tcpDataAfterFin, a: UInt64(behindFin), direction: direction, offset: offset, place: place, sink: &sink)
        }
        release(at: place.time, into: &conversation, sink: &sink)
    }

    // MARK: - Delivery

    /// Delivers what waits and has become due.
    mutating func release<Sink: ConversationSink & ~Copyable>(
        at now: Timestamp?, into conversation: inout Conversation, sink: inout Sink
    ) {
        while true {
            if deliverWaiting(into: &conversation, sink: &sink) { continue }
            guard let end = holeEnd, isAcknowledged(upTo: end) || waiting.heldBytes > outOfOrderBytes else { break }
            skip(to: end, at: now, into: &conversation, sink: &sink)
        }
        deliverFin(into: &conversation, sink: &sink)
    }

    /// Delivers everything that waits, with gaps before it, because nothing more will come.
    mutating func flush<Sink: ConversationSink & ~Copyable>(
        at now: Timestamp?, into conversation: inout Conversation, sink: inout Sink
    ) {
        while true {
            if deliverWaiting(into: &conversation, sink: &sink) { continue }
            guard let end = holeEnd else { break }
            skip(to: end, at: now, into: &conversation, sink: &sink)
        }
        // Bytes at the very end that the other side acknowledged and that were never seen. The number behind a FIN
        // counts the FIN.
        if isBegun, fin == nil, offset > 0, let end = acknowledged, (2...1 << 24).contains(end.distance(from: next)) {
            skip(to: end, at: now, into: &conversation, sink: &sink)
        }
        deliverFin(into: &conversation, sink: &sink)
    }

    @inline(__always)
    private mutating func deliver<Sink: ConversationSink & ~Copyable>(
        _ run: RawSpan, length: Int, place: Place, into conversation: inout Conversation, sink: inout Sink
    ) {
        history.append(run, at: offset)
        next = next.advanced(by: length)
        offset &+= UInt64(length)
        if run.byteCount > 0 { conversation.receive(.bytes(run), direction: direction, place: place, sink: &sink) }
        if length > run.byteCount {
            history.forget()
            conversation.receive(
                .gap(length: UInt64(length - run.byteCount), cause: .truncated), direction: direction, place: place, sink: &sink)
        }
    }

    /// Delivers the next waiting segment, if it is the next one of the stream.
    private mutating func deliverWaiting<Sink: ConversationSink & ~Copyable>(
        into conversation: inout Conversation, sink: inout Sink
    ) -> Bool {
        guard waiting.firstStart == next, let segment = waiting.popFirst() else { return false }
        deliver(segment.bytes.rawBytes, length: segment.length, place: segment.place, into: &conversation, sink: &sink)
        return true
    }

    private mutating func skip<Sink: ConversationSink & ~Copyable>(
        to sequence: SequenceNumber, at now: Timestamp?, into conversation: inout Conversation, sink: inout Sink
    ) {
        // Always ahead; the end of a segment far ahead may be more than 2 GiB away.
        let length = UInt64(sequence.value &- next.value)
        history.forget()
        next = sequence
        offset &+= length
        conversation.receive(.gap(length: length, cause: .missing), direction: direction, place: Place(time: now), sink: &sink)
    }

    private mutating func deliverFin<Sink: ConversationSink & ~Copyable>(into conversation: inout Conversation, sink: inout Sink) {
        guard let fin, fin == next, !isFinished else { return }
        isFinished = true
        conversation.receive(.finished, direction: direction, place: finPlace, sink: &sink)
    }

    /// Where the hole before what waits ends, if there is a hole and something behind it.
    private var holeEnd: SequenceNumber? {
        if let start = waiting.firstStart { return start == next ? nil : start }
        guard let fin, !isFinished, fin != next else { return nil }
        return fin
    }

    /// The other side has acknowledged everything before `sequence`: it will not be sent again.
    private func isAcknowledged(upTo sequence: SequenceNumber) -> Bool {
        guard let acknowledged else { return false }
        return acknowledged.distance(from: sequence) >= 0
    }
}
