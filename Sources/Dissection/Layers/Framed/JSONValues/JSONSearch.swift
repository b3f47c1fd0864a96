/// Looks for the next value of JSON after a loss, or after what was none: an object or an array that begins after a line end, after RS, after the end
/// of another, or with a turn of the side, and that is followed by a line end or by another.
///
/// ```
/// … lost","b":2},"c":3}\n{"method":"a"}\n
///               └ not: a comma follows   └─ found, once the line end came
/// ```
///
/// Each byte is looked at twice at most: what begins inside of what is no value is not looked for.
struct JSONSearch: MessageSearch {
    private enum Phase {
        case outside
        /// In what may be a value, which begins there.
        case inside(Int, JSONCutter)
        /// It is over: what follows says whether it was inside of another.
        case after(Int)
    }

    private(set) var held = HeldRuns()
    private(set) var steps = 0
    private(set) var skipped: UInt64 = 0
    private var phase = Phase.outside
    /// With the next bracket a value may begin.
    private var mayBegin = true
    /// The next byte to look at.
    private var next = 0

    /// Values that are longer are not looked for.
    private static let mostValue = 128 << 10

    var heldBytes: Int { held.heldBytes }
    var room: Int { 64 }

    var settled: Int {
        switch phase {
        case .outside: next
        case .inside(let start, _), .after(let start): start
        }
    }

    mutating func beginTurn() {
        if case .outside = phase { mayBegin = true }
    }

    mutating func receive(_ bytes: RawSpan, at arrival: Arrival) -> Int? {
        held.append(bytes, at: arrival)
        while next < held.bytes.count {
            steps += 1
            if let found = take(held.bytes[next]) { return found }
        }
        return nil
    }

    /// Takes the next byte. Returns where a value begins, once that is clear.
    private mutating func take(_ byte: UInt8) -> Int? {
        switch phase {
        case .outside:
            let isBracket = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
            if isBracket, mayBegin {
                phase = .inside(next, JSONCutter())
                return nil
            }
            switch byte {
            case 0x0A, 0x1E, UInt8(ascii: "}"), UInt8(ascii: "]"): mayBegin = true
            case 0x20, 0x09, 0x0D: break
            case _: mayBegin = false
            }
        case .inside(let start, var cutter):
            let cut = cutter.advance(over: held.bytes.rawBytes.extracting(next..<next + 1))
            if cut == .inside, next - start < Self.mostValue {
                phase = .inside(start, cutter)
            } else if case .ends = cut {
                phase = .after(start)
            } else {
                // The byte that does not fit is looked at again: it may be a line end.
                phase = .outside
                mayBegin = false
                return nil
            }
        case .after(let start):
            switch byte {
            case 0x0A, 0x1E, UInt8(ascii: "{"), UInt8(ascii: "["): return start
            case 0x20, 0x09, 0x0D: break
            case _:
                phase = .outside
                mayBegin = false
                return nil
            }
        }
        next += 1
        return nil
    }

    mutating func drop(first count: Int) {
        held.drop(first: count)
        next -= count
        skipped += UInt64(count)
        switch phase {
        case .outside: break
        case .inside(let start, let cutter): phase = .inside(start - count, cutter)
        case .after(let start): phase = .after(start - count)
        }
    }
}
