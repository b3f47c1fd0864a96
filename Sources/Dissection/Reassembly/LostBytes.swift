/// Bytes of one direction that the other side has received and the capture lacks, as far as it is known.
///
/// ```
/// a hole is acknowledged ──▶ a few more packets ──┬─ its bytes come: captured in another order than sent ─▶ stream
///                                                 └─ a gap ──▶ its bytes come after all ─▶ counted, a finding
/// ```
/// What the other side sends while a hole is waited for, it sends after it has received those bytes: it is held back, so that
/// requests and responses stay in order. The same goes for what it sends with an acknowledgement of bytes of which nothing was
/// seen at all: those bytes are owed.
struct LostBytes: Sendable {
    /// What came too late to be placed.
    struct Late: Sendable {
        /// Each byte once.
        var bytes: UInt64 = 0
        var packets: UInt64 = 0
        /// Of the first of these bytes in the stream.
        var offset: UInt64
        var place: Place
    }

    /// How many packets of the connection may come between an acknowledgement and the bytes that it acknowledges: captures
    /// on several queues or interfaces have packets in another order, but not far apart.
    static let mostPackets: UInt8 = 8
    /// Gaps that are remembered, the last ones.
    private static let mostGaps = 1_024
    /// Debts that are kept apart: as many as packets are waited for.
    private static let mostDebts = Int(mostPackets)

    /// Holes that are waited for together.
    private struct Wait: Sendable {
        /// They end up to here.
        var end: SequenceNumber
        /// When they were acknowledged.
        var since: Timestamp?
        /// Packets since then.
        var packets: UInt8 = 0
    }

    /// Bytes of which nothing was seen when the other side sent something that acknowledges them.
    private struct Debt: Sendable {
        /// They end here.
        var end: SequenceNumber
        /// The packet before which they were sent.
        var packet: UInt64
        /// How many packets may come before them.
        var patience: UInt8
    }

    /// The packet that acknowledged a hole: it alone says so, and what its side sends later may say otherwise.
    struct Evidence: Sendable {
        var number: SequenceNumber
        /// Its own number.
        var sent: SequenceNumber
    }

    var witness: Evidence?
    /// In the order in which they were noted, each with a higher end than those before.
    private var debts: [Debt] = []
    /// What was owed of a direction of which nothing was seen did not come: it is not waited for again.
    private(set) var isSilent = false
    private var wait: Wait?
    /// The same of holes that were acknowledged later.
    private var nextWait: Wait?
    /// Whether a hole is being waited for.
    private(set) var isWaiting = false
    /// Where gaps were told and nothing has come since, by offset in the stream, ascending.
    private var gaps: [Range<UInt64>] = []
    private(set) var late: Late?

    /// Bytes of memory, against `Limits.totalBytes`.
    var heldBytes: Int {
        MemoryLayout<LostBytes>.size + 32 + gaps.capacity * MemoryLayout<Range<UInt64>>.stride
            + debts.capacity * MemoryLayout<Debt>.stride
    }

    // MARK: - Patience

    /// Notes that the other side had received the bytes up to `end` when it sent what `packet` has, which comes after them.
    ///
    /// - Parameter isLikely: something of this direction was seen. Where nothing was, most likely nothing will be.
    mutating func owe(upTo end: SequenceNumber, before packet: UInt64, isLikely: Bool) {
        if let known = debts.last, known.end.distance(from: end) >= 0 { return }
        guard debts.count < Self.mostDebts else { return }
        debts.append(Debt(end: end, packet: packet, patience: isLikely ? Self.mostPackets : Self.mostPackets / 2))
    }

    /// The first debt that is still waited for where `next` is the next one; nil where nothing of the direction was seen.
    private func debt(from next: SequenceNumber?) -> Debt? {
        for debt in debts where debt.patience > 0 {
            guard let next else { return debt }
            if debt.end.distance(from: next) > 0 { return debt }
        }
        return nil
    }

    /// Whether bytes before a packet are still owed where `next` is the next one; nil where nothing of the direction was seen.
    func owes(from next: SequenceNumber?) -> Bool { debts.isEmpty ? false : debt(from: next) != nil }

    /// The packet before which what is owed was sent.
    func debtPacket(from next: SequenceNumber?) -> UInt64? { debt(from: next)?.packet }

    /// The packet before which what begins at `number` was sent, if that is owed.
    func packetAfter(_ number: SequenceNumber) -> UInt64? {
        debts.first { $0.end.distance(from: number) > 0 }?.packet
    }

    /// Where what was owed to a packet, or to one before it, ends and has not come in time.
    func overdueEnd(before packet: UInt64) -> SequenceNumber? { debts.last { $0.patience == 0 && $0.packet <= packet }?.end }

