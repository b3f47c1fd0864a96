/// How much of what one side sent is in sight of whoever captures.
///
/// What a side did not send can only be held against the other side where all that it sent was seen: a response is
/// unasked only where no request can have been missed.
package enum Sight: UInt8, Sendable {
    /// All of it, as far as anyone can tell.
    case whole
    /// The other side has acknowledged bytes that were not seen. They may still come, out of order.
    case lackingBytes
    /// Its SYN was not seen: bytes may stand before the first that came.
    case lackingBeginning
    /// Nothing of it was captured.
    case nothing
}

/// What was seen of both sides.
struct SightOfSides: Sendable {
    /// The gaps that the layers of a conversation have been told of so far.
    struct Gaps: OptionSet, Sendable {
        let rawValue: UInt8
        /// Of whole packets, or what was given up.
        static let lost = Gaps(rawValue: 1)
        /// Of the rest of packets that were cut short: what follows begins with a packet.
        static let cut = Gaps(rawValue: 2)
        /// No gap: some bytes came twice and differ, so that what is read may be somebody else's words; or the first are left out, so that
        /// what is read is less than its sender meant.
        static let contested = Gaps(rawValue: 4)
        /// No gap of its own: how long some are is not known for sure, and at most what is told.
        static let inexact = Gaps(rawValue: 8)
    }

    private var client = Sight.whole
    private var server = Sight.whole
    private var clientGaps: Gaps = []
    private var serverGaps: Gaps = []
    private var clientBeginning: UInt32 = 0
    private var serverBeginning: UInt32 = 0

    subscript(side: Side) -> Sight {
        get { side == .client ? client : server }
        set { if side == .client { client = newValue } else { server = newValue } }
    }

    func gaps(of side: Side) -> Gaps { (side == .client ? clientGaps : serverGaps).subtracting([.contested, .inexact]) }

    /// Whether bytes of a side came twice with different content, or are left out.
    func isContested(_ side: Side) -> Bool { (side == .client ? clientGaps : serverGaps).contains(.contested) }

    mutating func contest(_ side: Side) {
        if side == .client { clientGaps.insert(.contested) } else { serverGaps.insert(.contested) }
    }

    /// Whether gaps of a side may be shorter than they are told to be.
    func hasInexactGap(_ side: Side) -> Bool { (side == .client ? clientGaps : serverGaps).contains(.inexact) }

    mutating func noteInexactGap(of side: Side) {
        if side == .client { clientGaps.insert(.inexact) } else { serverGaps.insert(.inexact) }
    }

    mutating func note(_ cause: Gap.Cause, of side: Side) {
        let gap: Gaps = cause == .truncated ? .cut : .lost
        if side == .client { clientGaps.formUnion(gap) } else { serverGaps.formUnion(gap) }
    }

    /// Where the first byte of a side lies, as `Place.received` counts.
    func beginning(of side: Side) -> UInt32 { side == .client ? clientBeginning : serverBeginning }

    mutating func setBeginning(_ position: UInt32, of side: Side) {
        if side == .client { clientBeginning = position } else { serverBeginning = position }
    }

    mutating func swapSides() {
        swap(&client, &server)
        swap(&clientBeginning, &serverBeginning)
        swap(&clientGaps, &serverGaps)
    }
}

extension ConversationContext {
    /// Whether all that a side has sent so far was seen: its beginning, no gap since, and nothing acknowledged beyond.
    package func isWhole(_ side: Side) -> Bool {
        !startsMidstream && self[side].missing == 0 && sight[side] == .whole
    }

    /// Whether the first bytes that a layer is given of a side are the first that the side sent it.
    package func hasBeginning(_ side: Side) -> Bool {
        guard !startsMidstream, !sight.gaps(of: side).contains(.lost) else { return false }
        return sight[side] == .whole || sight[side] == .lackingBytes
    }

    /// Whether a gap of any cause was told of a side.
    package func hasGap(_ side: Side) -> Bool { !sight.gaps(of: side).isEmpty }

    /// Whether what is read of a side may be none of its words; see `SightOfSides.Gaps.contested`.
    package func isContested(_ side: Side) -> Bool { sight.isContested(side) }

    /// Whether gaps of a side may be shorter than they are told to be, because of lost plaintext only the ciphertext was counted: where an
    /// element ends that one lies in is not known.
    package func hasInexactGap(_ side: Side) -> Bool { sight.hasInexactGap(side) }

    /// Whether a time without bytes was one: nothing of either side can have come unseen.
    var mayShowSilence: Bool { lacksNothing(.client) && lacksNothing(.server) }

    /// Whether all was seen that a side sent since it came into sight.
    func lacksNothing(_ side: Side) -> Bool {
        self[side].missing == 0 && !hasGap(side) && (sight[side] == .whole || sight[side] == .lackingBeginning)
    }

    /// Where all that was seen of a side so far ends, as `Place.received` counts.
    func seenPosition(of side: Side) -> UInt32 {
        sight.beginning(of: side) &+ UInt32(truncatingIfNeeded: self[side].bytes &+ self[side].missing)
    }

    /// Whether the other side had received more of a side, so much, than was seen so far. One more may be a FIN.
    func lacksBytes(of side: Side, before received: UInt32) -> Bool { Int32(bitPattern: received &- seenPosition(of: side)) > 1 }

    /// Whether nothing of a side was captured at all.
    package func isUnseen(_ side: Side) -> Bool { sight[side] == .nothing }
}
