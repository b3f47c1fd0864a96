/// How far the two sides of a channel have been read, and whether they have ended.
struct ReadSides: Sendable {
    private var clientOffset: UInt64 = 0
    private var serverOffset: UInt64 = 0
    private(set) var clientEnd = Closing.End.open
    private(set) var serverEnd = Closing.End.open

    /// The position of the next byte that no layer has seen.
    @inline(__always)
    func offset(of side: Side) -> UInt64 { side == .client ? clientOffset : serverOffset }

    @inline(__always)
    mutating func advance(_ side: Side, by length: UInt64) {
        if side == .client { clientOffset &+= length } else { serverOffset &+= length }
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
        swap(&clientEnd, &serverEnd)
    }
}
