/// The first eight bytes of each side.
struct FirstBytes: Sendable {
    private var client: UInt64 = 0
    private var server: UInt64 = 0

    static let count = 8

    /// Takes bytes of a side that has sent so many before.
    @inline(__always)
    mutating func note(_ bytes: RawSpan, after count: UInt64, _ side: Side) {
        guard count < Self.count else { return }
        noteFirst(bytes, after: Int(count), side)
    }

    private mutating func noteFirst(_ bytes: RawSpan, after count: Int, _ side: Side) {
        let taken = min(Self.count - count, bytes.byteCount)
        var word: UInt64 = 0
        for index in 0..<taken { word = word << 8 | UInt64(bytes[index]) }
        word <<= UInt64(8 * (Self.count - count - taken))
        if side == .client { client |= word } else { server |= word }
    }

    mutating func swapSides() { swap(&client, &server) }

    /// The bytes of a side that has sent so many in all.
    func bytes(of side: Side, sent: UInt64) -> [UInt8] {
        let first = side == .client ? client : server
        return (0..<min(Self.count, Int(clamping: sent))).map { UInt8(truncatingIfNeeded: first >> UInt64(56 - 8 * $0)) }
    }
}
