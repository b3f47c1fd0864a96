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
/// A hole is waited for until the other side acknowledges past it (then it was received, and the capture lacks it or has it
/// a little later: `LostBytes`), until more than `Limits.outOfOrderBytes` wait behind it, or until the connection ends.
///
/// A FIN that is the next in order is held until the other side acknowledges it or ends as well: until then its own side may
/// show that it was not its own, by going on after it.
struct TCPDirection {
    let direction: Direction
    let outOfOrderBytes: Int
    /// The initial sequence number, if the SYN was seen.
    private(set) var initial: SequenceNumber?
    /// Another initial sequence number that a SYN of this side named: the other side's acknowledgement decides.
    private var rival: SequenceNumber?
    /// The sequence number of the next byte to deliver; meaningless before `isBegun`.
    var next = SequenceNumber(0)
    private(set) var isBegun = false
    /// Stream offset of `next`: 0 is the byte after SYN, or the first byte seen.
    var offset: UInt64 = 0
    /// The highest acknowledgement of this direction's bytes by the other side.
    var acknowledged: SequenceNumber?
    /// The first one, where it came before anything of this direction was seen.
    var firstAcknowledged: SequenceNumber? {
        didSet { if !isBegun, let firstAcknowledged { origin = firstAcknowledged } }
    }
    /// Where positions count from: the first byte, or what was acknowledged first, where nothing had been seen by then.
    private var origin = SequenceNumber(0)
    var waiting = OutOfOrderSegments()
    var history = DeliveredHistory()
    /// The sequence number of a FIN, once seen. Before the bytes up to it have come it is only what one packet says.
    var fin: SequenceNumber?
    /// Where a byte lies that was read and may be a keep-alive probe: what comes later at its place contradicts nothing.
    var unsureOffset = UInt64.max
    /// Another FIN that was seen before `fin`, while bytes before it are still missing.
    var otherFin: SequenceNumber?
    var finPlace = Place()
    var isFinished = false
    var hasToldBeforeBeginning = false
    var hasToldPadding = false
    /// Its SYN acknowledged one of the other side.
    var beganByAnswer = false
    /// The receive window of the side that sends in this direction is shut.
    private var windowIsShut = false
    /// The receive window of the side that sends in this direction.
    var advertised = AdvertisedWindow()
    /// None or one; apart, because hardly a direction has any.
    var suspects: [CandidateSegments] = []
    /// The side went on in sequence after the FIN that is next.
    var goesOnAfterFin = false
    /// None or one; apart, because most directions lose nothing.
    var losses: [LostBytes] = []
    /// Bytes of the other direction are waited for that this side had received when it sent what waits here.
    var isHeldBack = false
    /// What waits here goes no further than this packet while the other direction is held back; see `Flow.keepOrder`.
    var turn = UInt64.max
    /// How far the other direction has come, where it is waited for: what waits here and was sent after more of it goes no further.
    var reach: UInt32?

    init(_ direction: Direction, limits: Limits) {
        self.direction = direction
        outOfOrderBytes = limits.outOfOrderBytes
    }

    /// Bytes of buffers, against `Limits.totalBytes`.
    ///
    /// Asked after nearly every segment. It changes nothing, but a direction that is only looked at is copied for the call.
    var heldBytes: Int {
        mutating get {
            var held = waiting.heldBytes + history.heldBytes
            if !suspects.isEmpty { held += suspects[0].heldBytes }
            if !losses.isEmpty { held += losses[0].heldBytes }
            return held
        }
    }

