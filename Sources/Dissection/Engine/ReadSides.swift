/// How far the two sides of a channel have been read, and whether they have ended.
struct ReadSides: Sendable {
    private var clientOffset: UInt64 = 0
    private var serverOffset: UInt64 = 0
    private var clientGapEnd: UInt64 = 0
    private var serverGapEnd: UInt64 = 0
    private(set) var clientEnd = Closing.End.open
    private(set) var serverEnd = Closing.End.open

    /// The position of the next byte that no layer has seen.
    @inline(__always)
    func offset(of side: Side) -> UInt64 { side == .client ? clientOffset : serverOffset }

    @inline(__always)
    mutating func advance(_ side: Side, by length: UInt64) {
        if side == .client { clientOffset &+= length } else { serverOffset &+= length }
    }

    /// Goes on behind bytes that nobody has.
    mutating func skip(_ side: Side, by length: UInt64) {
        advance(side, by: length)
        if side == .client { clientGapEnd = clientOffset } else { serverGapEnd = serverOffset }
    }

    /// Whether a side may have ended the talk unseen before the other one did so, which had received as much as `place` says: its last
    /// bytes, which are missing, or more than what was seen of it, be it bytes or a FIN. `beginning`: where its first byte lies, as `place`
    /// counts. `saysSo`: a side ends it with a word of its own, a
    /// Close frame, before any FIN.
    func mayHaveEnded(_ side: Side, before place: Place, from beginning: UInt32, saysSo: Bool) -> Bool {
        let offset = offset(of: side)
        let isGapLast = offset > 0 && offset == (side == .client ? clientGapEnd : serverGapEnd)
        // A RST behind a FIN that was not seen.
        guard end(of: side) != .fin || (isGapLast && saysSo) else { return false }
        return place.hasReceived((isGapLast ? offset &- 1 : offset) &+ UInt64(beginning))
    }

    /// The same of a channel that ends, whose other side may have left; inside of another channel it is what holds for that one. Nothing may be held of
    /// the other side: that was seen, and is not counted yet.
    func mayHaveLeft(_ side: Side, before place: Place, _ context: borrowing ConversationContext) -> Bool {
        guard context.channel.depth == 0 else { return context.peerMayHaveLeft }
        // Without packets it is not known what was received.
        return place.packets != nil && mayHaveEnded(side, before: place, from: context.sight.beginning(of: side), saysSo: false)
    }

    func end(of side: Side) -> Closing.End { side == .client ? clientEnd : serverEnd }

    mutating func setEnd(of side: Side, _ end: Closing.End) {
        if side == .client { clientEnd = end } else { serverEnd = end }
    }

    /// Both sides have ended, or one was reset.
    var areOver: Bool { clientEnd == .reset || serverEnd == .reset || (clientEnd == .fin && serverEnd == .fin) }

    /// The side that was taken for the client turned out to be the server.
    mutating func swapSides() {
        swap(&clientOffset, &serverOffset)
        swap(&clientGapEnd, &serverGapEnd)
        swap(&clientEnd, &serverEnd)
    }
}
