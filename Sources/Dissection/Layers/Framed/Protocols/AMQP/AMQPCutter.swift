struct AMQPCutter: CuttingMachine {
    private var frame = LengthCutter(LengthPrefix(.u32be, offset: 3, header: 7), extra: 1)
    /// Bytes of the protocol header that are still to come; nil for a frame.
    private var greeting: Int?
    private(set) var lookedAt = 0

    var remaining: UInt64? { greeting.map { UInt64($0) } ?? frame.remaining }

    mutating func restart() { self = AMQPCutter() }

    mutating func advance(over bytes: RawSpan) -> Cut {
        let before = frame.came
        if before == 0, greeting == nil {
            if bytes[0] == UInt8(ascii: "A") { greeting = 8 } else if !AMQPGrammar.isType(bytes[0]) { return .broken(.malformed) }
        }
        if let left = greeting {
            guard bytes.byteCount >= left else {
                greeting = left - bytes.byteCount
                return .inside
            }
            return .ends(left)
        }
        let cut = frame.advance(over: bytes)
        if case .ends(let count) = cut, bytes[count - 1] != AMQPGrammar.frameEnd {
            lookedAt = count
            return .broken(.malformed)
        }
        if case .broken = cut { lookedAt = Int(frame.came - before) }
        return cut
    }
}