    // MARK: - Beginning

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
        begin(at: initial.advanced(by: 1))
        if !losses.isEmpty { losses[0].hope() }
    }

    /// Begins without a SYN: at what the other side has acknowledged if that is just before the first byte seen, so that
    /// a segment that comes out of order at the beginning is not taken for an old one.
    mutating func begin(midstream first: SequenceNumber) {
        var start = first
        // The first acknowledgement says where it stood then: what lies between was sent since, and is missing.
        for known in [acknowledged, firstAcknowledged] {
            guard let known else { continue }
            let behind = first.distance(from: known)
            if behind > 0, behind <= 1 << 20 { start = known }
        }
        begin(at: start)
    }

    /// Begins further back, because the first segment that was seen was not the first that was sent, and nothing was delivered yet.
    mutating func beginEarlier(at start: SequenceNumber) {
        if (-(1 << 16)..<0).contains(start.distance(from: next)) { next = start }
    }

    /// The same where the answer to the SYN of this side comes before that: it says where the first byte stands.
    mutating func beginEarlier(whereAnswered number: SequenceNumber, of conversation: inout Conversation) {
        if isBegun, offset == 0, initial == nil, !isFinished { beginEarlier(at: number, of: &conversation) }
    }

    private mutating func begin(at start: SequenceNumber) {
        if initial != nil || firstAcknowledged == nil { origin = start }
        next = start
        isBegun = true
        // What was acknowledged before anything was seen counts only where it fits.
        if let known = acknowledged, !(-AdvertisedWindow.unknownBytes...1 << 20).contains(known.distance(from: start)) {
            acknowledged = nil
        }
    }

    /// Whether a SYN that comes late may be the one of the bytes that were seen.
    func mayBegin(at initial: SequenceNumber) -> Bool {
        guard self.initial == nil, isBegun, offset < 1 << 30 else { return false }
        return (-(1 << 16)...0).contains(initial.distance(from: next.advanced(by: -1 - Int(offset))))
    }

    /// Takes a SYN that came after the bytes that follow it.
    mutating func confirm(initial: SequenceNumber) {
        if self.initial == nil, isBegun, initial.advanced(by: 1 + Int(offset)) == next { self.initial = initial }
    }

    /// The rival is the true one if the other side acknowledges its SYN, or if the first bytes follow it.
    mutating func settleCompeting(_ number: SequenceNumber) {
        guard offset == 0, !isFinished, !isAtFin, let other = rival else { return }
        let (fromOther, fromThis) = (number.distance(from: other.advanced(by: 1)), number.distance(from: next))
        let window = 0...AdvertisedWindow.unknownBytes
        guard fromOther == 0 || (window.contains(fromOther) && !window.contains(fromThis)) else { return }
        rival = initial
        initial = other
        next = other.advanced(by: 1)
        origin = next
        acknowledged = nil
    }

    /// Takes an acknowledgement for what decides between two numbers of SYNs.
    mutating func settleCompeting(acknowledged number: SequenceNumber) {
        settleCompeting(number)
        if number == next { rival = nil }
    }

    /// Takes the number that the other side's SYN/ACK acknowledges. Where that is not the one after this side's SYN, that SYN may be old or
    /// forged, or the answer is: the first bytes decide.
    mutating func meetAnswer(_ number: SequenceNumber) {
        guard let initial, rival == nil, offset == 0, !isFinished else { return }
        if !(0...1 + seenAhead).contains(number.distance(from: initial)) { rival = number.advanced(by: -1) }
    }

    /// Begins anew at a number before the one that a SYN named, because bytes follow there and none were delivered.
    mutating func restart(at start: SequenceNumber) {
        initial = nil
        rival = nil
        begin(at: start)
    }

    /// Whether SYNs of this side named two numbers, and nothing has decided yet.
    var hasCompeting: Bool { rival != nil }

    // MARK: - Where it stands

    /// Whether it is certain where the stream begins, or bytes of it have come.
    var knowsBeginning: Bool { offset > 0 || (initial != nil && rival == nil) }

    /// The number of the next byte; none where nothing was seen.
    var end: SequenceNumber? { isBegun ? next : nil }

    /// What is kept of this direction after the close.
    var remnant: FlowTable.Remnant.Stream {
        var stream = FlowTable.Remnant.Stream(initial: initial ?? likelyInitial, end: end)
        // What lies further back than numbers tell is not kept.
        if let gap = losses.first?.lastGap, offset - gap.lowerBound < 1 << 30 {
            stream.gapStart = next.advanced(by: -Int(offset - gap.lowerBound))
            stream.gapLength = UInt32(gap.count)
        }
        return stream
    }

    /// The number of a SYN that was not seen: what lies before the first byte, or what was refused.
    private var likelyInitial: SequenceNumber? {
        guard isBegun else { return firstAcknowledged?.advanced(by: -1) }
        return offset < 1 << 30 ? next.advanced(by: -1 - Int(offset)) : nil
    }

    /// Neither anything of it nor an acknowledgement of it was seen.
    var isUnseen: Bool { !isBegun && acknowledged == nil && firstAcknowledged == nil }

    /// Whether something waits that an acknowledgement could release.
    @inline(__always)
    var isWaiting: Bool {
        if !waiting.isEmpty { return true }
        return fin == nil ? false : !isFinished
    }

    /// Whether bytes are missing before something that was seen, or that the other side has acknowledged.
    var isMissing: Bool { !waiting.isEmpty || (fin != nil && !hasEnded) || sight == .lackingBytes }

    /// Whether what the other side has acknowledged with a packet was not seen, as far as it can be of this connection.
    func lacks(upTo acknowledged: SequenceNumber?) -> Bool {
        guard let acknowledged else { return false }
        guard let seenEnd else { return isBeyondFirstAcknowledged(acknowledged) }
        return (1...AdvertisedWindow.unknownBytes).contains(acknowledged.distance(from: seenEnd))
    }

    /// Whether everything up to a number has come, and nothing behind it: the end, or what follows a FIN.
    func reaches(_ number: SequenceNumber) -> Bool { isBegun && (number == next || number == seenEnd) }

    /// The next in order is a FIN, which nothing has borne out yet.
    var isAtFin: Bool { !isFinished && fin != nil && (fin == next || otherFin == next) }

    /// Whether bytes are waited for that the other side has acknowledged.
    var isPatient: Bool { losses.isEmpty ? false : losses[0].isWaiting || losses[0].owes(from: seenEnd) }

    /// Behind everything that has come in order, a FIN included; none where nothing was seen.
    var seenEnd: SequenceNumber? { isBegun ? (hasEnded ? next.advanced(by: 1) : next) : nil }

    /// The last packet that was sent before the bytes that are waited for had come.
    var lastPacketBeforeWait: UInt64 {
        let first = firstWaitingPacket ?? .max
        guard !losses.isEmpty, let packet = losses[0].debtPacket(from: seenEnd) else { return first }
        return min(first, packet &- 1)
    }

    /// Notes by an acknowledgement of the other side which bytes come before what that has sent with it. Costs a comparison for most.
    @inline(__always)
    mutating func meetOrder(_ number: SequenceNumber, of other: borrowing TCPDirection, place: Place) {
        if isBegun ? number.distance(from: next) > 0 : mayOwe(upTo: number, to: other) {
            owe(upTo: number, isLikely: isBegun || other.initial != nil, place: place)
        }
    }

    /// Whether bytes of this direction may still come, though nothing of it was seen. Where the other side's SYN was, its first
    /// acknowledgement says where this one begins, and more than that has been sent since.
    private func mayOwe(upTo number: SequenceNumber, to other: borrowing TCPDirection) -> Bool {
        guard other.initial != nil else { return other.offset == 0 && !other.isHeldBack }
        if !losses.isEmpty, losses[0].isSilent { return false }
        return isBeyondFirstAcknowledged(number)
    }

    /// Whether a number lies behind the first one that the other side has acknowledged, where nothing of this direction was seen.
    private func isBeyondFirstAcknowledged(_ number: SequenceNumber) -> Bool {
        firstAcknowledged.map { (1...AdvertisedWindow.unknownBytes).contains(number.distance(from: $0)) } ?? false
    }

    /// Notes that what the other side has sent with this acknowledgement comes after bytes of this direction that were not seen.
    ///
    /// - Parameter isLikely: those will come, because something of this direction was seen, or ought to be.
    mutating func owe(upTo number: SequenceNumber, isLikely: Bool, place: Place) {
        if isBegun {
            let ahead = number.distance(from: next)
            guard !isFinished, ahead > (isAtFin ? 1 : 0) else { return }
            // With all of a hole acknowledged that is waited for by itself; here only some of one is.
            if ahead <= seenAhead { guard let end = holeEnd, number.distance(from: end) < 0 else { return } }
        }
        if losses.isEmpty { losses.append(LostBytes()) }
        if let seenEnd { losses[0].settleDebt(upTo: seenEnd) }
        losses[0].owe(upTo: number, before: place.packets?.highest ?? 0, isLikely: isLikely)
    }

    /// The packet before which the first segment that waits was sent, or the FIN that does.
    var firstWaitingPacket: UInt64? {
        waiting.firstPacket ?? (fin != nil && !isFinished ? finPlace.packets?.highest : nil)
    }

    /// The same where bytes before it are missing, of which the other side has acknowledged some up to a number.
    func packetBehindHole(upTo number: SequenceNumber) -> UInt64? {
        guard isBegun, number.distance(from: next) > 0, waiting.firstStart != next, !isAtFin else { return nil }
        return firstWaitingPacket
    }

    /// The same of the segment that waits and is the next one.
    var nextWaitingPacket: UInt64? { waiting.firstStart == next ? firstWaitingPacket : nil }

    /// Everything up to a FIN was seen.
    var hasEnded: Bool { isFinished || isAtFin }

    /// Where a number lies in the stream, modulo 2^32, counted from `origin`; 0 where nothing of the stream is known.
    @inline(__always)
    func position(of number: SequenceNumber) -> UInt32 {
        isBegun || firstAcknowledged != nil ? number.value &- origin.value : 0
    }

    /// Where the byte at offset 0 lies.
    var beginning: UInt32 { next.value &- UInt32(truncatingIfNeeded: offset) &- origin.value }

    /// How far everything has come in order, modulo 2^32, a FIN included.
    var reached: UInt32 { seenEnd.map { position(of: $0) } ?? 0 }

    /// Whether what is next of this direction was sent after bytes of the other one that are waited for.
    var isBeyondReach: Bool {
        guard let reach else { return false }
        let received = isAtFin ? finPlace.received : waiting.firstStart == next ? waiting.firstPlace?.received : nil
        guard let received else { return false }
        return Int32(bitPattern: received &- reach) > 0
    }

    /// How far `sequence` lies ahead of the next expected byte; 0 before the beginning.
    func distance(of sequence: SequenceNumber) -> Int { isBegun ? sequence.distance(from: next) : 0 }

    /// Whether a number lies behind everything that was seen of this side, or before all of it.
    func isForeign(_ number: SequenceNumber) -> Bool {
        guard isBegun else { return true }
        let ahead = number.distance(from: next)
        return ahead < 0 ? UInt64(ahead.magnitude) > offset &+ 1 : ahead > seenAhead
    }

    /// How far everything that was seen reaches beyond `next`, a FIN included.
    var seenAhead: Int {
        var ahead = 0
        if let end = waiting.lastEnd { ahead = max(ahead, end.distance(from: next)) }
        if let fin { ahead = max(ahead, fin.distance(from: next) + 1) }
        if let otherFin { ahead = max(ahead, otherFin.distance(from: next) + 1) }
        return ahead
    }

    /// Whether a segment that is not the next one lies where a sender that keeps to the window cannot be.
    ///
    /// - Parameter window: the receive window of the other side, in bytes.
    func isFar(_ sequence: SequenceNumber, length: Int, window: Int) -> Bool {
        guard isBegun else { return false }
        let ahead = sequence.distance(from: next)
        if ahead >= 0 {
            let acknowledgedAhead = acknowledged.map { max(0, $0.distance(from: next)) } ?? 0
            return ahead > window + acknowledgedAhead
        }
        let behind = UInt64(ahead.magnitude)
        guard behind > offset else { return false }
        // With its SYN in sight a direction has no bytes before; those of a segment that reaches into it are told apart.
        return initial == nil ? behind > offset &+ UInt64(AdvertisedWindow.unknownBytes) : behind > offset &+ UInt64(length) &+ 1
    }

    /// Whether nothing of this side was seen, its SYN not either, and the other side has acknowledged nothing near `sequence`.
    func isUnfounded(_ sequence: SequenceNumber, peerHasBegun: Bool) -> Bool {
        guard !isBegun else { return false }
        guard let acknowledged else { return peerHasBegun }
        return sequence.distance(from: acknowledged).magnitude > CandidateSegments.Run.near
    }

    /// Notes whether the receive window is shut. True when it has just been shut.
    @inline(__always)
    mutating func noteWindow(isShut: Bool) -> Bool {
        if windowIsShut == isShut { return false }
        windowIsShut = isShut
        return isShut
    }

    // MARK: - Resets

    /// What a RST is worth.
    enum ResetVerdict {
        /// Its number is the one that the receiver expects (RFC 5961, section 3.2).
        case exact
        /// In the window: a receiver asks back, but the bytes before it may only be missing here.
        case doubtful
        case outside
    }

    /// Judges a RST by its number. Exact is the number behind what was delivered, behind what waits, behind a FIN, and
    /// what the receiver has acknowledged: bytes that were seen here may have been lost behind the point of capture.
    func judge(resetAt sequence: SequenceNumber, window: Int) -> ResetVerdict {
        // Nothing of its side was seen: what the other side acknowledged says where it is.
        if !isBegun, let acknowledged, sequence != acknowledged {
            return sequence.distance(from: acknowledged).magnitude <= max(window, 1 << 16) ? .doubtful : .outside
        }
        let ahead = distance(of: sequence)
        if ahead == 0 || sequence == acknowledged || sequence == waiting.lastEnd { return .exact }
        // Some send the number of the SYN, or that of the FIN. The first is not what a receiver takes, so something has to bear it out.
        if ahead == -1, offset == 0 { return .doubtful }
        if let fin, sequence == fin || sequence == fin.advanced(by: 1) { return .exact }
        if ahead > 0 { return ahead <= max(window, 1 << 16) ? .doubtful : .outside }
        guard let acknowledged, UInt64(ahead.magnitude) <= offset else { return .outside }
        return sequence.distance(from: acknowledged) >= 0 ? .doubtful : .outside
    }
}