    /// What was owed up to `end` has come, or is a gap.
    mutating func settleDebt(upTo end: SequenceNumber) { debts.removeAll { $0.end.distance(from: end) <= 0 } }

    /// Counts a packet of the connection for what is owed.
    ///
    /// - Parameter isBegun: something of this direction was seen.
    mutating func noteDebtPacket(isBegun: Bool) {
        for index in debts.indices where debts[index].patience > 0 {
            debts[index].patience -= 1
            if debts[index].patience == 0, !isBegun { isSilent = true }
        }
    }

    /// Something of the direction has come, so that what is owed will come as well.
    mutating func hope() {
        for index in debts.indices where debts[index].patience > 0 { debts[index].patience = Self.mostPackets }
    }

    /// Counts a packet of the connection.
    mutating func notePacket() {
        guard isWaiting else { return }
        if let packets = wait?.packets, packets < .max { wait?.packets = packets + 1 }
        if let packets = nextWait?.packets, packets < .max { nextWait?.packets = packets + 1 }
    }

    /// Whether an acknowledged hole has been waited for long enough; begins to wait for it otherwise.
    ///
    /// Holes that are acknowledged together are waited for together, so that none waits for more than twice `mostPackets`.
    ///
    /// - Parameter end: where the hole ends, which is not beyond `acknowledged`.
    mutating func isOverdue(_ end: SequenceNumber, acknowledged: SequenceNumber, at now: Timestamp?) -> Bool {
        if let known = wait, known.end.distance(from: end) < 0 {
            wait = nextWait
            nextWait = nil
        }
        if let known = wait, known.end.distance(from: end) >= 0 {
            if nextWait == nil, acknowledged.distance(from: known.end) > 0 { nextWait = Wait(end: acknowledged, since: now) }
            isWaiting = known.packets < Self.mostPackets
        } else {
            wait = Wait(end: acknowledged, since: now)
            nextWait = nil
            isWaiting = true
        }
        return !isWaiting
    }

    /// The time of the gap that a hole comes to: when it was acknowledged, or now.
    func time(ofHoleTo end: SequenceNumber, now: Timestamp?) -> Timestamp? {
        guard let wait, wait.end.distance(from: end) >= 0 else { return now }
        return wait.since
    }

    /// Waits no longer for what is waited for.
    mutating func expire() {
        wait?.packets = .max
        nextWait?.packets = .max
        for index in debts.indices { debts[index].patience = 0 }
        isSilent = true
    }

    /// What follows a hole has to wait for the other direction first.
    mutating func pause() { isWaiting = false }

    /// No acknowledged hole is left.
    mutating func stopWaiting() {
        wait = nil
        nextWait = nil
        isWaiting = false
    }

    // MARK: - After a gap

    /// The last gap that nothing has come of.
    var lastGap: Range<UInt64>? { gaps.last }

    /// Notes that a gap was told, behind all before.
    mutating func noteGap(_ range: Range<UInt64>) {
        if gaps.count >= Self.mostGaps { gaps.removeFirst() }
        gaps.append(range)
    }

    /// Counts bytes that come again or too late: those which lie in a gap.
    mutating func noteOld(_ range: Range<UInt64>, place: Place) {
        var count: UInt64 = 0
        var first = range.upperBound
        // From the first gap behind the end downwards: what lies above is not looked at.
        var (low, index) = (0, gaps.count)
        while low < index {
            let middle = (low + index) / 2
            if gaps[middle].lowerBound < range.upperBound { low = middle + 1 } else { index = middle }
        }
        while index > 0, gaps[index - 1].upperBound > range.lowerBound {
            index -= 1
            let gap = gaps[index]
            let common = gap.clamped(to: range)
            guard !common.isEmpty else { continue }
            count += UInt64(common.count)
            first = common.lowerBound
            var rest: [Range<UInt64>] = []
            if gap.lowerBound < common.lowerBound { rest.append(gap.lowerBound..<common.lowerBound) }
            if common.upperBound < gap.upperBound { rest.append(common.upperBound..<gap.upperBound) }
            gaps.replaceSubrange(index...index, with: rest)
        }
        if gaps.count > Self.mostGaps { gaps.removeFirst() }
        guard count > 0 else { return }
        var sum = late ?? Late(offset: first, place: place)
        sum.bytes += count
        sum.packets += 1
        sum.offset = min(sum.offset, first)
        sum.place.extend(by: place)
        late = sum
    }

    /// Takes out what came too late.
    mutating func takeLate() -> Late? {
        defer { late = nil }
        return late
    }
}
